package conformance

import (
	"strings"
	"testing"
)

// runCommandLine makes the checks with a command line client.
func runCommandLine(path string) func(t *testing.T, mode string, s session) []observation {
	return func(t *testing.T, mode string, s session) (seen []observation) {
		say := func(check string, pairs ...any) { seen = append(seen, saw(check, pairs...)) }
		c := commandLine{t, path, mode, s}
		got, _ := c.run(parcels, "SELECT 7", "SELECT n FROM parcels WHERE n <= 5 ORDER BY n", parcels+" LIMIT 3", parcels+" LIMIT 12", "SHOW VARIABLES", "CALL lists()")
		if c.tables() {
			say("rows", "rows", got[0].rows(), "count", got[0].counts[0])
		} else {
			say("rows", "rows", got[0].rows())
		}
		told := got[0].told
		if mode == "-vv" { // which shows the count only
			shown, _ := c.run(parcels + ";\nSHOW WARNINGS")
			told = shown[0].told
		}
		for _, w := range told {
			pairs := []any{"level", w.level, "code", w.code, "message", w.message}
			if c.tables() {
				pairs = append(pairs, "count", got[0].warnings)
			}
			say("notice", pairs...)
		}
		say("step", "rows", got[1].rows(), "notices", c.notices(got[1]))
		say("whole", "rows", got[2].rows(), "notices", c.notices(got[2]))
		say("own", "rows", got[3].rows(), "notices", c.notices(got[3]))
		say("clamped", "rows", got[4].rows(), "notices", c.notices(got[4]))
		say("guard", "rows", len(got[5].lines), "notices", c.notices(got[5]))
		say("call", "rows", got[6].lists(), "notices", c.notices(got[6]))
		got, _ = c.run("DELIMITER //\n" + parcels + "; SELECT 7 //\nDELIMITER ") // the next semicolon
		say("script", "rows", got[0].lists(), "notices", c.notices(got[0]))
		got, _ = c.run("SELECT n FROM parcels WHERE n > 'x' ORDER BY n;\nSHOW WARNINGS")
		say("merged", "codes", codes(got[0].told))

		statements := []string{"PREPARE above FROM 'SELECT n FROM parcels WHERE n > ? ORDER BY n'"}
		for range 8 {
			statements = append(statements, "SET @n = 2; EXECUTE above USING @n", "SET @n = 9; EXECUTE above USING @n")
		}
		got, _ = c.run(statements...)
		cut, whole, notices := 0, 0, 0
		for _, p := range got {
			notices += c.notices(p)
			if equal(p.rows(), 3, 4, 5, 6, 7) {
				cut++
			}
			if equal(p.rows(), 10, 11, 12) {
				whole++
			}
		}
		say("prepared", "cut", cut, "whole", whole, "notices", notices)

		got, _ = c.with([]string{"--quick"}, parcels, "SELECT 7")
		say("stream", "rows", got[0].rows(), "notices", c.notices(got[0]), "next", got[1].rows())
		got, _ = c.with([]string{"--safe-updates", "--select-limit=3"}, parcels)
		say("safe_updates", "rows", got[0].rows(), "notices", c.notices(got[0]))

		got, errs := c.run(parcels, "SELECT nothing", "SELECT 7")
		code, state := errorCode(errs)
		say("error", "code", code, "state", state, "rows", got[2].rows())
		const count = "SELECT count(*) FROM shelves"
		got, errs = c.run("START TRANSACTION; INSERT INTO shelves VALUES (1)", parcels, "INSERT INTO shelves VALUES (1)", count, "ROLLBACK", count)
		code, _ = errorCode(errs)
		say("transaction", "code", code, "before", got[3].rows()[0], "after", got[5].rows()[0])

		if s.flavor == "mariadb" {
			got, _ = c.run("INSERT INTO shelves SELECT n FROM parcels WHERE n <= 8 RETURNING n", count)
			say("returning", "rows", got[0].rows(), "stored", got[1].rows()[0], "notices", c.notices(got[0]))
		}
		got, _ = c.run("SET sql_select_limit = 3", parcels, "SET sql_select_limit = 9", parcels, "SELECT @@sql_select_limit")
		say("select_limit", "below", got[1].rows(), "below_notices", c.notices(got[1]), "above", got[3].rows(), "above_notices", c.notices(got[3]),
			"setting", got[4].rows()[0])
		return seen
	}
}

// TestReadCommandLine reads what the client prints in each mode.
func TestReadCommandLine(t *testing.T) {
	for _, test := range []struct {
		mode, out       string
		lines           string
		notices, counts int
	}{
		{"batch", "1\n2\nWarning\t61001\tshowing\n-\n", "1,2", 1, 0},
		{"--show-warnings", "1\n2\nWarning (Code 61001): showing\n-\n", "1,2", 1, 0},
		{"-vv", "--------------\nSELECT n\n--------------\n\n+---+\n| 1 |\n| 2 |\n+---+\n2 rows in set, 1 warning\n\n+---+\n| - |\n+---+\n1 row in set\n", "1,2", 1, 1},
		{"terminal", "x> SELECT n;\r\n| 1 |\r\n2 rows in set, 1 warning (0.001 sec)\r\n\r\nWarning (Code 61001): showing\r\nx> SELECT '-';\r\n| - |\r\n", "1", 1, 1},
		{"-vv", "Query OK, 1 row affected, 2 warnings\n| - |\n", "", 2, 0},
		{"-vv", "Empty set (0.001 sec)\n| - |\n", "", 0, 1},
	} {
		c := commandLine{t: t, mode: test.mode}
		got := c.read(test.out)
		if len(got) != 1 || strings.Join(got[0].lines, ",") != test.lines || c.notices(got[0]) != test.notices || len(got[0].counts) != test.counts {
			t.Errorf("%s: %q is read as %+v", test.mode, test.out, got)
		}
	}
}
