package mysqlwire

import (
	"bytes"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// observeOK takes in what an OK packet says of the session.
func (s *session) observeOK(b []byte) error {
	ok, err := packet.DecodeOK(b, s.caps)
	if err != nil {
		return err
	}
	s.settings.observe(ok.Status)
	s.track(ok.SessionState)
	return nil
}

// relayOne relays an answer of one packet: OK, EOF, ERR or a line of text.
func (s *session) relayOne() error {
	h, first, err := s.up.in.head()
	if err != nil {
		return err
	}
	b, err := s.up.in.payload(h, maxControl)
	if err != nil {
		return err
	}
	if first == packet.OKHeader && h.Length >= minOK {
		if err := s.observeOK(b); err != nil {
			return err
		}
	}
	return s.client.out.taken(&s.up.in, b)
}

// relayReset relays the answer to a command that puts the session back to its
// beginning where it succeeds.
func (s *session) relayReset() error {
	_, first, err := s.up.in.head()
	if err != nil {
		return err
	}
	if first == packet.OKHeader {
		s.reset()
	}
	return s.relayOne()
}

// reset forgets all that a session has gathered.
func (s *session) reset() {
	s.prepared = newStatements()
	s.notes.clear()
	s.settings.forget()
}

// relayFields relays the answer to COM_FIELD_LIST: column definitions, then EOF.
func (s *session) relayFields() error {
	for {
		h, first, err := s.up.in.head()
		if err != nil {
			return err
		}
		if _, err := s.client.out.forward(&s.up.in, h); err != nil {
			return err
		}
		if first == packet.EOFHeader || first == packet.ErrHeader {
			return nil
		}
	}
}

// resetConnection passes COM_RESET_CONNECTION on.
func (s *session) resetConnection(h packet.Header) error { return s.pass(h, s.relayReset) }

// initDB passes COM_INIT_DB on and follows the database.
func (s *session) initDB(h packet.Header) error {
	b, err := s.client.in.payload(h, maxControl)
	if err != nil {
		return err
	}
	name := string(b[1:])
	return s.send(h, b, func() error {
		_, first, err := s.up.in.head()
		if err != nil {
			return err
		}
		if first == packet.OKHeader {
			s.settings.setDatabase(name)
		}
		return s.relayOne()
	})
}

// fieldList passes COM_FIELD_LIST on. Without a zero byte behind the table's name MariaDB
// takes the pattern of the columns from behind the packet's end (dispatch_command).
func (s *session) fieldList(h packet.Header) error {
	b, err := s.client.in.payload(h, maxControl)
	if err != nil {
		return err
	}
	if bytes.IndexByte(b, 0) < 0 && s.rewriter.Dialect().Name() == mariaDB {
		return s.unreadable(&packet.MalformedError{Packet: "COM_FIELD_LIST", Why: "no zero byte ends the name of the table"})
	}
	return s.send(h, b, s.relayFields)
}

// optionMultiOn is the option of COM_SET_OPTION that allows several statements in
// a text (MYSQL_OPTION_MULTI_STATEMENTS_ON).
const optionMultiOn = 0

// setOption passes COM_SET_OPTION on and follows whether a text may have several
// statements.
func (s *session) setOption(h packet.Header) error {
	b, err := s.client.in.payload(h, maxControl)
	if err != nil {
		return err
	}
	if len(b) < 3 {
		return s.unreadable(&packet.MalformedError{Packet: "COM_SET_OPTION", Why: "it ends too early"})
	}
	on := b[1] == optionMultiOn && b[2] == 0
	return s.send(h, b, func() error {
		_, first, err := s.up.in.head()
		if err != nil {
			return err
		}
		if first != packet.ErrHeader {
			s.multi = on
		}
		return s.relayOne()
	})
}
