package dbtest

import "testing"

// Kill ends the server as a crash would: every process of it at once. Only for
// servers that one test started for itself.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	if err := s.own(t).kill(); err != nil {
		t.Fatalf("kill %s: %v", s, err)
	}
}

// Freeze stops every process of the server: connections stay open and nothing
// answers. Thaw lets it go on.
func (s *Server) Freeze(t testing.TB) {
	t.Helper()
	if err := s.own(t).freeze(); err != nil {
		t.Fatalf("freeze %s: %v", s, err)
	}
}

// Thaw lets a frozen server go on.
func (s *Server) Thaw(t testing.TB) {
	t.Helper()
	if err := s.own(t).thaw(); err != nil {
		t.Fatalf("thaw %s: %v", s, err)
	}
}

// Restart starts a killed server again, on the same port and with the same data,
// and waits until it answers. A running one is killed first.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	in := s.own(t)
	if err := in.kill(); err != nil {
		t.Fatalf("restart %s: %v", s, err)
	}
	if err := in.launch(); err != nil {
		t.Fatalf("restart %s: %v", s, err)
	}
}

// own returns the process of a server that is t's alone.
func (s *Server) own(t testing.TB) *running {
	t.Helper()
	if s.shared {
		t.Fatalf("%s is shared by all tests: start one of your own to harm it", s)
	}
	if s.instance == nil {
		t.Fatalf("%s was given: start one of your own to harm it", s)
	}
	return s.instance
}
