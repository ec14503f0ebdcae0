package pgwire

import "github.com/rowcap/rowcap/rewrite"

// copyBegins handles CopyInResponse, CopyOutResponse and CopyBothResponse. mu is
// held.
func (s *session) copyBegins(m message) error {
	if err := s.begin(); err != nil {
		return err
	}
	if m.kind == 'H' {
		if s.answer.plan.Statement.Kind != rewrite.KindCopy && s.rewriter.Load().Policy().CopyOut == rewrite.CopyRefuse {
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
	if m.kind == 'E' {
		if severity := string(field(m.body, fieldSeverity)); severity == severityFatal || severity == severityPanic {
			s.fatal = true
			return nil
		}
	}
	s.down.cut()
	return nil
}
