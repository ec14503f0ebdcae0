package postgres

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/rowcap/rowcap/rewrite"
)

// TestGolden runs testdata/*.txt; -rewrite writes the outcomes down. The commands:
//
//	facts [setting=value …]           prints what is found out about each statement
//	limit rows=N [setting=value …]    prints each statement with N as its limit
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if !strings.HasSuffix(path, ".txt") {
			return
		}
		datadriven.RunTest(t, path, func(t *testing.T, td *datadriven.TestData) string {
			d, rows := New(), uint64(0)
			for _, arg := range td.CmdArgs {
				if arg.Key == "rows" {
					n, err := strconv.ParseUint(arg.Vals[0], 10, 64)
					if err != nil {
						t.Fatalf("%s: %v", td.Pos, err)
					}
					rows = n
					continue
				}
				d = d.With(arg.Key, arg.Vals[0])
			}
			statements, err := d.Parse(td.Input)
			if err != nil {
				return "error: " + err.Error() + "\n"
			}
			var b strings.Builder
			for _, st := range statements {
				if td.Input[st.Pos:st.Pos+len(st.Text)] != st.Text {
					t.Errorf("%s: Text is not at Pos", td.Pos)
				}
				if len(statements) > 1 {
					fmt.Fprintf(&b, "[%d,%d) ", st.Pos, st.Pos+len(st.Text))
				}
				switch td.Cmd {
				case "facts":
					b.WriteString(facts(st) + "\n")
				case "limit":
					edits, err := d.SetLimit(st, rows)
					if err != nil {
						b.WriteString("error: " + err.Error() + "\n")
						continue
					}
					b.WriteString(rewrite.ApplyEdits(st.Text, edits) + "\n")
				default:
					t.Fatalf("%s: no command %q", td.Pos, td.Cmd)
				}
			}
			if len(statements) == 0 {
				return "nothing\n"
			}
			return b.String()
		})
	})
}

// facts prints what is found out about a statement, leaving out what is false.
func facts(st rewrite.Statement) string {
	words := []string{st.Kind.String()}
	l := st.Limit
	switch l.Form {
	case rewrite.LimitLiteral:
		words = append(words, fmt.Sprintf("limit=%d", l.Rows))
	case rewrite.LimitParam:
		words = append(words, fmt.Sprintf("limit=$%d", l.Param))
		if l.Bits > 0 {
			words = append(words, fmt.Sprintf("bits=%d", l.Bits))
		}
	case rewrite.LimitOpaque:
		words = append(words, "limit=expression")
	}
	if l.Offset > 0 {
		words = append(words, fmt.Sprintf("offset=%d", l.Offset))
	}
	for _, fact := range []struct {
		name string
		is   bool
	}{
		{"with-ties", l.WithTies}, {"rows", st.ReturnsRows}, {"limitable", st.Limitable}, {"one", st.AtMostOneRow},
		{"writes", st.Writes}, {"locks", st.Locks}, {"volatile", st.Volatile}, {"ordered", st.Ordered},
		{"grouped", st.Grouped}, {"catalog", st.CatalogOnly}, {"header", st.Header}, {"unsettles", st.Unsettles},
	} {
		if fact.is {
			words = append(words, fact.name)
		}
	}
	if st.Prepared != "" {
		words = append(words, "prepared="+st.Prepared)
	}
	if st.Shows != "" {
		words = append(words, "shows="+st.Shows)
	}
	if st.Sets != "" {
		words = append(words, "sets="+st.Sets)
	}
	if st.Inner != nil {
		words = append(words, "["+facts(*st.Inner)+"]")
	}
	if st.Obstacle != "" {
		words = append(words, "("+st.Obstacle+")")
	}
	return strings.Join(words, " ")
}
