package pgwire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"
)

// The codes of Authentication messages that ask the client for nothing. After
// AuthenticationGSSContinue it may be either side's turn
// (https://www.postgresql.org/docs/current/protocol-message-formats.html).
const (
	authOK          = 0
	authGSSContinue = 8
	authSASLFinal   = 12 // the highest there is
)

// startLimit bounds a message during the start-up, in bytes, as clients do
// (MAX_ERRLEN in src/interfaces/libpq/fe-connect.c). What claims to be larger is
// of another protocol.
const startLimit = 30_000

// start is how far the start-up of a session has come.
type start struct {
	// heard says that the server has sent a message.
	heard bool
	// asked is how often the server asked the client for something that the
	// client has not sent yet.
	asked int
	// challenged says that the server has asked it for anything at all.
	challenged bool
	// tried says that the client has sent something to authenticate with.
	tried bool
	// let says that the server has let the client in.
	let bool
	// link is what the session goes by, binding what ties its login to TLS, and
	// key what a CancelRequest for it brings, "" if that was not remembered.
	link    link
	binding binding
	key     string
}

// clientsTurn says whether the server waits for the client to authenticate. mu
// is held.
func (s *session) clientsTurn() bool { return !s.started && s.start.asked > 0 }

// patience is how long the server may be silent, 0 if it waits for the client.
// A verdict may take as long as a person needs to confirm it elsewhere. mu is
// held.
func (s *session) patience() time.Duration {
	switch {
	case s.clientsTurn():
		return 0
	case s.start.tried && !s.start.let:
		return s.door.StartupTimeout
	}
	return s.door.ConnectTimeout
}

// await has the read of the server's next message fail if it does not come in
// time. mu is held.
func (s *session) await() {
	if s.parting {
		return
	}
	var until time.Time
	if d := s.patience(); d > 0 {
		until = time.Now().Add(d)
	}
	s.server.SetReadDeadline(until)
}

// authenticates is called for a message that the client authenticates with,
// before it is forwarded. mu is held.
func (s *session) authenticates(m message) error {
	if err := s.chooses(m); err != nil {
		return err
	}
	s.start.asked--
	s.start.tried = true
	s.await()
	return nil
}

// begins is called at the end of the start-up. mu is held.
func (s *session) begins() {
	s.started, s.down.check = true, nil
	if !s.parting {
		s.server.SetReadDeadline(time.Time{})
	}
}

// checkStart looks at a header of the server's during the start-up.
func checkStart(kind byte, size int) error {
	switch kind {
	case 'R', 'E', 'N', 'v', 'S', 'K', 'Z', 'A':
	default:
		return fmt.Errorf("a message of type %s is not of the start-up", kindName(kind))
	}
	if size > startLimit {
		return fmt.Errorf("message %s has the impossible length of %d bytes", kindName(kind), size)
	}
	return nil
}

// starts handles a message of the start-up: only those of the protocol are
// forwarded. mu is held.
func (s *session) starts(m message) error {
	ok := true
	switch m.kind {
	case 'R':
		if len(m.body) < 4 {
			return s.foreign("an Authentication message is too short")
		}
		switch code := binary.BigEndian.Uint32(m.body); {
		case code > authSASLFinal:
			return s.foreign(fmt.Sprintf("there is no authentication %d", code))
		case code == authOK && s.start.link.borrows && !s.start.challenged:
			return borrowed()
		case code == authOK:
			s.start.let, s.start.asked = true, 0
		case code != authGSSContinue && code != authSASLFinal:
			s.start.asked++
			s.start.challenged = true
			if code == authSASL {
				s.offers(m)
			}
		}
	case 'E', 'N':
		ok = len(m.body) > 0 && m.body[len(m.body)-1] == 0 && (field(m.body, fieldCode) != nil || field(m.body, 'M') != nil)
	case 'v':
		ok = len(m.body) >= 8
	case 'K':
		if ok = s.start.let; ok {
			s.keyed(m)
		}
	default:
		ok = s.start.let
	}
	if !ok {
		return s.foreign(fmt.Sprintf("message %s came out of place or malformed", kindName(m.kind)))
	}
	s.start.heard = true
	s.await()
	return nil
}

// unframed is the end of a start-up in which the server sent what is no message of
// it, as err says. A server that cannot start a process for the connection says so
// in a text of protocol version 2.
func (s *session) unframed(err error) *fault {
	sent := s.down.buf[s.down.r:s.down.w]
	if text, _, whole := cutString(sent); whole && !s.start.heard && len(text) > headerSize && text[0] == 'E' {
		return &fault{severity: severityFatal, code: codeConnection,
			message: fmt.Sprintf("the upstream at %s refused the connection: %s", s.start.link.at, strings.TrimSpace(string(text[1:]))),
			hint:    "the upstream's log may say more"}
	}
	return s.foreign(err.Error())
}

// foreign is the end of a start-up with a server of another protocol.
func (s *session) foreign(why string) *fault {
	return &fault{severity: severityFatal, code: codeProtocol,
		message: fmt.Sprintf("the upstream at %s does not speak the PostgreSQL protocol: %s", s.start.link.at, why),
		hint:    "check that a PostgreSQL server listens there and that the route names its address"}
}

// stopped is the end of a start-up during which the server cannot be read any
// more. mu is held.
func (s *session) stopped(err error) *fault {
	f := &fault{severity: severityFatal, code: codeConnection, cause: err, hint: "its log may say more"}
	if !s.start.heard {
		f.hint = "check that a PostgreSQL server listens there and that the route names its address"
	}
	at := s.start.link.at
	if op := (*net.OpError)(nil); errors.As(err, &op) && op.Op == "remote error" {
		f.hint = "the server ended TLS: it may ask for a certificate of rowcap's, which --upstream-tls-cert gives; a client's own cannot be passed on"
	}
	switch silent := errors.Is(err, os.ErrDeadlineExceeded) && !s.parting; {
	case silent && !s.start.heard && s.down.w == s.down.r:
		f.hint = ""
		f.message = fmt.Sprintf("the upstream at %s accepted the connection but did not answer within %s; check that it is a PostgreSQL server and alive", at, s.patience())
	case silent && s.start.tried && !s.start.let:
		f.message = fmt.Sprintf("the authentication by the upstream at %s made no progress within %s; check that it and what it asks are alive", at, s.patience())
	case silent:
		f.message = fmt.Sprintf("the upstream at %s stopped answering in the middle of the start-up, for %s; check that it is alive", at, s.patience())
	case errors.Is(err, io.EOF):
		f.message = fmt.Sprintf("the upstream at %s closed the connection during the start-up", at)
	default:
		f.message = fmt.Sprintf("the connection to the upstream at %s was lost during the start-up: %s", at, plainCause(err))
	}
	return f
}
