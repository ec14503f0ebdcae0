package dbtest

import (
	"testing"
	"time"
)

// runningPatience is how long a statement may take to begin or to end.
const runningPatience = 20 * time.Second

// Begun waits until the server runs a statement that has text in it.
func (s *Server) Begun(t testing.TB, text string) { t.Helper(); s.await(t, text, true) }

// Gone waits until the server runs no statement any more that has text in it.
func (s *Server) Gone(t testing.TB, text string) { t.Helper(); s.await(t, text, false) }

func (s *Server) await(t testing.TB, text string, running bool) {
	t.Helper()
	sql := "SELECT count(*) FROM information_schema.processlist WHERE id <> connection_id() AND info LIKE '%" + text + "%'"
	if s.Flavor == FlavorPostgres {
		sql = "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND state = 'active' AND query LIKE '%" + text + "%'"
	}
	for deadline := time.Now().Add(runningPatience); (s.SQL(t, "", sql) != "0") != running; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s runs %s: %v", s, text, !running)
		}
	}
}
