package mysqlwire

import (
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// learnText asks the server for what the session must know of its settings. It is
// plain ASCII without a quote, so it reads alike under all of them, and its own
// LIMIT keeps it from sql_select_limit.
const learnText = "SELECT @@sql_mode, @@character_set_client, @@sql_select_limit, DATABASE() LIMIT 1"

// learn asks the upstream for the settings and waits for the answer. It runs only
// before a statement that is about to be sent, at the place of which the server
// would drop its diagnostics anyway, and neither starts nor ends a transaction.
// Where the server does not answer in the way expected, the settings stay
// unknown.
func (s *session) learn() error {
	s.mu.Lock()
	s.amid = true
	s.mu.Unlock()
	s.expect(s.lastSeq+1, s.relayLearned)
	b := packet.Query{Attributes: packet.NoAttributes(s.caps), Text: []byte(learnText)}.Append(nil)
	s.up.out.seq = 0
	if err := s.up.out.packet(b); err != nil {
		return err
	}
	if err := s.up.out.flush(); err != nil {
		return err
	}
	return s.awaitAnswer()
}

// relayLearned takes the answer to learnText; the client gets nothing of it.
func (s *session) relayLearned() error {
	values, status, err := s.takeRow()
	if err != nil {
		return err
	}
	s.settings.take(values, status)
	return nil
}

// take takes the values that learnText asks for.
func (s *settings) take(values [][]byte, status packet.Status) {
	s.ok = false
	if len(values) != 4 || !plain(values[0]) || !plain(values[1]) || len(values[1]) == 0 || !plain(values[2]) {
		return
	}
	s.ok = true
	s.flags = status & modeFlags
	s.set("sql_mode", string(values[0]))
	s.set("character_set_client", string(values[1]))
	s.set("database", string(values[3]))
	s.set("sql_select_limit", string(values[2]))
}

// plain reports that b is made of what names, numbers and lists of them are made
// of. In a result character set that is no superset of ASCII nothing is.
func plain(b []byte) bool {
	for _, c := range b {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == ',', c == ' ':
		default:
			return false
		}
	}
	return true
}

// takeRow takes a text result of at most one row off the upstream. An ERR packet
// gives no values.
func (s *session) takeRow() (values [][]byte, status packet.Status, err error) {
	in := &s.up.in
	take := func() (b []byte, h packet.Header) {
		if err == nil {
			if h, _, err = in.head(); err == nil {
				b, err = in.payload(h, maxControl)
			}
		}
		return b, h
	}
	b, _ := take()
	if err != nil || b[0] == packet.ErrHeader {
		return nil, 0, err
	}
	count, err := packet.DecodeColumnCount(b, s.caps)
	if err != nil {
		return nil, 0, err
	}
	if count.Metadata {
		for n := uint64(0); n < count.Columns && err == nil; n++ {
			take()
		}
	}
	deprecate := s.caps.Has(packet.DeprecateEOF)
	if !deprecate {
		take()
	}
	for err == nil {
		b, h := take()
		switch {
		case err != nil:
		case b[0] == packet.ErrHeader:
			return nil, 0, nil
		case !packet.EndsRows(h.Length, b[0], deprecate):
			row, bad := packet.DecodeTextRow(b)
			if err = bad; err == nil {
				for _, v := range row {
					values = append(values, append([]byte(nil), v...))
				}
			}
		case deprecate:
			ok, bad := packet.DecodeOK(b, s.caps)
			return values, ok.Status, bad
		default:
			eof, bad := packet.DecodeEOF(b)
			return values, eof.Status, bad
		}
	}
	return nil, 0, err
}
