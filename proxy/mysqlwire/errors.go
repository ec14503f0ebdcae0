package mysqlwire

import (
	"errors"
	"fmt"
	"net"
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
	// CodeOverflow is the code of the error for an answer with more rows than its
	// cap, under the overflow policy "error".
	CodeOverflow = 61004
)

// codeShutdown is the servers' own (share/errmsg.txt, ER_SERVER_SHUTDOWN).
const codeShutdown = 1053

const (
	stateGeneral       = "HY000"
	stateCommunication = "08S01"
	// stateOverflow is rowcap's own, and PostgreSQL clients' too.
	stateOverflow = "RC002"
)

// farewellTime is how long a client gets to take the last packet.
const farewellTime = 2 * time.Second

// refuseGreeting sends e as the first packet of a connection. It goes without its
// SQLSTATE, as the client's capabilities are not known yet.
func refuseGreeting(client net.Conn, e *packet.Err) {
	e.State = ""
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

// shutdown is the error for a client with no answer under way.
func shutdown() *packet.Err {
	return &packet.Err{Code: codeShutdown, State: stateCommunication,
		Message: "Server shutdown in progress: rowcap is shutting down; connect again"}
}

// shutdownAmid is the error for a client whose answer is cut.
func shutdownAmid() *packet.Err {
	return &packet.Err{Code: codeShutdown, State: stateCommunication, Message: "Server shutdown in progress: rowcap is shutting down; " +
		"the rows so far are not a complete result, and whether the statement took effect is not known; connect again"}
}

// sayFailure puts what ended a session amid an answer into an ERR packet.
func (s *session) sayFailure(err error) *packet.Err {
	var bad *packet.MalformedError
	var lost *lostError
	var login *loginError
	var denied *deniedError
	switch {
	case errors.As(err, &denied):
		return denied.packet()
	case errors.As(err, &login):
		return upstreamFailure(login)
	case errors.As(err, &bad):
		return &packet.Err{Code: codeMalformed, State: stateGeneral, Message: "Malformed communication packet: " + err.Error() + "; the connection is closed"}
	case errors.As(err, &lost):
		return &packet.Err{Code: CodeUpstream, State: stateCommunication, Message: fmt.Sprintf(
			"lost the upstream at %s: %s; rows before this are not all, connect again and repeat the statement if it may run twice", s.at, err)}
	}
	return upstreamFailure(err)
}
