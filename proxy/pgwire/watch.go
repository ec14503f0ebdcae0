package pgwire

import "time"

// Look wakes the goroutines of the session that wait for what has come already. A
// session that is being answered at this moment is left for the next time.
func (s *session) Look() {
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
		if p.socket != nil && p.waits.Swap(false) && p.socket.Pending() {
			p.poked = true
			p.socket.SetReadDeadline(time.Unix(1, 0))
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

// calm takes away the deadline that Look may have set. mu is held.
func (s *session) calm(p *pipe) {
	if p.poked && !s.ended && !s.parting {
		p.socket.SetReadDeadline(time.Time{})
	}
	p.poked = false
}
