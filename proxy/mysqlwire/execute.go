package mysqlwire

import (
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

// maxBound is the longest COM_STMT_EXECUTE taken of a statement whose limit is a
// parameter: all of it must be at hand to read the limit's value.
const maxBound = 64 << 20

const (
	// executeStart is the number of bytes to read of any COM_STMT_EXECUTE.
	executeStart = 6
	// executeHead is how many precede the parameters, and bulkHead those of
	// COM_STMT_BULK_EXECUTE, which has bulkTypes among its flags where types come with it.
	executeHead, bulkHead, bulkTypes = 10, 7, 128
)

// execute sends COM_STMT_EXECUTE, with the limit's value held down where the limit
// is a parameter.
func (s *session) execute(h packet.Header) error {
	start, err := s.client.in.start(h, executeStart)
	if err != nil {
		return err
	}
	var st *statement
	id, flags, short := packet.DecodeExecuteStart(start)
	if short == nil {
		st = s.prepared.get(id)
	} // else the server complains
	if st != nil && st.params > 0 && !st.typed && s.rewriter.Dialect().Name() == mariaDB {
		if start, err = s.client.in.start(h, executeHead+(st.params+7)/8+1); err != nil {
			return err
		}
		if untyped := st.firstTypes(start, h.Length); untyped != nil {
			return s.unsaid(h, untyped)
		}
	}
	a, err := s.executing(st)
	if err != nil {
		return err
	}
	a.cursor = flags&packet.CursorKinds != 0
	if st == nil || st.bind() == 0 {
		return s.pass(h, a.results)
	}
	b, err := s.client.in.payload(h, maxBound)
	if err != nil {
		return err
	}
	plan, b := s.bindLimit(st, a.script.Plans[0], b)
	a.script.Plans = []rewrite.Plan{plan}
	h.Seq = s.client.in.lastSeq
	return s.send(h, b, a.results)
}

// firstTypes takes in the start of the first COM_STMT_EXECUTE of st with types, of length
// bytes. It returns an error if there are none: MariaDB would read values whose types
// nobody gave, and end with a signal (measured on 10.11.14; setup_conversion_functions).
func (st *statement) firstTypes(start []byte, length int) error {
	at := executeHead + (st.params+7)/8
	if len(start) <= at {
		return nil // the server complains
	}
	if start[at] == 0 {
		return &packet.MalformedError{Packet: "COM_STMT_EXECUTE", Why: "the types of its parameters were never given"}
	}
	st.typed = length >= at+1+2*st.params
	return nil
}

// unsaid is unreadable for a command that was not taken yet.
func (s *session) unsaid(h packet.Header, why error) error {
	last, err := s.client.in.skip(h)
	if err != nil {
		return err
	}
	s.client.in.lastSeq = last.Seq
	return s.unreadable(why)
}

// executing returns what relays the answer to an execution of st, which is nil if
// it is not known.
func (s *session) executing(st *statement) (*answer, error) {
	if st == nil {
		s.notes.clear()
		a := s.newAnswer(s.guarded("the prepared statement is not known"))
		a.stmt = &statement{}
		a.effect = effect{unknown: true}
		return a, nil
	}
	st.cursor = nil
	if !s.settings.known() && !st.shows.kind.reads() && !st.mentions {
		if err := s.learn(); err != nil {
			return nil, err
		}
	}
	a := s.newAnswer(s.replan(st))
	a.stmt, a.shows, a.effect = st, st.shows, st.effect
	s.notes.begin(st.shows)
	return a, nil
}

// replan is the script of a statement for an execution now. The client's own limit
// for its session may have changed since the statement was prepared, while the
// text that the server has stays what it was.
func (s *session) replan(st *statement) rewrite.Script {
	if len(st.script.Plans) == 0 {
		return s.guarded("the prepared statement was not read")
	}
	ask := s.settings.ask()
	if len(st.script.Plans) != 1 || st.shows.kind.reads() || sameAsk(ask, st.ask) || !s.settings.known() {
		return st.script
	}
	script := s.settings.rewriter().Script(st.script.Text, ask)
	if len(script.Plans) != 1 || script.Plans[0].Fail != nil {
		return st.script
	}
	p := &script.Plans[0]
	if !sameEdits(p.Edits, st.script.Plans[0].Edits) || p.Bind != st.script.Plans[0].Bind {
		p.Method, p.Bind = rewrite.MethodGuard, st.script.Plans[0].Bind
		p.Why = "the session's own limit has changed since the statement was prepared"
	}
	p.Edits = st.script.Plans[0].Edits
	return script
}

func sameAsk(a, b rewrite.Ask) bool {
	if a.Session == nil || b.Session == nil {
		return a.Session == b.Session
	}
	return *a.Session == *b.Session
}

func sameEdits(a, b []rewrite.Edit) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// bulkExecute passes MariaDB's COM_STMT_BULK_EXECUTE on. Rows that it may return
// are those of RETURNING, which are guarded.
func (s *session) bulkExecute(h packet.Header) error {
	start, err := s.client.in.start(h, bulkHead)
	if err != nil {
		return err
	}
	var st *statement
	if id, short := packet.StatementID(start); short == nil {
		st = s.prepared.get(id)
	} // else the server complains
	if st != nil && len(start) == bulkHead && !st.typed && s.rewriter.Dialect().Name() == mariaDB {
		if start[executeStart-1]&bulkTypes == 0 {
			return s.unsaid(h, &packet.MalformedError{Packet: "COM_STMT_BULK_EXECUTE", Why: "the types of its parameters were never given"})
		}
		st.typed = h.Length >= bulkHead+2*st.params
	}
	a, err := s.executing(st)
	if err != nil {
		return err
	}
	if st != nil {
		// The types that this brings are not read.
		st.types = nil
		if st.bind() != 0 {
			a.script = s.guarded("the statement is executed in bulk")
		}
	}
	return s.pass(h, a.results)
}
