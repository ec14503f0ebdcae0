package conformance

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// commandLine is the mariadb or mysql command line client in one mode: batch (its output is
// a file), -vv, --show-warnings or terminal.
type commandLine struct {
	t    *testing.T
	path string
	mode string
	s    session
}

// commandLineModes are its modes.
var commandLineModes = []string{"batch", "-vv", "--show-warnings", "terminal"}

// mysqlPath returns where scripts/mysql put a program.
func mysqlPath(t *testing.T, name string) string {
	return filepath.Join(dbtest.CacheFolder(), "mysql-9", "bin", name)
}

// tables says whether rows are printed in a frame, and counts behind them.
func (c commandLine) tables() bool { return c.mode == "-vv" || c.mode == "terminal" }

// printed is what the client printed of one statement.
type printed struct {
	lines    []string // of rows
	counts   []int    // of rows, result by result; where the mode shows them
	warnings int      // the last result's, where the mode shows them
	told     []warning
}

// rows are the numbers in the first column.
func (p printed) rows() []int { return integers(p.lines) }

// lists are the rows of two results, of which the second has one.
func (p printed) lists() [][]int {
	rows := p.rows()
	last := max(0, len(rows)-1)
	return [][]int{rows[:last], rows[last:]}
}

// notices is the number of warnings, as the mode shows it.
func (c commandLine) notices(p printed) int {
	if c.mode == "terminal" && p.warnings != len(p.told) {
		c.t.Errorf("%d warnings are counted and %d shown", p.warnings, len(p.told))
	}
	if c.tables() {
		return p.warnings
	}
	return len(p.told)
}

// run runs statements, and returns what was printed of each, and the errors.
func (c commandLine) run(statements ...string) (answers []printed, errs string) {
	c.t.Helper()
	return c.with(nil, statements...)
}

// with runs statements by a client that has more flags.
func (c commandLine) with(flags []string, statements ...string) (answers []printed, errs string) {
	c.t.Helper()
	var script strings.Builder
	if c.mode == "terminal" {
		script.WriteString("\\W\n")
	}
	for _, statement := range statements {
		fmt.Fprintf(&script, "%s;\n", statement)
		if c.mode == "batch" {
			script.WriteString("SHOW WARNINGS;\n")
		}
		script.WriteString("SELECT '-';\n")
	}
	args := append([]string{"--no-defaults", "--protocol=tcp", "--user=" + c.s.user, "--skip-column-names", "--force"}, flags...)
	if strings.HasSuffix(c.path, "mysql") {
		args = append(args, "--get-server-public-key")
	}
	out := ""
	switch c.mode {
	case "terminal":
		out = terminal(c.t, c.s, script.String()+"exit\n", c.path, append(args, c.s.database)...)
		errs = out
	case "batch":
		out, errs, _ = program(c.t, c.s, script.String(), c.path, append(args, c.s.database)...)
	case "-vv":
		out, errs, _ = program(c.t, c.s, script.String(), c.path, append(args, "-vv", "--table", c.s.database)...)
	default:
		out, errs, _ = program(c.t, c.s, script.String(), c.path, append(args, c.mode, c.s.database)...)
	}
	answers = c.read(out)
	if len(answers) != len(statements) {
		c.t.Fatalf("%d answers for %d statements:\n%s%s", len(answers), len(statements), out, errs)
	}
	return answers, errs
}

// read takes the output apart at the rows that are a dash.
func (c commandLine) read(out string) (answers []printed) {
	var p printed
	ended := false // at the count of the row that is a dash
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\r\n")
		text, framed := strings.CutPrefix(line, "| ")
		text = strings.TrimSpace(strings.TrimSuffix(text, "|"))
		fields := strings.Split(text, "\t")
		if framed {
			fields = strings.Split(text, " | ")
		}
		count, warnings, counted := counts(line)
		switch {
		case text == "-":
			answers, p, ended = append(answers, p), printed{}, true
		case counted && ended:
			ended = false
			if warnings > 0 {
				c.t.Errorf("the next statement has %s", line)
			}
		case counted:
			p.warnings = warnings
			if count >= 0 {
				p.counts = append(p.counts, count)
			}
		case strings.HasPrefix(line, "Warning (Code "):
			code, message, _ := strings.Cut(strings.TrimPrefix(line, "Warning (Code "), "): ")
			n, _ := strconv.Atoi(code)
			p.told = append(p.told, warning{"Warning", n, message})
		case len(fields) == 3 && strings.TrimSpace(fields[0]) == "Warning":
			n, _ := strconv.Atoi(strings.TrimSpace(fields[1]))
			p.told = append(p.told, warning{"Warning", n, strings.TrimSpace(fields[2])})
		case len(fields) == 3 && strings.TrimSpace(fields[0]) == "Error": // of the statement before
		case framed || !c.tables() && line != "":
			p.lines = append(p.lines, strings.TrimSpace(text))
		}
	}
	return answers
}

// counts reads a line that ends a result: "5 rows in set, 1 warning (0.001 sec)" or
// "Query OK, 1 row affected", whose count is -1.
func counts(line string) (rows, warnings int, ok bool) {
	line, _, _ = strings.Cut(line, " (")
	parts := strings.Split(line, ", ")
	switch n, what, _ := strings.Cut(parts[0], " "); {
	case what == "rows in set" || what == "row in set":
		rows, _ = strconv.Atoi(n)
	case parts[0] == "Empty set":
	case parts[0] == "Query OK":
		rows = -1
	default:
		return 0, 0, false
	}
	if n, what, _ := strings.Cut(parts[len(parts)-1], " "); strings.HasPrefix(what, "warning") {
		warnings, _ = strconv.Atoi(n)
	}
	return rows, warnings, true
}

// errorCode reads the last "ERROR 1054 (42S22)" of what was printed.
func errorCode(errs string) (code int, state string) {
	at := strings.LastIndex(errs, "ERROR ")
	if at < 0 {
		return 0, ""
	}
	fmt.Sscanf(errs[at:], "ERROR %d (%5s)", &code, &state)
	return code, state
}
