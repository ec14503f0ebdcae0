package mysqlwire

import (
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

// statement is a prepared statement.
type statement struct {
	id     uint32
	params int
	script rewrite.Script
	ask    rewrite.Ask
	shows  diagnostics
	// mentions reports that the text may be about the statement before.
	mentions bool
	effect   effect
	// edited reports that the server prepared the edited text.
	edited bool

	// types are the parameters' types as the client last gave them, nil if they
	// are not known.
	types []packet.ParamType
	// typed reports that the server knows types of the parameters.
	typed bool
	// long are the parameters, from 0, whose values were sent ahead.
	long map[int]bool
	// cursor counts the rows of the open cursor, nil if there is none.
	cursor *cursor
}

// statements are the prepared statements of a session by their id.
type statements struct {
	byID map[uint32]*statement
	// last is the one prepared last, nil if that failed.
	last *statement
}

func newStatements() statements { return statements{byID: make(map[uint32]*statement)} }

// get returns a statement, nil if there is none.
func (s *statements) get(id uint32) *statement {
	if id == packet.LastPrepared {
		return s.last
	}
	return s.byID[id]
}

// prepare plans COM_STMT_PREPARE and sends it.
func (s *session) prepare(h packet.Header) error {
	if h.Length == packet.MaxPayload {
		s.prepared.last = nil
		return s.pass(h, func() error { return s.relayPrepare(&statement{effect: effect{unknown: true}}) })
	}
	b, err := s.client.in.payload(h, maxControl)
	if err != nil {
		return err
	}
	st := &statement{}
	text := string(b[1:])
	st.shows, st.mentions = diagnosticsOf(text), mentionsDiagnostics(text)
	if !st.shows.kind.reads() {
		s.notes.clear()
	}
	if st.script, err = s.plan(text, st.shows); err != nil {
		return err
	}
	st.ask = s.settings.ask()
	s.prepared.last = nil
	if fail := st.script.Refused(); fail != nil {
		return s.reply(h, refused(fail).Append(nil))
	}
	st.effect = effectOf(st.script)
	// The server takes one statement only, and complains of the text as it was
	// where there are more.
	if len(st.script.Plans) == 1 && len(st.script.Edits()) > 0 {
		st.edited = true
		b = append([]byte{byte(packet.ComStmtPrepare)}, st.script.SQL()...)
	}
	return s.send(h, b, func() error { return s.relayPrepare(st) })
}

// relayPrepare relays the answer to COM_STMT_PREPARE and keeps the statement.
func (s *session) relayPrepare(st *statement) error {
	h, first, err := s.up.in.head()
	if err != nil {
		return err
	}
	b, err := s.up.in.payload(h, maxControl)
	if err != nil {
		return err
	}
	if first == packet.ErrHeader {
		s.notes.reworded = rewording{}
		if st.edited {
			b = s.originalError(b, st.script.SQL(), st.script.Text, st.script.Edits())
		}
		return s.client.out.packet(b)
	}
	ok, err := packet.DecodePrepareOK(b, s.caps)
	if err != nil {
		return err
	}
	if err := s.client.out.taken(&s.up.in, b); err != nil {
		return err
	}
	for _, n := range []uint16{ok.Params, ok.Columns} {
		packets := int(n)
		if !ok.Metadata {
			packets = 0 // the EOF packets come all the same
		}
		if n > 0 && !s.caps.Has(packet.DeprecateEOF) {
			packets++
		}
		for range packets {
			if h, _, err = s.up.in.head(); err != nil {
				return err
			}
			if _, err := s.client.out.forward(&s.up.in, h); err != nil {
				return err
			}
		}
	}
	st.id, st.params = ok.StatementID, int(ok.Params)
	s.prepared.byID[st.id] = st
	s.prepared.last = st
	return nil
}

// closeStatement passes COM_STMT_CLOSE on, which has no answer.
func (s *session) closeStatement(h packet.Header) error {
	b, err := s.client.in.payload(h, maxControl)
	if err != nil {
		return err
	}
	id, err := packet.StatementID(b)
	if err != nil {
		return s.unheard(err)
	}
	if st := s.prepared.get(id); st != nil {
		delete(s.prepared.byID, st.id)
		if s.prepared.last == st {
			s.prepared.last = nil
		}
	}
	return s.sendSilent(b)
}

// sendSilent sends a command without an answer.
func (s *session) sendSilent(payload []byte) error {
	s.up.out.seq = 0
	if err := s.up.out.taken(&s.client.in, payload); err != nil {
		return err
	}
	if err := s.up.out.flush(); err != nil {
		return err
	}
	return s.idle()
}

// resetStatement passes COM_STMT_RESET on: values sent ahead and the cursor go.
func (s *session) resetStatement(h packet.Header) error {
	b, err := s.client.in.payload(h, maxControl)
	if err != nil {
		return err
	}
	id, err := packet.StatementID(b)
	if err != nil {
		return s.unreadable(err)
	}
	if st := s.prepared.get(id); st != nil {
		st.long, st.cursor = nil, nil
	}
	return s.send(h, b, s.relayOne)
}

// longData passes COM_STMT_SEND_LONG_DATA on, however long; it has no answer.
func (s *session) longData(h packet.Header) error {
	b, err := s.client.in.start(h, packet.LongDataSize)
	if err != nil {
		return err
	}
	l, short := packet.DecodeLongData(b)
	if short != nil {
		if _, err := s.client.in.payload(h, maxControl); err != nil {
			return err
		}
		return s.unheard(short)
	}
	if st := s.prepared.get(l.StatementID); st != nil {
		if st.long == nil {
			st.long = make(map[int]bool)
		}
		st.long[int(l.Param)] = true
	}
	s.up.out.seq = 0
	if _, err := s.up.out.forward(&s.client.in, h); err != nil {
		return err
	}
	if err := s.up.out.flush(); err != nil {
		return err
	}
	return s.idle()
}

// bind is the number, from 1, of the parameter that is the statement's limit, 0 if
// there is none.
func (st *statement) bind() int {
	if len(st.script.Plans) != 1 {
		return 0
	}
	return st.script.Plans[0].Bind
}
