package pgwire

import (
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// footing says whether the settings by which texts are read are known. The server
// reports their changes before a ReadyForQuery, and not earlier. It belongs to the
// goroutine of requests.
type footing struct {
	// doubt says that something was sent that may change them, and that its
	// ReadyForQuery has not been waited for.
	doubt bool
	// open says that this ReadyForQuery has not been asked for yet.
	open bool
	// dirty says that the transaction may hold such a change, which its end
	// may undo.
	dirty bool
	// unseen says that a statement was prepared that may change them, so that an
	// Execute of which nothing is known may be one.
	unseen bool
	// stores says that a CREATE TABLE AS EXECUTE was prepared.
	stores bool
}

// unsettles reports a statement that may change the settings.
func unsettles(st *rewrite.Statement) bool {
	return st.Unsettles || st.Kind == rewrite.KindUnknown
}

// read plans a text as the server will read it. While that cannot be known, the
// text is not read: it runs as it is, and its rows are counted.
func (s *session) read(text []byte) (rewrite.Script, error) {
	f := &s.footing
	if err := s.steady(); err != nil {
		return rewrite.Script{}, err
	}
	s.up.Plans(len(text))
	r := s.rewriter.Load()
	if f.doubt {
		const why = "a statement before it in the pipeline may change how it is read"
		return unreadScript(r, string(text), why, possiblePlans(r, string(text))), nil
	}
	script := r.ScriptOf(text, rewrite.Ask{})
	for i := range script.Plans {
		st := &script.Plans[i].Statement
		f.unseen = f.unseen || unsettles(st)
		f.stores = f.stores || stores(st)
	}
	return script, nil
}

// unreadScript is the script for a text that must not be read. If one of plans, which
// is how it would be read, is of a statement that writes, it may write.
func unreadScript(r *rewrite.Rewriter, text, why string, plans []rewrite.Plan) rewrite.Script {
	script := r.Unread(text, why)
	for i := range plans {
		if plans[i].Statement.Writes {
			script.Plans[0].Statement.Writes, script.Plans[0].Strict = true, false
		}
	}
	return script
}

// possiblePlans is how a text is read under either setting, as far as it can be.
func possiblePlans(r *rewrite.Rewriter, text string) (plans []rewrite.Plan) {
	for _, value := range []string{"on", "off"} {
		if script := r.With("standard_conforming_strings", value).Script(text, rewrite.Ask{}); script.Err == nil {
			plans = append(plans, script.Plans...)
		}
	}
	if plans == nil {
		plans = r.Script(text, rewrite.Ask{}).Plans
	}
	return plans
}

// steady waits until the settings are known, if a ReadyForQuery will tell.
func (s *session) steady() error {
	f := &s.footing
	if !f.doubt || f.open {
		return nil
	}
	drained, err := s.drain()
	if err != nil {
		return err
	}
	f.doubt = !drained
	s.up.Lock(&s.mu)
	f.dirty = f.dirty && s.status != 'I'
	s.mu.Unlock()
	return nil
}

// reading is the settings by which the server reads texts, as it last reported them.
type reading struct{ encoding, conforming string }

// follow notes a setting that the server reports.
func (r *reading) follow(name, value string) {
	switch name {
	case "client_encoding":
		r.encoding = value
	case "standard_conforming_strings":
		r.conforming = value
	}
}

// anyhow reports a text that is read the same whatever these settings are.
func anyhow(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r == '\\' || r >= 0x80 })
}

// runs notes that a statement is sent to be run, nil if nothing is known of it. open
// says that it is part of a segment that goes on.
func (f *footing) runs(st *rewrite.Statement, open bool) {
	switch {
	case st != nil && unsettles(st), st == nil && f.unseen:
		f.doubt, f.dirty = true, true
	case f.dirty:
		f.doubt = true
	}
	f.open = open
}

// runsAll does the same for the statements of a Query.
func (f *footing) runsAll(plans []rewrite.Plan) {
	for i := range plans {
		f.runs(&plans[i].Statement, false)
	}
}
