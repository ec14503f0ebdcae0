package pgwire_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

// crowded is a database of which pg_dump reads more than 5 rows of every kind.
func crowded() string {
	var b strings.Builder
	names := func(format string) string {
		var all []string
		for i := range 12 {
			all = append(all, fmt.Sprintf(format, i))
		}
		return strings.Join(all, ", ")
	}
	b.WriteString("CREATE TYPE color AS ENUM (" + names("'color %d'") + ");\n")
	b.WriteString("CREATE TYPE pack AS (" + names("part%d int") + ");\n")
	b.WriteString("CREATE TABLE wide (" + names("c%d text COLLATE \"C\" DEFAULT 'x'") + ");\n")
	b.WriteString("CREATE TABLE parent (n int PRIMARY KEY, c color) PARTITION BY RANGE (n);\n")
	for i := range 12 {
		fmt.Fprintf(&b, "CREATE TABLE parcels%[1]d (n serial PRIMARY KEY, label text NOT NULL CHECK (label <> '%[1]d'), w int REFERENCES parcels%[2]d);\n", i, max(i-1, 0))
		fmt.Fprintf(&b, "INSERT INTO parcels%d SELECT g, 'parcel ' || g FROM generate_series(1, 12) AS g;\n", i)
		fmt.Fprintf(&b, "CREATE INDEX ON parcels%d (label);\nCREATE VIEW seen%[1]d AS SELECT * FROM parcels%[1]d LIMIT 3;\n", i)
		fmt.Fprintf(&b, "CREATE FUNCTION add%[1]d(a int, b int DEFAULT %[1]d) RETURNS int LANGUAGE sql AS 'SELECT a + b';\n", i)
		fmt.Fprintf(&b, "CREATE DOMAIN small%[1]d AS int CHECK (VALUE < 10) CHECK (VALUE <> %[1]d);\n", i)
		fmt.Fprintf(&b, "CREATE AGGREGATE total%[1]d(int) (SFUNC = int4pl, STYPE = int);\nCREATE TYPE span%[1]d AS RANGE (SUBTYPE = int);\n", i)
		fmt.Fprintf(&b, "CREATE TABLE child%[1]d PARTITION OF parent FOR VALUES FROM (%[1]d) TO (%[2]d);\nINSERT INTO parent VALUES (%[1]d, 'color %[1]d');\n", i, i+1)
		fmt.Fprintf(&b, "CREATE SCHEMA area%[1]d;\nCOMMENT ON TABLE parcels%[1]d IS 'table %[1]d';\nGRANT SELECT (n), UPDATE (label) ON parcels%[1]d TO PUBLIC;\nSELECT lo_create(%[2]d);\n", i, 7000+i)
	}
	return b.String()
}

func pgDump(t *testing.T, dsn string, args ...string) (dump, stderr string, err error) {
	t.Helper()
	path, lost := exec.LookPath("pg_dump")
	if lost != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(lost)
		}
		t.Skipf("SKIPPED, NOT PASSED: pg_dump: %v", lost)
	}
	cmd := exec.CommandContext(ctx(t), path, append([]string{"-d", dsn}, args...)...)
	cmd.Env = append(os.Environ(), "PGGSSENCMODE=disable", "LC_ALL=C.UTF-8")
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	// Since 17.6 and its like each dump is between \restrict and a random word.
	var kept []string
	for line := range strings.Lines(out.String()) {
		if !strings.HasPrefix(line, `\restrict `) && !strings.HasPrefix(line, `\unrestrict `) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, ""), errs.String(), err
}

// TestDump holds that a dump through the door is the dump, or none: by default its
// COPY is refused, and its queries of catalogues, prepared ones too, lose nothing.
func TestDump(t *testing.T) {
	server := dbtest.Postgres(t)
	database := server.Database(t)
	server.SQL(t, database, crowded())
	pass := capped(5, 8)
	pass.CopyOut = rewrite.CopyPass
	strict := pass
	strict.Overflow = rewrite.OverflowError
	guarded := pass
	guarded.PushDown = false
	for name, c := range map[string]struct {
		policy rewrite.Policy
		args   []string
	}{
		"copy passed":       {pass, nil},
		"schema only":       {capped(5, 8), []string{"--schema-only"}},
		"rows by cursor":    {capped(5, 8), []string{"--inserts"}},
		"overflow error":    {strict, nil},
		"push-down off":     {guarded, nil},
		"custom, one table": {pass, []string{"--table=parcels3", "--data-only", "--column-inserts", "--rows-per-insert=4"}},
	} {
		t.Run(name, func(t *testing.T) {
			want, stderr, err := pgDump(t, server.DSN(database), c.args...)
			if err != nil {
				t.Fatalf("straight: %v\n%s", err, stderr)
			}
			got, stderr, err := pgDump(t, open(t, server.Addr(), c.policy).through(server, database), c.args...)
			if err != nil {
				t.Fatalf("through the door: %v\n%s", err, stderr)
			}
			if got != want {
				t.Errorf("%d bytes, want %d:\n%s", len(got), len(want), firstDifference(got, want))
			}
			if len(want) < 1000 {
				t.Errorf("the dump has %d bytes only", len(want))
			}
		})
	}
	_, stderr, err := pgDump(t, open(t, server.Addr(), capped(5, 8)).through(server, database))
	if err == nil || !strings.Contains(stderr, "COPY … TO STDOUT is refused") {
		t.Errorf("with COPY refused: %v, %s", err, stderr)
	}
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d: %q, want %q", i+1, x[i], y[i])
		}
	}
	return "one ends earlier"
}
