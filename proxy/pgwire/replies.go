package pgwire

import (
	"fmt"

	"github.com/rowcap/rowcap/rewrite"
)

// replied returns why the server's answers are carried to the client no more.
func (s *session) replied() error {
	if s.down.unread != nil {
		return s.unanswered(s.down.unread)
	}
	return s.down.failed
}

// unanswered says what it means that the server cannot be read any more.
func (s *session) unanswered(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.fatal || s.left.Load():
		return nil // the server said why, or the client left
	case !s.started:
		return s.stopped(err)
	}
	return connectionLost(err, s.queue.len() > 0)
}

// batch handles the messages of one read and forwards them with one write.
func (s *session) batch() error {
	s.down.Lock(&s.mu)
	defer s.mu.Unlock()
	for !s.ended {
		m, ok, err := s.down.next()
		if err == nil && !ok {
			break
		}
		switch {
		case err != nil && !s.started:
			err = s.unframed(err)
		case err != nil:
			err = upstreamViolation("the upstream does not speak the PostgreSQL protocol: " + err.Error())
		default:
			if s.queue.refusals > 0 {
				s.down.put(s.refusals())
			}
			err = s.reply(m)
		}
		if err != nil {
			s.down.cut()
			s.down.flush()
			return err
		}
		if m.kind == 'D' {
			s.moreRows()
		}
	}
	if s.ended {
		return nil
	}
	if s.queue.refusals > 0 && s.down.left == 0 {
		s.down.put(s.refusals())
	}
	if err := s.down.flush(); err != nil {
		return gone{err}
	}
	s.down.eager = s.fatal || !s.started || s.left.Load() // the end of the stream may have come with it
	s.moved.Broadcast()
	if s.closing.Load() {
		s.down.LeaveLoop() // the client may have no room for rowcap's last word
	}
	s.endIfIdle()
	return nil
}

// reply handles one message of the server. mu is held.
func (s *session) reply(m message) error {
	if s.muted && m.kind != 'Z' && m.kind != 'N' && m.kind != 'A' && m.kind != 'S' {
		return s.mute(m)
	}
	if !s.started {
		if err := s.starts(m); err != nil {
			return err
		}
	}
	switch m.kind {
	case 'D':
		return s.row()
	case 'C':
		return s.complete(m)
	case 'Z':
		return s.ready(m)
	case 'E':
		return s.failed(m)
	case 'N':
		s.mapPosition(m)
	case 'S':
		s.setting(m)
	case '1', '2', '3', 'n', 'T', 't':
		return s.extended(m)
	case 's':
		return s.suspended()
	case 'I':
		return s.empty()
	case 'G', 'H', 'W':
		return s.copyBegins(m)
	case 'V':
		if e := s.queue.front(); e == nil || e.kind != expectFunction {
			return outOfStep("FunctionCallResponse", e)
		}
	case 'R', 'K', 'v':
		if e := s.queue.front(); e == nil || e.kind != expectStartup {
			return outOfStep("a message of the start-up", e)
		}
	case 'd':
		s.copyRow(m)
	case 'A', 'c':
	default:
		return upstreamViolation(fmt.Sprintf("the upstream sent a message of type %s, which the protocol does not have", kindName(m.kind)))
	}
	return nil
}

// ready handles ReadyForQuery. mu is held.
func (s *session) ready(m message) error {
	if len(m.body) != 1 {
		return upstreamViolation("the upstream sent a ReadyForQuery without a status")
	}
	s.status = m.body[0]
	s.muted, s.copying = false, false
	s.answer = answer{}
	if s.status == 'I' {
		s.tables.clearPortals()
	}
	if s.skip {
		s.skip = !s.queue.skipToSync()
	}
	e := s.queue.front()
	switch {
	case e != nil && e.kind == expectStartup:
		s.begins()
		s.queue.pop()
	case e != nil && e.kind == expectSync && e.quiet:
		s.down.cut()
		s.queue.pop()
	case e != nil && e.kind == expectQuery && e.query.begun:
		s.tables.dropUnnamed()
		s.queue.pop()
	case e != nil && (e.kind == expectSync || e.kind == expectFunction):
		s.queue.pop()
	case s.loose > 0:
		s.loose-- // for a Sync that may have been swallowed by a COPY that failed
		s.skip = false
	default:
		return outOfStep("ReadyForQuery", e)
	}
	return nil
}

// failed handles ErrorResponse. mu is held.
func (s *session) failed(m message) error {
	// During the start-up every error is the last word.
	if !s.started || isLast(m) {
		s.fatal = true
		return nil
	}
	s.answer = answer{}
	s.copying = false
	e := s.queue.front()
	if e == nil {
		return nil
	}
	switch {
	case e.hushed:
		s.down.cut()
	case e.replaces(m):
		s.down.cut()
		s.down.put(e.fail.appendTo(nil, s.plain))
	default:
		s.mapPosition(m)
	}
	if e.kind == expectParse && e.name == "" {
		s.tables.drop("")
	}
	switch e.kind {
	case expectQuery:
		e.query.begun = true
	case expectFunction, expectSync:
	default:
		s.skipToSync()
	}
	return nil
}

// skipToSync drops what the server drops after an error: everything up to the
// next Sync, also what the client has still to send. mu is held.
func (s *session) skipToSync() {
	s.skip = !s.queue.skipToSync()
}

// mapPosition puts the position in an error or a notice back to where it is in
// the caller's own text. mu is held.
func (s *session) mapPosition(m message) {
	e := s.queue.front()
	if e == nil {
		return
	}
	var edits []rewrite.Edit
	switch {
	case e.query != nil:
		edits = e.query.edits
		if len(edits) > 0 {
			edits = characterEdits(e.query.script.Text, edits, s.wide)
		}
	case e.parsed != nil:
		edits = e.parsed.edits
	case e.portal != nil:
		edits = e.portal.edits
	}
	if frame, ok := reposition(m, edits); ok {
		s.down.cut()
		s.down.put(frame)
	}
}

// setting follows a ParameterStatus. mu is held.
func (s *session) setting(m message) {
	name, rest, _ := cutString(m.body)
	value, _, ok := cutString(rest)
	if !ok {
		return
	}
	s.tables.reading.follow(string(name), string(value))
	if string(name) == "client_encoding" {
		s.wide = string(value) == "UTF8" || string(value) == "SQL_ASCII"
	}
	s.rewriter.Store(s.rewriter.Load().With(string(name), string(value)))
}

func outOfStep(what string, e *expected) error {
	waited := "nothing was asked"
	if e != nil {
		waited = "the answer to " + e.kind.String() + " was due"
	}
	return upstreamViolation(fmt.Sprintf("the upstream is out of step: %s came where %s", what, waited))
}
