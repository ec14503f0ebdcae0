package pgwire

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/rewrite"
)

// SQLSTATEs of rowcap's own messages. Those that start with RC and 01RC are
// rowcap's, the others are the server's
// (https://www.postgresql.org/docs/current/errcodes-appendix.html).
const (
	codeRefused           = "RC001"
	codeOverflow          = "RC002"
	codeCannotChange      = "55P02"
	codeCapped            = "01RC1"
	codeProtocol          = "08P01"
	codeConnection        = "08006"
	codeUnsupported       = "0A000"
	codeTooMany           = "53400"
	codeShutdown          = "57P01"
	codeSyntax            = "42601"
	severityFatal         = "FATAL"
	severityError         = "ERROR"
	severityPanic         = "PANIC"
	fieldSeverity    byte = 'V'
	fieldCode        byte = 'C'
	fieldPosition    byte = 'P'
)

// fault is an error that the client is told.
type fault struct {
	severity, code        string
	message, detail, hint string
	// cause is what happened, for whoever called Serve.
	cause error
}

func (f *fault) Error() string {
	if f.detail != "" {
		return f.message + " (" + f.detail + ")"
	}
	return f.message
}

func (f *fault) Unwrap() error { return f.cause }

// appendTo appends the ErrorResponse.
func (f *fault) appendTo(dst []byte, plain func(string) string) []byte {
	m := pgproto3.ErrorResponse{
		Severity:            f.severity,
		SeverityUnlocalized: f.severity,
		Code:                f.code,
		Message:             plain(f.message),
		Detail:              plain(f.detail),
		Hint:                plain(f.hint),
	}
	return encode(dst, &m)
}

// encode appends m. Only a message larger than the protocol allows cannot be
// encoded, and rowcap makes none.
func encode(dst []byte, m pgproto3.BackendMessage) []byte {
	b, err := m.Encode(dst)
	if err != nil {
		return dst
	}
	return b
}

func violation(message string) *fault {
	return &fault{severity: severityFatal, code: codeProtocol, message: message,
		hint: "connect with a client of the PostgreSQL protocol, version 3"}
}

func upstreamViolation(message string) *fault {
	return &fault{severity: severityFatal, code: codeProtocol, message: message,
		detail: "the rows so far are not a complete result", hint: "check that the upstream is a PostgreSQL server"}
}

func unreachable(at proxy.Upstreams, err error) *fault {
	f := &fault{severity: severityFatal, code: codeConnection, cause: err,
		message: fmt.Sprintf("cannot reach the upstream at %s: %s", at, proxy.Reason(err)),
		hint:    "check that the server runs there and that the route names its address"}
	if len(at) > 1 {
		f.message = "cannot reach any of the upstreams: " + err.Error()
		f.hint = "check that the server runs at one of the addresses and that the route names it"
	}
	return f
}

// notComplete is the detail of the end of a session amid an answer.
const notComplete = "the rows so far are not a complete result, and whether the statement took effect is not known"

func connectionLost(err error, answering bool) *fault {
	f := &fault{severity: severityFatal, code: codeConnection, cause: err,
		message: "the connection to the upstream was lost", hint: "connect again"}
	if !errors.Is(err, io.EOF) {
		f.message += ": " + plainCause(err)
	}
	if answering {
		f.detail = notComplete
	}
	return f
}

func plainCause(err error) string {
	if op := (*net.OpError)(nil); errors.As(err, &op) {
		return op.Err.Error()
	}
	return err.Error()
}

func shuttingDown() *fault {
	return &fault{severity: severityFatal, code: codeShutdown, message: "rowcap is shutting down",
		hint: "connect again later"}
}

func refused(err *rewrite.RefusedError) *fault {
	return &fault{severity: severityError, code: codeRefused, message: err.Message, hint: err.Hint}
}

func overflow(err *rewrite.ExceededError) *fault {
	return &fault{severity: severityError, code: codeOverflow, message: err.Message, detail: err.Detail, hint: err.Hint}
}

// cutShort is shuttingDown for a session whose answer is under way.
func cutShort() *fault {
	f := shuttingDown()
	f.detail = notComplete
	return f
}

// gone says that the client's side of the session cannot be read or written.
type gone struct{ err error }

func (g gone) Error() string {
	return "the client went away before its answer was complete: " + g.err.Error()
}
func (g gone) Unwrap() error { return g.err }

// field returns a field of the body of an ErrorResponse or NoticeResponse, nil
// if it is not there.
func field(body []byte, name byte) []byte {
	for len(body) > 1 && body[0] != 0 {
		value, rest, ok := cutString(body[1:])
		if !ok {
			return nil
		}
		if body[0] == name {
			return value
		}
		body = rest
	}
	return nil
}

// isLast reports an ErrorResponse after which the server ends the session.
func isLast(m message) bool {
	severity := string(field(m.body, fieldSeverity))
	return severity == severityFatal || severity == severityPanic
}

// plainText returns text for a client whose encoding is not UTF-8.
func plainText(text string) string {
	text = strings.ReplaceAll(text, "…", "...")
	return strings.Map(func(r rune) rune {
		if r > 0x7e {
			return '?'
		}
		return r
	}, text)
}
