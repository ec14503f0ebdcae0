package mysqlwire

import (
	"fmt"

	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// The servers' own codes for what a client should not have sent (share/errmsg.txt).
const (
	codeUnknownCommand = 1047 // ER_UNKNOWN_COM_ERROR
	codeOutOfOrder     = 1156 // ER_NET_PACKETS_OUT_OF_ORDER
	codeMalformed      = 1835 // ER_MALFORMED_PACKET
)

// unknown answers a command that is not carried, or a packet without any, whose first
// packet has header h. Bytes that are no command to any server get the servers' words.
func (s *session) unknown(h packet.Header, c packet.Command) error {
	last, err := s.client.in.skip(h)
	if err != nil {
		return err
	}
	e := packet.Err{Code: codeUnknownCommand, State: stateCommunication, Message: "Unknown command"}
	switch c {
	case packet.ComClone, packet.ComSubscribeGroup:
		e.Message += fmt.Sprintf(": %v is not carried by rowcap; connect to the server itself for it", c)
	}
	return s.reply(last, e.Append(nil))
}

// unreadable answers a command that was taken and is too short, or not as it should be.
// As with the servers, the session goes on behind it.
func (s *session) unreadable(err error) error {
	e := packet.Err{Code: codeMalformed, State: stateGeneral, Message: "Malformed communication packet: " + err.Error()}
	return s.reply(packet.Header{Seq: s.client.in.lastSeq}, e.Append(nil))
}

// unheard is unreadable for a command without an answer. Only MySQL answers to one that
// it cannot read.
func (s *session) unheard(err error) error {
	if s.rewriter.Dialect().Name() == mariaDB {
		return s.idle()
	}
	return s.unreadable(err)
}

// outOfOrder ends a session whose client has sent a packet with another number than the
// one that is due. The error has the number seq, as with the servers.
func (s *session) outOfOrder(seq byte) error {
	s.lastSeq = seq - 1
	return &deniedError{code: codeOutOfOrder, state: stateCommunication, text: "Got packets out of order"}
}
