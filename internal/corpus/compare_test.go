package corpus

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// rows compares the capped rows to the original's: the first ones of them where
// the statement has an order, any of them where it has none. A difference needs an
// explanation, which is looked for by experiment.
func (c *checker) rows(p rewrite.Plan, whole, got answer) {
	want := min(whole.count, wanted(p))
	switch {
	case got.count == want && len(whole.rows) >= len(got.rows) && slices.Equal(whole.rows[:len(got.rows)], got.rows):
		c.tally.prefix++
		c.verdict(p, whole, got)
		return
	case whole.count > len(whole.rows):
		c.tally.notRun["too many rows to compare"]++
		return
	case got.count == want && !p.Statement.Ordered && subset(got.rows, whole.rows):
		c.tally.subset++
		c.verdict(p, whole, got)
		return
	}
	if why := c.explain(p, whole, got); why != "" {
		c.tally.explained[why]++
		return
	}
	c.found("rows", p, fmt.Sprintf("%d rows, of %d: %s, of %s", got.count, whole.count, sample(got.rows), sample(whole.rows)))
}

// wanted is how many rows the rewritten text asks for.
func wanted(p rewrite.Plan) int {
	if p.Method == rewrite.MethodProbe {
		return int(p.Cap.Rows) + 1
	}
	return int(p.Cap.Rows)
}

// explain looks for what makes the rows differ, "" if it finds nothing. It asks the
// server each time, so that an explanation is a fact and not a guess.
func (c *checker) explain(p rewrite.Plan, whole, got answer) string {
	if p.Statement.CutByServer {
		return "LIMIT ROWS EXAMINED stops the server at another row"
	}
	for _, row := range got.rows {
		if strings.Contains(row, rewritten(p)) {
			return "a row shows the statement's own text"
		}
	}
	for range 3 { // a function may count its calls
		again, err := c.server.run(p.Statement.Text)
		switch {
		case err != nil:
			return explainedError
		case !sameRows(again.rows, whole.rows):
			return "the original itself returns other rows when it runs again"
		case !slices.Equal(again.rows, whole.rows):
			return "the original itself returns its rows in another order when it runs again"
		}
	}
	// A statement's own limit may have chosen others of equal rows.
	among := p.Statement.Limit.Form != rewrite.LimitNone || subset(got.rows, whole.rows)
	if got.count == min(whole.count, wanted(p)) && among && (c.server.tied(p, got) || c.wavers(p, whole, got)) {
		return "rows that the ORDER BY does not tell apart"
	}
	if got.count == min(whole.count, wanted(p)) && p.Statement.Limit.Form == rewrite.LimitNone {
		if cut, err := c.server.cut(p.Statement.Text, got.count); err == nil && sameRows(cut.rows, got.rows) {
			return "the server itself returns these rows where it cuts the untouched text"
		}
	}
	if c.server.dependsOnPlan(p.Statement.Text, whole) {
		return "the original itself returns other rows when the server reads the tables in another way"
	}
	return ""
}

// wavers reports that a statement with a limit of its own begins with other rows under
// other numbers than the cap's, as it cannot where its order tells all rows apart.
// The rows got must be among those of the largest number.
func (c *checker) wavers(p rewrite.Plan, whole, got answer) bool {
	own := p.Statement.Limit
	if own.Form != rewrite.LimitLiteral || !p.Statement.Ordered {
		return false
	}
	numbers := []uint64{own.Rows + 1, 2 * own.Rows}
	for n := uint64(1); n < min(own.Rows, 10); n++ {
		if n != uint64(got.count) {
			numbers = append(numbers, n)
		}
	}
	other := false
	var under answer
	for _, n := range append(numbers, own.Rows+1000) {
		edits, err := c.rewriter.Dialect().SetLimit(p.Statement, n)
		if err != nil {
			return false
		}
		if under, err = c.server.run(rewrite.ApplyEdits(p.Statement.Text, edits)); err != nil {
			return false
		}
		both := min(len(under.rows), len(whole.rows))
		other = other || !slices.Equal(under.rows[:both], whole.rows[:both])
	}
	return other && subset(got.rows, under.rows)
}

const (
	explainedError   = "the original itself ends with an error when it runs again"
	explainedColumns = "the original itself has other types when it runs again"
)

// failed explains that the capped text ended with an error.
func (c *checker) failed(p rewrite.Plan, err error) {
	if tookTooLong(err) {
		c.tally.notRun["it takes too long"]++
		return
	}
	for range 3 {
		if _, again := c.server.run(p.Statement.Text); again != nil {
			c.tally.explained[explainedError]++
			return
		}
	}
	c.found("execute", p, err.Error())
}

// tookTooLong reports the error of a server that stopped a statement for its time.
func tookTooLong(err error) bool {
	text := err.Error()
	return strings.Contains(text, "max_statement_time") || strings.Contains(text, "maximum statement execution time") ||
		strings.Contains(text, "statement timeout")
}

func sameRows(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// subset reports that every row of part is in whole, as often at least.
func subset(part, whole []string) bool {
	left := make(map[string]int, len(whole))
	for _, r := range whole {
		left[r]++
	}
	for _, r := range part {
		if left[r]--; left[r] < 0 {
			return false
		}
	}
	return true
}

func sample(rows []string) string {
	const most = 6
	var b strings.Builder
	for i, r := range rows {
		if i == most {
			b.WriteString(" …")
			break
		}
		fmt.Fprintf(&b, " %.60q", r)
	}
	return strings.TrimSpace(b.String())
}
