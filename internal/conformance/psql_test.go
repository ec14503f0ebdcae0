package conformance

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// program runs a client program and returns what it prints and its exit status.
func program(t *testing.T, s session, stdin, name string, args ...string) (out, errs string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = environment(s.variables()...)
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// psql runs a script and returns what it prints, line by line, and the number of
// notices.
func psql(t *testing.T, s session, script string) (lines []string, notices int) {
	t.Helper()
	out, errs, _ := program(t, s, script, "psql", "-X", "-q", "-A", "-t", "-f", "-")
	return strings.Split(strings.TrimSuffix(out, "\n"), "\n"), strings.Count(errs, "WARNING:")
}

func integers(lines []string) (numbers []int) {
	for _, line := range lines {
		n, err := strconv.Atoi(line)
		if err != nil {
			n = -1
		}
		numbers = append(numbers, n)
	}
	return numbers
}

func runPsql(t *testing.T, _ string, s session) (seen []observation) {
	say := func(check string, pairs ...any) { seen = append(seen, saw(check, pairs...)) }
	// cut takes a script's lines apart at those that are a dash.
	cut := func(lines []string) (parts [][]int) {
		for part := range strings.SplitSeq(strings.Join(lines, "\n"), "\n-\n") {
			parts = append(parts, integers(strings.Split(part, "\n")))
		}
		return parts
	}
	const dash = "\\echo -\n"
	lines, _ := psql(t, s, parcels+";\n"+dash+"\\echo :ROW_COUNT\n")
	parts := cut(lines)
	say("rows", "rows", parts[0], "count", parts[1][0])
	_, errs, _ := program(t, s, "\\set VERBOSITY verbose\n"+parcels+";\n", "psql", "-X", "-q", "-f", "-")
	fields := map[string]string{}
	for line := range strings.Lines(errs) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":  ")
		fields[key[strings.LastIndex(key, ":")+1:]] = value
	}
	code, message, _ := strings.Cut(fields[" WARNING"]+fields["WARNING"], ": ")
	say("notice", "severity", "WARNING", "code", code, "message", message, "detail", fields["DETAIL"], "hint", fields["HINT"])
	lines, _ = psql(t, s, "\\o /dev/null\n"+parcels+";\n\\o\nSHOW rowcap.last;\n")
	seen = append(seen, observation{"last", parseLast(lines[0])})
	lines, n := psql(t, s, parcels+";\n"+dash+"SELECT 7;\n")
	say("step", "rows", cut(lines)[1], "notices", n-1)

	lines, n = psql(t, s, "SELECT n FROM parcels WHERE n <= 5 ORDER BY n;\nSHOW rowcap.last;\n")
	say("whole", "rows", integers(lines[:len(lines)-1]), "notices", n, "completeness", parseLast(lines[len(lines)-1])["completeness"])
	lines, n = psql(t, s, parcels+" LIMIT 3;\n")
	say("own", "rows", integers(lines), "notices", n)
	lines, n = psql(t, s, parcels+" LIMIT 12;\n")
	say("clamped", "rows", integers(lines), "notices", n)

	script := "PREPARE above (int) AS SELECT n FROM parcels WHERE n > $1 ORDER BY n;\n" + strings.Repeat("EXECUTE above(2);\n"+dash+"EXECUTE above(9);\n"+dash, 8)
	lines, n = psql(t, s, script)
	full, whole := 0, 0
	for _, rows := range cut(append(lines, "")) {
		if equal(rows, 3, 4, 5, 6, 7) {
			full++
		}
		if equal(rows, 10, 11, 12) {
			whole++
		}
	}
	say("prepared", "cut", full, "whole", whole, "notices", n)

	lines, _ = psql(t, s, "BEGIN;\nDECLARE pages CURSOR FOR "+parcels+";\n"+strings.Repeat("FETCH 4 FROM pages;\n"+dash, 3)+
		"DECLARE rest CURSOR FOR "+parcels+";\nFETCH ALL FROM rest;\n"+dash+"FETCH NEXT FROM rest;\n")
	parts = cut(lines)
	say("cursor", "pages", parts[:3], "all", parts[3], "next", parts[4])

	lines, _ = psql(t, s, "\\o /dev/null\n"+parcels+";\n\\o\nSELECT 1/0;\n\\echo :SQLSTATE\nSELECT 7;\n")
	say("error", "code", lines[0], "rows", integers(lines[1:]))
	lines, _ = psql(t, s, "BEGIN;\n\\o /dev/null\n"+parcels+";\n\\o\nSELECT 1/0;\n\\echo :SQLSTATE\nSELECT 7;\n\\echo :SQLSTATE\nROLLBACK;\nSELECT 7;\n")
	say("transaction", "codes", lines[:2], "rows", integers(lines[2:]))

	lines, n = psql(t, s, "INSERT INTO shelves SELECT g FROM generate_series(1, 8) AS g RETURNING n;\n"+dash+"\\echo :ROW_COUNT\nSELECT count(*) FROM shelves;\n")
	parts = cut(lines)
	say("returning", "rows", parts[0], "count", parts[1][0], "stored", parts[1][1], "notices", n)

	lines, n = psql(t, s, "SHOW ALL;\n")
	say("guard", "rows", len(lines), "notices", n)
	lines, _ = psql(t, s, "COPY parcels TO STDOUT;\n\\echo :SQLSTATE\nSELECT 7;\n")
	say("copy_out", "code", lines[0], "rows", integers(lines[1:]))
	lines, _ = psql(t, s, "COPY shelves FROM STDIN;\n101\n102\n\\.\nSELECT count(*) FROM shelves WHERE n > 100;\n")
	say("copy_in", "stored", integers(lines)[0])
	// psql sends \; as a part of one text; 15 and later show all its results.
	lines, n = psql(t, s, parcels+" \\; SELECT 7;\n")
	if rows := integers(lines); len(rows) > 1 {
		say("script", "rows", [][]int{rows[:len(rows)-1], rows[len(rows)-1:]}, "notices", n)
	}
	return seen
}

