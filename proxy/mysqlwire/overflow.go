package mysqlwire

import (
	"strings"

	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

// Under the overflow policy "error" an answer with rows beyond the cap ends with an ERR
// packet, behind which nothing of the command may come. MySQL undoes nothing for it:
// the statement has run, and the transaction is as it was. So nothing behind such a
// statement may run before its answer is known, and nothing that may have written is
// answered so.

// errs reports that an answer to plan, which belongs to a text, may end with an error.
func errs(plan rewrite.Plan, text string) bool {
	if !plan.Strict {
		return false
	}
	switch plan.Statement.Kind {
	case rewrite.KindSelect, rewrite.KindShow, rewrite.KindExplain:
		return true
	case rewrite.KindUnknown:
		if plan.Statement.Text != "" {
			text = plan.Statement.Text
		}
		w := words{text: text}
		return readers[strings.ToUpper(w.next().text)]
	}
	return false // CALL, EXECUTE and the rest may have written
}

// readers are the first words of statements that do not write, whatever follows, as
// long as it is one statement.
var readers = map[string]bool{"SELECT": true, "WITH": true, "VALUES": true, "TABLE": true, "(": true, "SHOW": true, "HANDLER": true}

// exceeded returns the packet that ends the answer with outcome o in the place of end,
// nil if it ends as it is. It keeps the error for SHOW ERRORS.
func (a *answer) exceeded(o rewrite.Outcome, end rowsEnd) []byte {
	if end.status.Has(packet.StatusMoreResults) || !errs(o.Plan, a.script.Text) {
		return nil
	}
	e := a.rewriter.Overflow(o)
	if e == nil {
		return nil
	}
	text := e.Message + "; " + e.Detail + "; " + e.Hint
	a.notes.list = append(a.notes.list, note{level: levelError, code: CodeOverflow, text: text, result: a.number})
	return (&packet.Err{Code: CodeOverflow, State: stateOverflow, Message: text}).Append(nil)
}

// inParts reports that the statements of a text are to be sent one by one.
func (s *session) inParts(script rewrite.Script) bool {
	if len(script.Plans) < 2 || !s.multi {
		return false
	}
	for _, p := range script.Plans {
		if errs(p, script.Text) {
			return true
		}
	}
	return false
}

// unfit returns why a text cannot be sent, as its statements would have to be sent one by
// one and are not known.
func (s *session) unfit(script rewrite.Script) *rewrite.RefusedError {
	p := s.rewriter.Policy()
	if !s.multi || p.Overflow != rewrite.OverflowError || p.Observe {
		return nil
	}
	why := ""
	if script.Err != nil && several(script.Text) {
		why = script.Err.Error()
	}
	for i := range script.Plans {
		if st := &script.Plans[i].Statement; st.Kind == rewrite.KindUnknown && several(st.Text) {
			why = st.Obstacle
		}
	}
	if why == "" {
		return nil
	}
	return &rewrite.RefusedError{
		Message: "the text is refused: it may have several statements, and an overflow of one could not keep the others from running, as it cannot be read: " + why,
		Hint:    "send its statements one by one",
	}
}

// several reports that a text may have more than one statement, however it is read.
func several(text string) bool {
	_, rest, found := strings.Cut(text, ";")
	return found && strings.Trim(rest, "; \t\r\n\v\f") != ""
}

// sendInParts sends the statements of a query one by one, each after the answer to the
// one before, up to the first error. To the client it is one answer.
func (s *session) sendInParts(h packet.Header, q packet.Query, a *answer) error {
	seq := h.Seq + 1
	for i := range a.script.Plans {
		last := i == len(a.script.Plans)-1
		a.part(i, last)
		q.Text = []byte(a.partText)
		s.mu.Lock()
		s.amid = !last
		s.mu.Unlock()
		s.expect(seq, a.results)
		s.up.out.seq = 0
		if err := s.up.out.packet(q.Append(nil)); err != nil {
			return err
		}
		if err := s.up.out.flush(); err != nil {
			return err
		}
		if last {
			return nil
		}
		if err := s.awaitAnswer(); err != nil {
			return err
		}
		if a.ended {
			return s.idle()
		}
		seq = s.client.out.seq
	}
	return nil
}

// awaitAnswer waits for the end of an answer amid a command. A file that the server
// asks for meanwhile is passed on.
func (s *session) awaitAnswer() error {
	for {
		s.mu.Lock()
		for s.turn == turnAnswer {
			s.client.in.LeaveLoop()
			s.cond.Wait()
		}
		now := s.turn
		if now == turnCommand {
			s.clientTakes(now)
		}
		s.mu.Unlock()
		switch now {
		case turnCommand:
			return nil
		case turnInfile:
			h, err := s.client.in.header()
			if err == nil {
				err = s.passInfile(h)
			}
			if err != nil {
				return err
			}
		default:
			return errOver
		}
	}
}

// part has the answer go on with statement i of its text, sent by itself.
func (a *answer) part(i int, last bool) {
	p := &a.script.Plans[i]
	a.at, a.lost, a.more = i, false, !last
	pos := p.Statement.Pos
	a.partEdits = nil
	for _, e := range p.Edits {
		a.partEdits = append(a.partEdits, rewrite.Edit{Start: e.Start - pos, End: e.End - pos, Text: e.Text})
	}
	a.partText = rewrite.ApplyEdits(p.Statement.Text, a.partEdits)
}

// flags adds to a status that more results follow, where the statement was sent by
// itself and others come behind it.
func (a *answer) flags(status packet.Status) packet.Status {
	if a.more {
		status |= packet.StatusMoreResults
	}
	return status
}
