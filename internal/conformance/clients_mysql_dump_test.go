package conformance

import (
	"fmt"
	"strings"
	"testing"
)

// runMySQLDump dumps a database of more tables than the cap, and compares with what the
// program writes direct: a dump is whole, or it fails.
func runMySQLDump(path string, flags ...string) func(t *testing.T, mode string, s session) []observation {
	return func(t *testing.T, mode string, s session) (seen []observation) {
		c := openGoMySQL(t, "text", s)
		for i := range clientMax + 2 {
			c.exec(fmt.Sprintf("CREATE TABLE crates_%d (n INT PRIMARY KEY, parcel INT, FOREIGN KEY (parcel) REFERENCES parcels (n), note VARCHAR(9) DEFAULT 'none')", i))
			c.exec(fmt.Sprintf("CREATE VIEW opened_%d AS SELECT * FROM crates_%d", i, i))
			c.exec(fmt.Sprintf("CREATE TRIGGER filled_%d BEFORE INSERT ON crates_%d FOR EACH ROW SET NEW.note = 'full'", i, i))
		}
		c.exec("INSERT INTO shelves VALUES (1), (2), (3)")
		direct, passing := s, s
		direct.at = s.server
		passing.at = serveWire(t, "mysql", s.server.host+":"+s.server.port, append(limits(clientCap, clientMax), "--copy-out", "pass")...).at
		dump := func(s session, what ...string) (out, errs string, status int) {
			args := append([]string{"--no-defaults", "--protocol=tcp", "--user=" + s.user, "--skip-comments", "--routines"}, flags...)
			return program(t, s, "", path, append(append(args, s.database), what...)...)
		}
		for _, check := range []struct {
			name string
			at   session
			what []string
		}{{"dump_schema", s, []string{"--no-data"}}, {"dump_small", s, []string{"shelves"}}, {"dump_passed", passing, nil}} {
			want, errs, status := dump(direct, check.what...)
			if status != 0 || want == "" {
				t.Fatalf("%s %v direct: status %d: %s", path, check.what, status, errs)
			}
			got, errs, status := dump(check.at, check.what...)
			if status != 0 {
				t.Logf("%s: %s", check.name, errs)
			}
			seen = append(seen, saw(check.name, "status", status, "same", got == want))
		}
		whole, _, _ := dump(direct)
		if !strings.Contains(whole, "parcel 12") || !strings.Contains(whole, "opened_9") || !strings.Contains(whole, "filled_9") || !strings.Contains(whole, "lists") {
			t.Fatalf("the dump is not whole direct: %s", whole)
		}
		got, errs, status := dump(s)
		return append(seen, saw("dump_refused", "failed", status != 0, "told", strings.Contains(errs, "more rows than it may"), "row", strings.Contains(got, "parcel 12")))
	}
}
