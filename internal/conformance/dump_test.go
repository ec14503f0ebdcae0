package conformance

import (
	"fmt"
	"strings"
	"testing"
)

// runPgDump dumps a database of more tables than the cap, and compares with what
// pg_dump writes direct: a dump is whole, or it fails.
func runPgDump(t *testing.T, _ string, s session) (seen []observation) {
	c := openPgx(t, "exec", s)
	for i := range clientMax + 2 {
		c.exec(fmt.Sprintf("CREATE TABLE crates_%d (n int PRIMARY KEY, parcel int REFERENCES parcels, note text DEFAULT 'none')", i))
		c.exec(fmt.Sprintf("CREATE VIEW opened_%d AS SELECT * FROM crates_%d", i, i))
	}
	direct := s
	direct.at = s.server
	for check, flags := range map[string][]string{"dump_schema": {"--schema-only"}, "dump_inserts": {"--inserts"}} {
		want, errs, status := program(t, direct, "", "pg_dump", flags...)
		if status != 0 || !strings.Contains(want, "CREATE VIEW public.opened_9") {
			t.Fatalf("pg_dump %v direct: status %d: %s", flags, status, errs)
		}
		got, _, status := program(t, s, "", "pg_dump", flags...)
		seen = append(seen, saw(check, "status", status, "same", dumped(got) == dumped(want)))
	}
	_, errs, status := program(t, s, "", "pg_dump")
	return append(seen, saw("dump_copy", "status", status, "told", strings.Contains(errs, "COPY … TO STDOUT is refused")))
}

// dumped returns a dump without the random word that some versions put around it.
func dumped(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "\\restrict ") && !strings.HasPrefix(line, "\\unrestrict ") {
			b.WriteString(line)
		}
	}
	return b.String()
}
