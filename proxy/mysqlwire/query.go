package mysqlwire

import (
	"errors"

	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

// query plans COM_QUERY and sends it.
func (s *session) query(h packet.Header) error {
	if h.Length == packet.MaxPayload {
		return s.longText(h)
	}
	b, err := s.client.in.payload(h, maxControl)
	if err != nil {
		return err
	}
	q, err := packet.DecodeQuery(b, s.caps)
	if err != nil {
		return s.unreadable(err)
	}
	text := string(q.Text)
	shows := diagnosticsOf(text)
	script, err := s.plan(text, shows)
	if err != nil {
		return err
	}
	fail := script.Refused()
	if fail == nil {
		fail = s.unfit(script)
	}
	if fail != nil {
		s.notes.clear()
		return s.reply(h, refused(fail).Append(nil))
	}
	a := s.newAnswer(script)
	a.shows = shows
	a.effect = effectOf(script)
	if a.keeps = s.keepsNotes(a); !a.keeps {
		s.notes.begin(shows)
	}
	if s.inParts(script) {
		h.Seq = s.client.in.lastSeq
		return s.sendInParts(h, q, a)
	}
	if len(script.Edits()) > 0 && s.sendable(script) {
		q.Text = []byte(script.SQL())
		a.edited = true
		b = q.Append(nil)
	}
	return s.send(h, b, a.results)
}

// sendable reports that a script's edits may be made. Where the text has several
// statements and the session allows only one, the server is to complain of the
// text as it was.
func (s *session) sendable(script rewrite.Script) bool {
	return len(script.Plans) == 1 || s.multi
}

// plan reads a text of which shows is known, and tells the observer.
func (s *session) plan(text string, shows diagnostics) (rewrite.Script, error) {
	s.client.in.Plans(len(text))
	script, err := s.read(text, shows)
	script.Text = text
	script = s.lists(script)
	for i := range script.Plans {
		s.door.observer.Planned(s.door.Name(), script.Plans[i])
	}
	return script, err
}

// read reads a text of which shows is known. What the server keeps of the statement
// before must not be lost by asking for settings. So a statement that reads the
// diagnostics is read without them, as it reads alike under all, and a text that
// may be about the statement before is not read while they are unknown.
func (s *session) read(text string, shows diagnostics) (rewrite.Script, error) {
	if shows.kind.reads() {
		script := s.settings.base.Script(text, rewrite.Ask{})
		if len(script.Plans) != 1 || script.Plans[0].Fail != nil {
			script = s.guarded("the statement reads the diagnostics of the one before")
		}
		return script, nil
	}
	if !s.settings.known() && !mentionsDiagnostics(text) {
		if err := s.learn(); err != nil {
			return rewrite.Script{}, err
		}
	}
	if !s.settings.known() {
		return s.unread("the session's settings are not known"), nil
	}
	script := s.settings.rewriter().Script(text, s.settings.ask())
	if laterReading(script) {
		script = s.unread("a statement before another one changes how the latter is read")
	}
	return script, nil
}

// guarded is the script of a text that need not be read.
func (s *session) guarded(why string) rewrite.Script {
	return rewrite.Script{Plans: []rewrite.Plan{s.rewriter.Guard(why)}}
}

// unread is the script of a text that cannot be read, which the policy may refuse.
func (s *session) unread(why string) rewrite.Script {
	script := s.guarded(why)
	script.Err = errors.New(why)
	if p := s.rewriter.Policy(); p.Unparsed == rewrite.UnparsedRefuse && !p.Observe {
		script.Plans[0].Method = rewrite.MethodRefuse
		script.Plans[0].Fail = &rewrite.RefusedError{
			Message: "the statement is refused because it cannot be read: " + why,
			Hint:    "send it by itself, or have the policy changed with --unparsed=guard",
		}
	}
	return script
}

// longText passes on a COM_QUERY or COM_STMT_PREPARE of 16 MiB or more, which is
// not read.
func (s *session) longText(h packet.Header) error {
	script := s.unread("the text is longer than 16 MiB")
	if fail := script.Refused(); fail != nil {
		last, err := s.client.in.skip(h)
		if err != nil {
			return err
		}
		return s.reply(last, refused(fail).Append(nil))
	}
	s.door.observer.Planned(s.door.Name(), script.Plans[0])
	a := s.newAnswer(script)
	a.effect = effect{unknown: true}
	s.notes.begin(diagnostics{})
	return s.pass(h, a.results)
}
