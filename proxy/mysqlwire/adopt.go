package mysqlwire

import "github.com/rowcap/rowcap/proxy/socket"

// A session whose connections are both sockets, without TLS above them, is served by one
// of the program's loops once it is known that they are: the client's from its answer to the
// greeting on, the upstream's from the end of the login on. Its code is the same as in
// goroutines of its own; before anything that may wait, it leaves the loop.

// adoptClient has the loop take the client's socket. The turn is that of the client
// loop, and mu is held.
func (s *session) adoptClient() {
	if s.up.ready && !s.client.tls && s.up.in.socket != nil {
		s.loop = socket.PickLoop()
		s.adopt(&s.client.leg, &s.client.in, &s.client.out)
	}
}

// adoptUpstream has the loop take the upstream's socket if it has the client's. It
// reports whether it does. The turn is that of the upstream loop.
func (s *session) adoptUpstream() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client.in.looped != nil && !s.cut.under && s.turn != turnOver && s.adopt(&s.up.leg, &s.up.in, &s.up.out)
}

// adopt has the loop take the socket of a leg, to which nobody writes at the moment.
func (s *session) adopt(l *leg, in *reader, out *writer) bool {
	c, ok := s.loop.Adopt(l.conn).(*socket.Looped)
	if ok {
		l.conn = c
		in.adopted(out, c)
	}
	return ok
}
