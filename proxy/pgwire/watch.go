package pgwire

import (
	"sync"
	"time"
)

// lookEvery is how often the sessions are looked at that have moved since.
const lookEvery = 500 * time.Millisecond

// watch looks at sessions whose sockets are read until a read does not fill the
// buffer. The poller tells of changes only: where the end of the stream came
// together with the last data, a read that took the data has been all that it told
// of, and nobody would come back for the end. Looking takes one system call for a
// socket that was read since the last time, and nothing for the others.
type watch struct {
	mu       sync.Mutex
	sessions map[*session]struct{}
	timer    *time.Timer
}

var watched = watch{sessions: map[*session]struct{}{}}

func (w *watch) add(s *session) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sessions[s] = struct{}{}
	switch {
	case len(w.sessions) > 1:
	case w.timer == nil:
		w.timer = time.AfterFunc(lookEvery, w.look)
	default:
		w.timer.Reset(lookEvery)
	}
}

func (w *watch) remove(s *session) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.sessions, s)
	if len(w.sessions) == 0 {
		w.timer.Stop()
	}
}

func (w *watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for s := range w.sessions {
		s.look()
	}
	if len(w.sessions) > 0 {
		w.timer.Reset(lookEvery)
	}
}

// look wakes the goroutines of the session that wait for what has come already. A
// session that is being answered at this moment is left for the next time.
func (s *session) look() {
	if !s.up.waits.Load() && !s.down.waits.Load() || !s.mu.TryLock() {
		return
	}
	defer s.mu.Unlock()
	if s.ended || !s.started || s.parting {
		return
	}
	for _, p := range []*pipe{s.up, s.down} {
		if p == s.up && s.left.Load() {
			continue // it is not read by carryPlain any more
		}
		if p.socket != nil && p.waits.Swap(false) && p.socket.pending() {
			p.poked = true
			p.socket.conn.SetReadDeadline(time.Unix(1, 0))
		}
	}
}

// resumes says whether a read deadline has passed only to have p look, and takes
// it away.
func (s *session) resumes(p *pipe) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !p.poked || s.ended {
		return false
	}
	s.calm(p)
	return true
}

// calm takes away the deadline that look may have set. mu is held.
func (s *session) calm(p *pipe) {
	if p.poked && !s.ended && !s.parting {
		p.socket.conn.SetReadDeadline(time.Time{})
	}
	p.poked = false
}
