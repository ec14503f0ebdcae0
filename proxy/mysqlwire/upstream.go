package mysqlwire

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// upstreamError says that the upstream cannot be reached.
type upstreamError struct {
	addr string
	// within is how long it had to accept.
	within time.Duration
	cause  error
}

func (e *upstreamError) Error() string {
	return fmt.Sprintf("cannot reach the upstream at %s: %s; %s", e.addr, e.reason(), e.hint())
}

func (e *upstreamError) Unwrap() error { return e.cause }

// silent reports that nothing came of asking for a connection.
func (e *upstreamError) silent() bool {
	var timeout net.Error
	return errors.As(e.cause, &timeout) && timeout.Timeout()
}

// reason is the cause without the address, which stands before it already.
func (e *upstreamError) reason() string {
	if e.silent() {
		return fmt.Sprintf("it did not accept the connection within %v", e.within)
	}
	return proxy.Reason(e.cause)
}

func (e *upstreamError) hint() string {
	var dns *net.DNSError
	switch {
	case errors.Is(e.cause, syscall.ECONNREFUSED), errors.Is(e.cause, syscall.ENOENT):
		return "check that the server runs and listens there"
	case errors.As(e.cause, &dns):
		return "check the name in the route"
	case e.silent():
		return "check the address, firewalls on the way to it, and that the server is not stopped or overloaded"
	}
	return "check the upstream's address in the route"
}

// greetingError says that the upstream was reached and did not greet as MySQL and
// MariaDB servers do.
type greetingError struct {
	addr string
	// within is how long it had.
	within time.Duration
	cause  error
}

func (e *greetingError) Error() string {
	next := "check that it is a MySQL or MariaDB server"
	if errors.Is(e.cause, os.ErrDeadlineExceeded) {
		next += ", and that it is not stopped or overloaded"
	}
	return fmt.Sprintf("reached the upstream at %s, but %s; %s", e.addr, e.reason(), next)
}

func (e *greetingError) Unwrap() error { return e.cause }

func (e *greetingError) reason() string {
	var lost *lostError
	var bad *packet.MalformedError
	what := "no MySQL greeting"
	if errors.As(e.cause, &lost) && lost.partly {
		what = "only a part of a MySQL greeting"
	}
	switch {
	case errors.Is(e.cause, os.ErrDeadlineExceeded):
		return fmt.Sprintf("it sent %s within %v", what, e.within)
	case errors.Is(e.cause, io.EOF):
		return "it closed the connection and sent " + what
	case errors.As(e.cause, &bad):
		return "what it sent is no MySQL greeting: " + e.cause.Error()
	}
	return fmt.Sprintf("it sent %s: %v", what, e.cause)
}

// loginError says that the upstream greeted, and failed before the client was
// logged in.
type loginError struct {
	addr string
	// within is how long it had for its answer.
	within time.Duration
	cause  error
}

func (e *loginError) Error() string {
	next := "connect again, and check the server if this happens again"
	if errors.Is(e.cause, os.ErrDeadlineExceeded) {
		next = "check that it, and what it asks about logins, is not stopped or overloaded, and connect again"
	}
	return fmt.Sprintf("the upstream at %s %s; %s", e.addr, e.reason(), next)
}

func (e *loginError) Unwrap() error { return e.cause }

func (e *loginError) reason() string {
	var bad *packet.MalformedError
	switch {
	case errors.Is(e.cause, os.ErrDeadlineExceeded):
		return fmt.Sprintf("did not go on with the login within %v", e.within)
	case errors.Is(e.cause, io.EOF):
		return "closed the connection before the login was complete"
	case errors.As(e.cause, &bad):
		return "went on with the login in a way that is not MySQL's: " + e.cause.Error()
	}
	return "was lost before the login was complete: " + e.cause.Error()
}

// upstreamFailure puts err, which already says what to do, into an ERR packet.
func upstreamFailure(err error) *packet.Err {
	return &packet.Err{Code: CodeUpstream, State: stateCommunication, Message: err.Error()}
}