// runPgbench runs ten transactions of two clients and one that fails.
func runPgbench(t *testing.T, mode string, s session) (seen []observation) {
	script := "SELECT n FROM parcels ORDER BY n \\aset\nINSERT INTO shelves VALUES (:n);\nSELECT n FROM parcels WHERE n > 9 ORDER BY n;\nSELECT n FROM parcels WHERE n > 2 ORDER BY n;\n"
	protocol := mode
	if mode == "pipeline" { // which takes no \aset
		protocol = "extended"
		script = "\\startpipeline\nSELECT n FROM parcels ORDER BY n;\nINSERT INTO shelves VALUES (5);\nSELECT n FROM parcels WHERE n > 9 ORDER BY n;\nSELECT n FROM parcels WHERE n > 2 ORDER BY n;\n\\endpipeline\n"
	}
	folder := t.TempDir()
	run := func(name, script string) (out, errs string, status int) {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(script), 0o644); err != nil {
			t.Fatal(err)
		}
		return program(t, s, "", "pgbench", "-n", "-M", protocol, "-c", "2", "-j", "1", "-t", "10", "-f", path)
	}
	out, errs, status := run("rows.sql", script)
	if status != 0 {
		t.Errorf("pgbench: status %d: %s", status, errs)
	}
	c := openPgx(t, "exec", s)
	stored, err := c.Query(c.ctx, "SELECT count(*)::int FROM shelves WHERE n = 5")
	if err != nil {
		t.Fatal(err)
	}
	fives, err := pgx.CollectExactlyOneRow(stored, pgx.RowTo[int])
	if err != nil {
		t.Fatal(err)
	}
	seen = append(seen, saw("bench", "status", status, "processed", strings.Contains(out, "actually processed: 20/20"),
		"fives", fives, "notices", strings.Count(errs, "showing the first 5 rows")))
	_, errs, status = run("error.sql", "SELECT n FROM parcels ORDER BY n;\nSELECT 1/0;\n")
	return append(seen, saw("bench_error", "status", status, "told", strings.Contains(errs, "division by zero"), "notices", strings.Count(errs, "showing the first 5 rows")))
}
