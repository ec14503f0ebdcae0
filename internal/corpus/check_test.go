package corpus

import (
	"fmt"
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// server is a session with the server that a suite runs on.
type server interface {
	// prepare lets the server read a statement without running it, and returns
	// its columns, names and types, "" if it returns no rows.
	prepare(sql string) (columns string, err error)
	// run runs a query. What it did is undone where the server can undo it.
	run(sql string) (answer, error)
	// tied reports that the rows got are as good a choice of the original's first
	// rows as any other, because its ORDER BY does not tell rows apart.
	tied(p rewrite.Plan, got answer) bool
	// cut runs the original bounded to rows by the server's own means, which leave
	// its text alone. The error says that it has none.
	cut(original string, rows int) (answer, error)
	// dependsOnPlan reports that the original returns other rows than whole under
	// another plan of the server's.
	dependsOnPlan(original string, whole answer) bool
}

// answer is what came back from a query.
type answer struct {
	columns string
	rows    []string
	// count is the number of rows; rows has the first ones of them.
	count int
}

// keptRows is how many rows of an answer are kept for comparing.
const keptRows = 20_000

// checker checks the statements of one suite.
type checker struct {
	tally  *tally
	server server
	// rewriter caps at one row and knows the session's settings.
	rewriter *rewrite.Rewriter
	ask      rewrite.Ask
	file     string
}

// capOne is the policy of the checks: the smallest cap changes the most, and
// nothing is exempt.
func capOne(rows uint64) rewrite.Policy {
	p := rewrite.DefaultPolicy()
	p.DefaultLimit, p.MaxLimit = rows, rows
	p.Catalogs = rewrite.CatalogsCap
	return p
}

// check checks one statement, before or instead of its place in the suite. It
// returns whether the original has run, and with which error.
func (c *checker) check(text string) (ran bool, err error) {
	script := c.rewriter.Script(text, c.ask)
	if len(script.Plans) != 1 {
		c.tally.several++
		for _, p := range script.Plans {
			if p.Statement.Kind == rewrite.KindSelect {
				c.prepared(p, script.Err)
			}
		}
		return false, nil
	}
	plan := script.Plans[0]
	if plan.Statement.Kind == rewrite.KindSelectInto && c.tally.preparesStores {
		if _, err := c.server.prepare(text); err == nil {
			c.tally.stored++
		}
		return false, nil
	}
	if plan.Statement.Kind != rewrite.KindSelect && plan.Statement.Kind != rewrite.KindUnknown {
		return false, nil
	}
	if !c.prepared(plan, script.Err) || plan.Statement.Kind != rewrite.KindSelect {
		return false, nil
	}
	return c.executed(plan)
}

// prepared counts a query that the server accepts, by what becomes of it, and
// PREPAREs its rewritten text. It returns false for what the server refuses and
// for what is no query.
func (c *checker) prepared(p rewrite.Plan, parseErr error) bool {
	original := p.Statement.Text
	columns, err := c.server.prepare(original)
	if err != nil {
		c.tally.refused++
		return false
	}
	if p.Statement.Kind == rewrite.KindUnknown {
		if columns == "" {
			return false
		}
		if !isQuery(original) {
			c.tally.otherUnread++
			return false
		}
	}
	c.tally.queries++
	switch p.Method {
	case rewrite.MethodProbe, rewrite.MethodExact:
		c.tally.rewritten++
	case rewrite.MethodPass, rewrite.MethodOwn:
		c.tally.kept++
	case rewrite.MethodGuard:
		why := p.Why
		if parseErr != nil || p.Statement.Kind == rewrite.KindUnknown && strings.Contains(why, " at byte ") {
			why = "the parser cannot read the statement"
		}
		c.tally.guard(why, c.file, original)
	}
	if !p.Statement.ReturnsRows && columns != "" {
		c.found("class", p, "the statement counts as one without rows, and has the columns "+columns)
	}
	if len(p.Edits) == 0 {
		if l := p.Statement.Limit; (p.Method == rewrite.MethodProbe || p.Method == rewrite.MethodExact) &&
			(l.Form != rewrite.LimitLiteral || l.Rows != uint64(wanted(p))) {
			c.found("count", p, fmt.Sprintf("nothing holds the text to %d rows", wanted(p)))
		}
		return true
	}
	c.tally.prepares++
	edited := rewritten(p)
	got, err := c.server.prepare(edited)
	switch {
	case err != nil:
		c.found("prepare", p, err.Error())
	case got != columns:
		// Preparing may itself make the variables that decide about types.
		if again, err := c.server.prepare(original); err == nil && again != columns {
			c.tally.explained[explainedColumns]++
		} else {
			c.found("labels", p, fmt.Sprintf("columns %s became %s", columns, got))
		}
	}
	return err == nil
}

// rewritten returns the statement with the plan's edits.
func rewritten(p rewrite.Plan) string {
	edits := make([]rewrite.Edit, len(p.Edits))
	for i, e := range p.Edits {
		edits[i] = rewrite.Edit{Start: e.Start - p.Statement.Pos, End: e.End - p.Statement.Pos, Text: e.Text}
	}
	return rewrite.ApplyEdits(p.Statement.Text, edits)
}

// executed runs the original and capped texts and compares them.
func (c *checker) executed(p rewrite.Plan) (ran bool, err error) {
	switch {
	case p.Statement.Writes:
		c.tally.notRun["it writes"]++
		return false, nil
	case p.Statement.Volatile:
		c.tally.notRun["it calls functions with effects"]++
		return false, nil
	}
	whole, err := c.server.run(p.Statement.Text)
	if err != nil {
		c.tally.notRun["the original ends with an error"]++
		return true, err
	}
	if p.Statement.AtMostOneRow && whole.count > 1 {
		c.found("verdict", p, fmt.Sprintf("at most one row was foretold, and %d came", whole.count))
	}
	if l := p.Statement.Limit; l.Form == rewrite.LimitLiteral && !l.WithTies && uint64(whole.count) > l.Rows {
		c.found("verdict", p, fmt.Sprintf("the limit was read as %d, and %d rows came", l.Rows, whole.count))
	}
	if len(p.Edits) == 0 {
		c.verdict(p, whole, whole)
		return true, nil
	}
	c.pair(p, whole)
	// Just at the number of rows that there are, and one below.
	for _, rows := range []int{whole.count, whole.count - 1} {
		if rows < 2 || rows > 200 {
			continue
		}
		other, err := rewrite.New(c.rewriter.Dialect(), capOne(uint64(rows)))
		if err != nil {
			panic(err)
		}
		if plan := other.Script(p.Statement.Text, c.ask).Plans[0]; len(plan.Edits) > 0 {
			c.pair(plan, whole)
		}
	}
	return true, nil
}

// pair runs a rewritten text beside the rows of its original.
func (c *checker) pair(p rewrite.Plan, whole answer) {
	got, err := c.server.run(rewritten(p))
	if err != nil {
		c.failed(p, err)
		return
	}
	c.tally.pairs++
	most := int(p.Cap.Rows)
	if p.Method == rewrite.MethodProbe {
		most++
	}
	if got.count > most {
		c.found("count", p, fmt.Sprintf("%d rows came, %d at most were planned", got.count, most))
	}
	if got.columns != whole.columns {
		c.labels(p, whole, got)
	}
	c.rows(p, whole, got)
}

// labels looks for what makes the columns differ.
func (c *checker) labels(p rewrite.Plan, whole, got answer) {
	if again, err := c.server.run(p.Statement.Text); err == nil && again.columns != whole.columns {
		c.tally.explained[explainedColumns]++
		return
	}
	if p.Statement.Limit.Form == rewrite.LimitNone {
		if cut, err := c.server.cut(p.Statement.Text, wanted(p)); err == nil && cut.columns == got.columns {
			c.tally.explained["the server itself describes the columns otherwise where it cuts the untouched text"]++
			return
		}
	}
	c.found("labels", p, fmt.Sprintf("columns %s became %s", whole.columns, got.columns))
}

// verdict holds the meter's word on completeness to the truth.
func (c *checker) verdict(p rewrite.Plan, whole, got answer) bool {
	meter := p.Meter()
	for range got.count {
		meter.Row()
	}
	outcome := meter.Outcome()
	missing := outcome.Rows < uint64(whole.count)
	ok := true
	switch outcome.Completeness {
	case rewrite.Complete:
		ok = !missing
	case rewrite.Truncated:
		ok = missing
	case rewrite.Unknown:
		ok = p.Statement.CutByServer || p.Method == rewrite.MethodExact && outcome.Rows == p.Cap.Rows
	}
	c.tally.verdicts[outcome.Completeness]++
	if !ok {
		c.found("verdict", p, fmt.Sprintf("%d of %d rows were called %s", outcome.Rows, whole.count, outcome.Completeness))
	}
	return ok
}

// isQuery tells, where the dialect could not, whether a statement with columns is
// a query: by its first word.
func isQuery(text string) bool {
	for {
		text = strings.TrimLeft(text, " \t\r\n\f\v(")
		switch {
		case strings.HasPrefix(text, "--"), strings.HasPrefix(text, "#"):
			_, text, _ = strings.Cut(text, "\n")
		case strings.HasPrefix(text, "/*!"):
			text = strings.TrimLeft(text[3:], "0123456789")
		case strings.HasPrefix(text, "/*"):
			_, text, _ = strings.Cut(text, "*/")
		default:
			word := text
			if end := strings.IndexFunc(text, func(r rune) bool { return r < 'A' || r > 'z' || r > 'Z' && r < 'a' }); end >= 0 {
				word = text[:end]
			}
			switch strings.ToUpper(word) {
			case "SELECT", "WITH", "VALUES", "TABLE":
				return true
			}
			return false
		}
	}
}
