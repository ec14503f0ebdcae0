package pgwire

import (
	"encoding/json"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/rowcap/rowcap/rewrite"
)

// lastParameter is the parameter that holds the outcome of the last answer with
// rows as JSON; see rewrite.Outcome. Programs read it with PQparameterStatus
// and its like.
const lastParameter = "rowcap.last"

// facts are what rowcap.last says.
type facts struct {
	completeness rewrite.Completeness
	rows, beyond uint64
	limit        rewrite.Cap
	method       rewrite.Method
}

// report returns the messages that say what is known of an answer: a
// NoticeResponse if rows are or may be missing, unless an error says so, and a
// ParameterStatus if its value changed. There are none if the policy only observes.
// mu is held.
func (s *session) report(o rewrite.Outcome, notice bool) []byte {
	var b []byte
	if n, ok := s.rewriter.Load().Notice(o); ok && notice {
		m := pgproto3.NoticeResponse{
			Severity:            "WARNING",
			SeverityUnlocalized: "WARNING",
			Code:                codeCapped,
			Message:             s.plain(n.Message),
			Detail:              s.plain(n.Detail),
			Hint:                s.plain(n.Hint),
		}
		b = encode(b, &m)
	}
	f := facts{o.Completeness, o.Rows, o.Beyond, o.Plan.Cap, o.Plan.Method}
	if s.last != "" && f == s.facts {
		return b
	}
	text, err := json.Marshal(o)
	if err != nil || string(text) == s.last {
		return b
	}
	s.facts, s.last = f, string(text)
	if o.Plan.Observed {
		return b
	}
	return encode(b, &pgproto3.ParameterStatus{Name: lastParameter, Value: s.last})
}

// plain returns text in the client's encoding. mu is held.
func (s *session) plain(text string) string {
	if s.wide {
		return text
	}
	return plainText(text)
}
