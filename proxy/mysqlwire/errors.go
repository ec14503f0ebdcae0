package mysqlwire

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

// The codes that rowcap gives to what it says itself. Servers use none of them.
const (
	// CodeNotice is the code of the row in SHOW WARNINGS that says that rows
	// are missing.
	CodeNotice = 61001
	// CodeRefused is the code of the error for a statement that the policy
	// refuses.
	CodeRefused = 61002
	// CodeUpstream is the code of the error for an upstream that cannot be
	// reached or that went away.
	CodeUpstream = 61003
)

// The servers' own codes that rowcap uses (share/errmsg.txt).
const (
	codeUnknownCommand = 1047 // ER_UNKNOWN_COM_ERROR
	codeShutdown       = 1053 // ER_SERVER_SHUTDOWN
	codeSyntax         = 1064 // ER_PARSE_ERROR
	codeMalformed      = 1835 // ER_MALFORMED_PACKET
)

const (
	stateGeneral       = "HY000"
	stateCommunication = "08S01"
)

// farewellTime is how long a client gets to take the last packet.
const farewellTime = 5 * time.Second

// upstreamError says that the upstream cannot be reached.
type upstreamError struct {
	addr  string
	cause error
}

func (e *upstreamError) Error() string {
	return fmt.Sprintf("cannot reach the upstream at %s: %s; %s", e.addr, e.reason(), e.hint())
}

func (e *upstreamError) Unwrap() error { return e.cause }

// reason is the cause without the address, which stands before it already.
func (e *upstreamError) reason() string {
	var op *net.OpError
	if errors.As(e.cause, &op) && op.Err != nil {
		return op.Err.Error()
	}
	return e.cause.Error()
}

func (e *upstreamError) hint() string {
	var dns *net.DNSError
	var bad *packet.MalformedError
	switch {
	case errors.Is(e.cause, syscall.ECONNREFUSED), errors.Is(e.cause, syscall.ENOENT):
		return "check that the server runs and listens there"
	case errors.Is(e.cause, os.ErrDeadlineExceeded):
		return "check the address, and firewalls on the way to it"
	case errors.As(e.cause, &dns):
		return "check the name in the route"
	case errors.As(e.cause, &bad):
		return "check that a MySQL or MariaDB server listens there"
	}
	return "check the upstream's address in the route"
}

// unreachable is the ERR packet in place of a greeting. It has no SQLSTATE, as the
// client's capabilities are not known yet.
func unreachable(err error) *packet.Err {
	return &packet.Err{Code: CodeUpstream, Message: err.Error()}
}

// refuseGreeting sends e as the first packet of a connection.
func refuseGreeting(client net.Conn, e *packet.Err) {
	w := writer{who: "client", conn: client}
	client.SetWriteDeadline(time.Now().Add(farewellTime))
	if w.packet(e.Append(nil)) == nil {
		// A client that is gone needs no answer.
		_ = w.flush()
	}
}

func refused(r *rewrite.RefusedError) *packet.Err {
	return &packet.Err{Code: CodeRefused, State: stateGeneral, Message: r.Error()}
}

func unknownCommand(c packet.Command) *packet.Err {
	return &packet.Err{Code: codeUnknownCommand, State: stateCommunication, Message: fmt.Sprintf(
		"Unknown command: %v is not carried by rowcap; connect to the server itself for it", c)}
}

func shutdown() *packet.Err {
	return &packet.Err{Code: codeShutdown, State: stateCommunication, Message: "Server shutdown in progress: rowcap is stopping; connect again"}
}

// sayFailure puts what ended a session amid an answer into an ERR packet.
func (s *session) sayFailure(err error) *packet.Err {
	var bad *packet.MalformedError
	var lost *lostError
	switch {
	case errors.As(err, &bad):
		return &packet.Err{Code: codeMalformed, State: stateGeneral, Message: "Malformed communication packet: " + err.Error() + "; the connection is closed"}
	case errors.As(err, &lost):
		return &packet.Err{Code: CodeUpstream, State: stateCommunication, Message: fmt.Sprintf(
			"lost the upstream at %s: %s; rows before this are not all, connect again and repeat the statement if it may run twice", s.door.upstream, err)}
	}
	return &packet.Err{Code: CodeUpstream, State: stateCommunication, Message: err.Error()}
}
