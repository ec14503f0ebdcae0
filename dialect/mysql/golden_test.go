package mysql

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/rowcap/rowcap/rewrite"
)

// TestGolden reads the texts of testdata/golden and compares what is found out and
// written. Each case is
//
//	mysql|mariadb [rows=6] [sql_mode=(…)] [charset=…] [version=…] [database=…] [escaped]
//
// with a script as its input; escaped texts have Go's escapes. Run with -rewrite
// to accept new results.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata/golden", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, golden)
	})
}

func golden(t *testing.T, c *datadriven.TestData) string {
	d := New()
	if c.Cmd == "mariadb" {
		d = NewMariaDB()
	} else if c.Cmd != "mysql" {
		c.Fatalf(t, "no such dialect: %s", c.Cmd)
	}
	text, rows := c.Input, uint64(6)
	for _, arg := range c.CmdArgs {
		value := strings.Join(arg.Vals, ",")
		switch arg.Key {
		case "rows":
			n, err := strconv.ParseUint(value, 10, 64)
			if err != nil {
				c.Fatalf(t, "rows: %v", err)
			}
			rows = n
		case "charset":
			d = d.With("character_set_client", value)
		case "version":
			d = d.With("server_version", value)
		case "sql_mode", "database":
			d = d.With(arg.Key, value)
		case "escaped":
			unquoted, err := strconv.Unquote(`"` + strings.ReplaceAll(text, `"`, `\"`) + `"`)
			if err != nil {
				c.Fatalf(t, "escaped: %v", err)
			}
			text = unquoted
		default:
			c.Fatalf(t, "no such argument: %s", arg.Key)
		}
	}
	statements, err := d.Parse(text)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	var b strings.Builder
	for _, st := range statements {
		fmt.Fprintf(&b, "%d+%d %s\n", st.Pos, len(st.Text), facts(st))
		if !st.Limitable {
			continue
		}
		edits, err := d.SetLimit(st, rows)
		if err != nil {
			fmt.Fprintf(&b, "  no limit: %v\n", err)
			continue
		}
		edited := rewrite.ApplyEdits(st.Text, edits)
		if strings.ContainsAny(edited, "\n\t") || c.HasArg("escaped") {
			edited = strconv.Quote(edited)
		}
		fmt.Fprintf(&b, "  → %s\n", edited)
	}
	if b.Len() == 0 {
		return "no statement\n"
	}
	return b.String()
}

// facts prints a statement's facts on one line, false ones left out.
func facts(st rewrite.Statement) string {
	list := []string{st.Kind.String()}
	l := st.Limit
	switch l.Form {
	case rewrite.LimitLiteral:
		list = append(list, fmt.Sprintf("limit=%d", l.Rows))
	case rewrite.LimitParam:
		list = append(list, fmt.Sprintf("limit=?%d", l.Param))
	case rewrite.LimitOpaque:
		list = append(list, "limit=opaque")
	}
	if l.Offset > 0 {
		list = append(list, fmt.Sprintf("offset=%d", l.Offset))
	}
	for _, flag := range []struct {
		name string
		on   bool
	}{
		{"at-bind", l.AtBind}, {"with-ties", l.WithTies}, {"rows", st.ReturnsRows}, {"limitable", st.Limitable}, {"writes", st.Writes}, {"locks", st.Locks},
		{"volatile", st.Volatile}, {"ordered", st.Ordered}, {"grouped", st.Grouped}, {"one-row", st.AtMostOneRow}, {"catalog", st.CatalogOnly}, {"cut", st.CutByServer},
	} {
		if flag.on {
			list = append(list, flag.name)
		}
	}
	if st.Obstacle != "" {
		list = append(list, "obstacle: "+st.Obstacle)
	}
	return strings.Join(list, " ")
}
