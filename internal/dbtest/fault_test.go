//go:build linux

package dbtest

import (
	"errors"
	"net"
	"testing"
	"time"
)

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		flavor string
		start  func(testing.TB, ...string) *Server
	}{{FlavorPostgres, StartPostgres}, {FlavorMariaDB, StartMariaDB}, {FlavorMySQL, StartMySQL}} {
		t.Run(c.flavor, func(t *testing.T) {
			s := c.start(t)
			t.Run("freeze and thaw", func(t *testing.T) { freezeAndThaw(t, s) })
			t.Run("kill and restart", func(t *testing.T) { killAndRestart(t, s) })
		})
	}
}

func freezeAndThaw(t *testing.T, s *Server) {
	s.Freeze(t)
	answered := make(chan string, 1)
	go func() {
		out, err := byTCP(t, s, s.User, s.Password, "SELECT 1", false)
		if err != nil {
			out += err.Error()
		}
		answered <- out
	}()
	select {
	case out := <-answered:
		t.Errorf("a frozen server answered %q", out)
	case <-time.After(300 * time.Millisecond):
	}
	s.Thaw(t)
	if out := <-answered; out != "1" {
		t.Errorf("after the thaw: %q", out)
	}
}

func killAndRestart(t *testing.T, s *Server) {
	db := s.Database(t)
	s.SQL(t, db, "CREATE TABLE kept (a int)")
	pids, port := s.instance.pids(), s.Port
	s.Kill(t)
	for _, pid := range pids {
		waitGone(t, pid)
	}
	// The port is free, and a server that finds it taken says so.
	l, err := net.Listen("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.instance.launch(); !errors.Is(err, errPortTaken) {
		t.Errorf("got %v, want that the port is taken", err)
	}
	l.Close()
	s.Restart(t)
	if s.Port != port {
		t.Errorf("port %d became %d", port, s.Port)
	}
	s.SQL(t, db, "SELECT a FROM kept")
}

func TestRemoveFrozen(t *testing.T) {
	s, err := start(&postgresRecipe, nil)
	if err != nil {
		giveUp(t, &postgresRecipe, err)
	}
	pids := s.instance.pids()
	s.Freeze(t)
	s.instance.remove()
	for _, pid := range pids {
		waitGone(t, pid)
	}
}

func TestAddedArguments(t *testing.T) {
	s := StartPostgres(t, "-c", "work_mem=123kB")
	if got := s.SQL(t, "", "SHOW work_mem"); got != "123kB" {
		t.Errorf("work_mem is %s", got)
	}
}

func TestServerThatDoesNotStart(t *testing.T) {
	s, err := start(&postgresRecipe, []string{"-c", "no_such_setting=1"})
	if isMissing(err) {
		giveUp(t, &postgresRecipe, err)
	}
	if err == nil {
		s.instance.remove()
		t.Fatal("a server with a wrong setting started")
	}
	wantIn(t, err.Error(), "ended before it answered", "no_such_setting")
}
