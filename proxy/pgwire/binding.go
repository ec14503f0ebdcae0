package pgwire

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// The mechanism that binds a login to the TLS connection that it comes by
// (https://www.postgresql.org/docs/current/sasl-authentication.html). The client
// signs which certificate it was shown, or that it could have bound the login but
// was not offered to (y in the GS2 header), and the server checks both, so rowcap
// cannot change either.
const bindingMechanism = "SCRAM-SHA-256-PLUS"

// authSASL is the code of AuthenticationSASL, which lists mechanisms.
const authSASL = 10

// binding is what is known of the binding of a login to TLS.
type binding struct {
	// offered says that the server offers it for its connection with rowcap.
	offered bool
	// due says that the client's next message chooses a mechanism.
	due bool
}

// offers handles AuthenticationSASL. To a client without TLS the mechanism that
// needs it is not passed on: such clients take it for an attack. Others get the
// list as it is: whoever can bind a login fails in any case, unless it was shown
// the server's own certificate, and some that cannot are led to log in without by
// the very offer. mu is held.
func (s *session) offers(m message) {
	frame, offered := withoutBinding(m.body)
	s.start.binding = binding{offered: offered, due: true}
	if offered && !s.start.link.secureClient {
		s.down.cut()
		s.down.put(frame)
	}
}

// withoutBinding returns AuthenticationSASL without the mechanism that binds a
// login to TLS, and whether it is in body.
func withoutBinding(body []byte) (frame []byte, offered bool) {
	mechanisms := bytes.Split(bytes.TrimSuffix(body[4:], []byte{0, 0}), []byte{0})
	at := slices.IndexFunc(mechanisms, func(b []byte) bool { return string(b) == bindingMechanism })
	if at < 0 {
		return nil, false
	}
	mechanisms = slices.Delete(mechanisms, at, at+1)
	return appendFrame(nil, 'R', func(b []byte) []byte {
		b = binary.BigEndian.AppendUint32(b, authSASL)
		for _, name := range mechanisms {
			b = appendString(b, string(name))
		}
		return append(b, 0)
	}), true
}

// chooses handles the client's SASLInitialResponse: what cannot succeed is told in
// words, where the server would speak of an attack. mu is held.
func (s *session) chooses(m message) error {
	if !s.start.binding.due {
		return nil
	}
	s.start.binding.due = false
	name, rest, ok := cutString(m.body)
	if !ok || !s.start.binding.offered || s.start.link.bound {
		return nil
	}
	if string(name) != bindingMechanism && (len(rest) < 5 || rest[4] != 'y') {
		return nil
	}
	const without = "without TLS to the server (--upstream-tls=disable, on the same machine or by a unix socket)"
	hint := "connect with channel_binding=disable; or have rowcap started with the server's own certificate and key, or " + without
	detail := "the connections from the client to rowcap and from rowcap to the server have TLS of their own, with different certificates"
	if !s.start.link.secureClient {
		detail = "the connection from rowcap to the server has TLS, and the one from the client to rowcap has not"
		hint = "connect with TLS and with channel binding turned off; or have rowcap started " + without
	}
	return &fault{severity: severityFatal, code: codeAuthorization, detail: detail,
		message: "this login cannot pass through rowcap: the client ties it to its connection with rowcap (SCRAM channel binding), and the server checks it against its own",
		hint:    hint}
}
