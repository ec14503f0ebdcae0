package pgwire

import "github.com/rowcap/rowcap/rewrite"

// copyBegins handles CopyInResponse, CopyOutResponse and CopyBothResponse. mu is
// held.
func (s *session) copyBegins(m message) error {
	if err := s.begin(); err != nil {
		return err
	}
	if m.kind == 'H' {
		p := s.rewriter.Load().Policy()
		switch st := &s.answer.plan.Statement; {
		case st.Kind == rewrite.KindCopy:
			s.answer.copy = copyOut{counts: true, binary: len(m.body) > 0 && m.body[0] == 1, header: st.Header, first: true}
		case p.CopyOut != rewrite.CopyPass && !p.Observe:
			s.refuseCopy()
		}
		return nil
	}
	// While it reads the data, the server ignores Sync messages. Clients send
	// one after the Execute, before they know that it was a COPY.
	syncs, ended := s.queue.takeCopy()
	s.loose += syncs
	s.copying = !ended
	return nil
}

// copied is called when a statement has completed: the Syncs sent during its
// COPY were ignored.
func (s *session) copied() {
	s.loose = 0
	s.copying = false
}

// refuseCopy refuses a COPY … TO STDOUT that was not read as one before it ran.
// Its data is dropped, with all that follows up to ReadyForQuery. mu is held.
func (s *session) refuseCopy() {
	f := &fault{severity: severityError, code: codeRefused,
		message: "COPY … TO STDOUT is refused: a copy that was cut would pass for a whole one",
		detail:  "the text could not be read before it ran; its other statements may have taken effect",
		hint:    "run the query itself, or have the policy changed with --copy-out=pass"}
	s.down.cut()
	s.down.put(f.appendTo(nil, s.plain))
	s.muted = true
	if s.queue.front().kind == expectExecute {
		s.skipToSync()
	}
}

// mute drops a message of an answer that was refused after it began. mu is held.
func (s *session) mute(m message) error {
	if m.kind == 'G' || m.kind == 'W' {
		return upstreamViolation("the server waits for the data of a COPY in a text that was refused")
	}
	if m.kind == 'E' && isLast(m) {
		s.fatal = true
		return nil
	}
	s.down.cut()
	return nil
}

// copyOut is how far the data of a COPY … TO STDOUT has come.
type copyOut struct {
	// counts says that its rows are counted.
	counts, binary, header bool
	// first says that nothing has come yet.
	first bool
}

// The parts of the binary format that are no rows
// (https://www.postgresql.org/docs/current/sql-copy.html): the header, which comes in
// one message with the first row, and the trailer.
const (
	copyHeader  = 19
	copyTrailer = "\xff\xff"
)

// copyRow counts a row of a COPY … TO STDOUT and drops it if it is beyond the cap.
// The server sends one message for each row. mu is held.
func (s *session) copyRow(m message) {
	a := &s.answer
	if !a.copy.counts {
		return
	}
	first := a.copy.first
	a.copy.first = false
	switch {
	case a.copy.binary && string(m.body) == copyTrailer && m.whole(),
		a.copy.binary && first && m.size == copyHeader+len(copyTrailer) && m.whole() && string(m.body[copyHeader:]) == copyTrailer,
		!a.copy.binary && a.copy.header && first:
		return
	}
	a.seen++
	if a.meter.Row() != rewrite.Deliver {
		s.down.cut()
		return
	}
	a.rows++
}
