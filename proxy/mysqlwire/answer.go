package mysqlwire

import (
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

// answer is the answer to one command, with as many results as its statements
// give. It is relayed in the upstream loop.
type answer struct {
	*session
	script rewrite.Script
	// at is the plan of the result at hand; lost reports that it is not known
	// any more which of several statements a result belongs to.
	at   int
	lost bool
	// edited reports that the server got another text than the client sent.
	edited bool
	// stmt is the prepared statement that was executed, nil if none was.
	stmt  *statement
	shows diagnostics
	// cursor reports that the execution asked for a cursor. Otherwise, and for CALL,
	// none is opened whatever the status says: MariaDB lets a cursor of a stored
	// procedure show in the status of the results that follow.
	cursor bool
	// keeps reports that the notes of the command before outlast this one, unless it has
	// warnings or an error of its own.
	keeps bool
	// effect is what the script does to the session's settings.
	effect effect
	// number is that of the result at hand, from 1. Every result counts, those
	// without rows and an error too, as clients count them.
	number int
	// told is the number of notices that this answer has brought about.
	told int

	// Where the statements of the text are sent one by one, partText is what was
	// sent of the one at hand, partEdits what made it of the client's, and more says
	// that others come behind it.
	partText  string
	partEdits []rewrite.Edit
	more      bool
	// ended reports that an error has ended the answer.
	ended bool
}

func (s *session) newAnswer(script rewrite.Script) *answer {
	return &answer{session: s, script: script}
}

// plan is the plan of the result at hand.
func (a *answer) plan() rewrite.Plan {
	if a.lost || a.at >= len(a.script.Plans) {
		return a.rewriter.Guard("the result belongs to no statement that was read")
	}
	return a.script.Plans[a.at]
}

// next goes on to the plan of the next result. ok reports that the last one ended
// with an OK packet and no rows, as CALL does after all its results.
func (a *answer) next(ok bool) {
	if len(a.script.Plans) <= 1 || a.lost || a.at >= len(a.script.Plans) {
		return
	}
	switch a.script.Plans[a.at].Statement.Kind {
	case rewrite.KindCall:
		if ok {
			a.at++
		}
	case rewrite.KindUnknown, rewrite.KindExecute:
		a.lost = true
	default:
		a.at++
	}
}

// results relays all results of the answer.
func (a *answer) results() error {
	for {
		more, err := a.result()
		if err != nil || !more {
			return err
		}
	}
}

// minOK is the length of the shortest OK packet.
const minOK = 7

// result relays one result and reports whether more follow.
func (a *answer) result() (more bool, err error) {
	h, first, err := a.up.in.head()
	if err != nil {
		return false, err
	}
	switch first {
	case packet.ErrHeader:
		return a.relayError(h)
	case packet.OKHeader:
		return a.relayOK(h)
	case infileHeader:
		if err := a.relayInfile(h); err != nil {
			return false, err
		}
		return true, nil // its OK or ERR is still to come
	}
	a.begin(false)
	end, err := a.resultSet(h)
	if err != nil || end.failed {
		a.failed()
		return false, err
	}
	return a.done(end.status, false), nil
}

// begin counts a result. closing reports the OK packet after all results of CALL:
// it is a result to the protocol, but alone makes no answer of several.
func (a *answer) begin(closing bool) {
	a.number++
	if a.number > 1 && !closing {
		a.notes.several = true
	}
}

// closes reports that an OK packet ends the results of a CALL that is all there is
// to the command.
func (a *answer) closes() bool {
	return len(a.script.Plans) == 1 && a.script.Plans[0].Statement.Kind == rewrite.KindCall
}

// done ends a result and reports whether more follow.
func (a *answer) done(status packet.Status, ok bool) bool {
	if status.Has(packet.StatusMoreResults) {
		a.next(ok)
		return true
	}
	if !a.more {
		a.settings.apply(a.effect)
	}
	a.settings.observe(status)
	return false
}

// relayOK relays the end of a statement without rows.
func (a *answer) relayOK(h packet.Header) (more bool, err error) {
	b, err := a.up.in.payload(h, maxControl)
	if err != nil {
		return false, err
	}
	ok, err := packet.DecodeOK(b, a.caps)
	if err != nil {
		return false, err
	}
	a.track(ok.SessionState)
	a.begin(a.closes())
	if !a.keeps || ok.Warnings > 0 {
		a.notes.server = ok.Warnings
	}
	if a.keeps && ok.Warnings > 0 {
		a.notes.list = nil
	}
	if a.told > 0 || a.more {
		if err := packet.PatchOK(b, a.flags(ok.Status), addWarnings(ok.Warnings, a.told)); err != nil {
			return false, err
		}
	}
	if err := a.client.out.taken(&a.up.in, b); err != nil {
		return false, err
	}
	// No rows are delivered, and so none are missing, even if the server stopped early.
	a.door.observer.Answered(a.door.Name(), rewrite.Outcome{Plan: a.plan()})
	return a.done(ok.Status, true), nil
}

// relayError relays an ERR packet, which ends the answer unless it is a report of
// progress.
func (a *answer) relayError(h packet.Header) (more bool, err error) {
	b, err := a.up.in.payload(h, maxControl)
	if err != nil {
		return false, err
	}
	if packet.IsProgress(b) {
		return true, a.client.out.packet(b)
	}
	a.notes.reworded = rewording{}
	switch {
	case a.partText != "":
		b = a.originalError(b, a.partText, a.script.Text[a.script.Plans[a.at].Statement.Pos:], a.partEdits)
	case a.edited:
		b = a.originalError(b, a.script.SQL(), a.script.Text, a.script.Edits())
	}
	if a.keeps {
		a.notes.clear()
	}
	a.begin(false)
	a.failed()
	a.notes.server = 1
	return false, a.client.out.packet(b)
}

// failed takes in that the answer ended in an error: what the statement has
// changed of the settings before is not known.
func (a *answer) failed() {
	a.ended = true
	if !a.effect.none() {
		a.settings.forget()
	}
}
