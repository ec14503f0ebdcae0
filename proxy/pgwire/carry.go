package pgwire

import "github.com/rowcap/rowcap/rewrite"

// carried reports a Query that is to be sent as messages of the extended protocol,
// statement by statement: one whose answer may have to end with an error, so that
// nothing behind it may run before that is known; or a single SELECT whose text was
// not changed, which an Execute's row count can bound; but not within a segment, which
// would end early. All statements are in one
// transaction, as in a Query, as they stand before one Sync.
func carried(script rewrite.Script, within bool) bool {
	for i := range script.Plans {
		if script.Plans[i].Strict {
			return true
		}
	}
	if len(script.Plans) != 1 || script.Err != nil || within || mayHaveParameters(script.Text) {
		return false
	}
	p := &script.Plans[0]
	return p.Method == rewrite.MethodGuard && p.Metered() && p.Statement.Kind == rewrite.KindSelect && bounded(p.Statement)
}

// unfit returns why a Query cannot be sent statement by statement.
func unfit(script rewrite.Script) *fault {
	if len(script.Plans) < 2 || unread(script) {
		return nil
	}
	why := ""
	for i := range script.Plans {
		st := &script.Plans[i].Statement
		switch {
		case st.Kind == rewrite.KindCopy && !st.ReturnsRows:
			why = "a COPY is among its statements"
		case unsettles(st) && i < len(script.Plans)-1 && !anyhow(script.Text):
			why = "one of its statements may change how the others are read"
		}
	}
	if why == "" {
		return nil
	}
	return indivisible(why)
}

func indivisible(why string) *fault {
	return &fault{severity: severityError, code: codeRefused,
		message: "the text is refused: an overflow could not be made an error for all of it, as " + why,
		hint:    "send its statements one by one"}
}

// unread reports a text that was not read as a whole. The server refuses it as a whole
// if it cannot read it either.
func unread(script rewrite.Script) bool {
	for i := range script.Plans {
		if script.Plans[i].Statement.Kind == rewrite.KindUnknown {
			return true
		}
	}
	return script.Err != nil
}

// mayHaveParameters reports a text in which $1 or its like may stand. The statements of
// a Query have no parameters, and a Parse would take them for its own.
func mayHaveParameters(text string) bool {
	for i := 1; i < len(text); i++ {
		if text[i-1] == '$' && '0' <= text[i] && text[i] <= '9' {
			return true
		}
	}
	return false
}

// replaces says whether e.fail is what the client gets in the place of an error. Of a
// text that was not read, the server's own errors have a position; the one that has
// none says that the text has several statements.
func (e *expected) replaces(m message) bool {
	if e.fail == nil || string(field(m.body, fieldCode)) != codeSyntax {
		return false
	}
	return !e.quiet || field(m.body, fieldPosition) == nil
}

// carry sends the statements of a Query one by one. The answers that a Query does not
// have are dropped.
func (s *session) carry(script rewrite.Script) error {
	s.up.cut()
	s.inParts(1)
	defer s.inParts(0)
	plans, whole := script.Plans, (*fault)(nil)
	if unread(script) {
		// A Parse of all of it fails as the Query would, before anything is run. One
		// statement is run then; several are not told apart.
		plans = unreadScript(s.rewriter.Load(), script.Text, "the text cannot be read", script.Plans).Plans
		whole = indivisible("its statements cannot be told apart")
	}
	failed := false
	for i := range plans {
		if failed {
			break
		}
		p := &plans[i]
		s.up.Lock(&s.mu)
		st := s.carriedStatement(script.Text, p)
		s.mu.Unlock()
		to := &portal{}
		to.bind(st)
		sent := to.ask(0)
		to.coming += rowsOf(sent)
		sql, _ := sentStatement(p)
		b := parseFrame(nil, sql, undeclared)
		if err := s.expect(expected{kind: expectParse, parsed: st, quiet: true, fail: whole}); err != nil {
			return err
		}
		if mayHaveParameters(sql) {
			if err := s.inspect(st, b); err != nil {
				return err
			}
			if b = nil; st.parameters > 0 {
				return s.uncarried(script.Text, p)
			}
		}
		for _, e := range []expected{
			{kind: expectBind, portal: to, quiet: true},
			{kind: expectDescribe, target: 'P', quiet: true},
			{kind: expectExecute, portal: to, sent: sent, held: p.Strict},
		} {
			if err := s.expect(e); err != nil {
				return err
			}
		}
		b = append(b, bindFrame...)
		b = append(b, describeFrame...)
		s.up.put(appendExecute(b, nil, sent))
		if p.Strict {
			var err error
			if failed, err = s.verdict(); err != nil {
				return err
			}
		}
	}
	if !failed {
		// A Query leaves no unnamed statement or portal behind.
		for _, target := range []byte{'P', 'S'} {
			if err := s.insert([]expected{{kind: expectClose, target: target, quiet: true}}, closeFrame(target, "")); err != nil {
				return err
			}
		}
	}
	if err := s.expect(expected{kind: expectSync}); err != nil {
		return err
	}
	s.up.put(syncFrame)
	return nil
}

// inspect sends a Parse and finds out how many parameters it has.
func (s *session) inspect(st *statement, parse []byte) error {
	if err := s.expect(expected{kind: expectDescribe, target: 'S', parsed: st, quiet: true}); err != nil {
		return err
	}
	s.up.put(append(parse, describeStatement("")...))
	_, err := s.drain()
	return err
}

// uncarried sends a statement with parameters as the Query that it was part of: the
// server refuses it.
func (s *session) uncarried(text string, p *rewrite.Plan) error {
	sql, _ := sentStatement(p)
	q := &query{script: rewrite.Script{Text: text, Plans: []rewrite.Plan{*p}}, edits: editsWithin(p)}
	if err := s.expect(expected{kind: expectQuery, query: q}); err != nil {
		return err
	}
	s.up.put(appendQuery(nil, sql))
	return nil
}

// inParts says whether more is to come of a Query.
func (s *session) inParts(more int) {
	s.up.Lock(&s.mu)
	s.queue.more = more
	s.mu.Unlock()
}

// The messages for the unnamed statement and portal.
var (
	bindFrame     = []byte{'B', 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0}
	describeFrame = []byte{'D', 0, 0, 0, 6, 'P', 0}
)

// closeFrame is the Close of a statement (target S) or a portal (P).
func closeFrame(target byte, name string) []byte {
	return appendFrame(nil, 'C', func(b []byte) []byte { return appendString(append(b, target), name) })
}

// carriedStatement is one statement of a text, whose positions count in the text. mu
// is held.
func (s *session) carriedStatement(text string, p *rewrite.Plan) *statement {
	st := &statement{plan: *p, edits: characterEdits(text, editsWithin(p), s.wide)}
	st.plan.Edits, st.plan.Statement.Text = nil, ""
	return st
}

// editsWithin returns the edits that make what is sent for one statement of the text
// that it is part of.
func editsWithin(p *rewrite.Plan) []rewrite.Edit {
	edits := editsOf(p)
	all := make([]rewrite.Edit, 0, len(edits)+1)
	return append(append(all, rewrite.Edit{Start: 0, End: p.Statement.Pos}), edits...)
}

// sentStatement returns the text to send for one statement, and the edits that make
// it of the statement's own.
func sentStatement(p *rewrite.Plan) (sql string, edits []rewrite.Edit) {
	pos := p.Statement.Pos
	for _, e := range editsOf(p) {
		edits = append(edits, rewrite.Edit{Start: e.Start - pos, End: e.End - pos, Text: e.Text})
	}
	return rewrite.ApplyEdits(p.Statement.Text, edits), edits
}
