package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/rewrite"
)

// rewriteCmd is rowcap rewrite.
type rewriteCmd struct {
	Dialect string `required:"" placeholder:"NAME" help:"Grammar of the SQL: postgres, mysql or mariadb."`
	rewrite.Policy
	Limit  *uint64  `placeholder:"N" help:"Rows asked for with the request, as a tool's caller would."`
	Set    []string `placeholder:"NAME=VALUE" sep:"none" help:"A setting of the session that the SQL will run in, where it is not the server's default: sql_mode, character_set_client, sql_select_limit, database, server_version (MySQL, MariaDB), standard_conforming_strings, client_encoding (PostgreSQL). Repeat the flag for several."`
	Format string   `default:"text" enum:"text,json" help:"Output: ${enum}. In text, what would be sent goes to standard output and the reasons to standard error."`
	SQL    *string  `arg:"" optional:"" name:"sql" help:"The SQL; standard input if it is not given. Write -- before SQL that begins with a dash."`
}

// Help describes what is printed.
func (rewriteCmd) Help() string {
	return `The JSON holds the whole text to be sent ("sql", empty if a statement is refused, as nothing is sent then) and, for each statement, what was decided: kind, method (pass, own, probe, exact, guard, refuse), cap and wanted (null if there is none), limit_source, obstacle, why, warnings, the statement's own text to be sent, the edits, whose start and end are byte offsets in the input, and bind: the number, from 1, of the parameter that is the statement's limit and can be bounded only when its value is bound (null if there is none). cut_by_server tells that a clause of the statement lets the server itself return fewer rows, so that nothing says whether all came.

Exit status: 0 if the text is rewritten or passed, 1 if it is refused, 2 for a usage error.`
}

// Validate reports flags that have no meaning.
func (c rewriteCmd) Validate() error {
	if c.Dialect != "" { // kong reports that it is missing
		if _, err := dialect.Lookup(c.Dialect); err != nil {
			return err
		}
	}
	if err := checkAsk(c.Limit); err != nil {
		return err
	}
	if _, err := readSettings(c.Dialect, c.Set); err != nil && c.Dialect != "" {
		return err
	}
	return c.Policy.Validate()
}

// Run plans the SQL and prints the plans.
func (c rewriteCmd) Run(std streams) error {
	sql, err := readSQL(c.SQL, std.in)
	if err != nil {
		return err
	}
	d, err := dialect.Lookup(c.Dialect)
	if err != nil {
		return usageError{err}
	}
	r, err := rewrite.New(d, c.Policy)
	if err != nil {
		return usageError{err}
	}
	settings, err := readSettings(c.Dialect, c.Set)
	if err != nil {
		return usageError{err}
	}
	warnOfModes(std.err, settings)
	asked := ask(c.Limit)
	for _, s := range settings {
		if s.name == selectLimit {
			asked.Session = &s.rows
		} else {
			r = r.With(s.name, s.value)
		}
	}
	script := r.Script(sql, asked)
	refused := script.Refused()
	switch {
	case c.Format == "json":
		err = printPlans(std.out, script)
	case refused == nil:
		err = printText(std.out, script.SQL())
	}
	if err != nil {
		return err
	}
	if c.Format == "text" {
		explainPlans(std.err, script)
	}
	if c.Observe && c.Format == "text" {
		fmt.Fprintln(std.err, "rowcap: --observe changes nothing and refuses nothing: above is what would be done without it")
	}
	if refused != nil {
		fmt.Fprintf(std.err, "rowcap: %s\nhint: %s\n", refused.Message, refused.Hint)
		return errReported
	}
	return nil
}

// printText prints sql, and a newline if it does not end with one.
func printText(w io.Writer, sql string) error {
	if !strings.HasSuffix(sql, "\n") {
		sql += "\n"
	}
	_, err := io.WriteString(w, sql)
	return err
}

// plansJSON and planJSON are what rowcap rewrite --format json prints.
type plansJSON struct {
	SQL        string     `json:"sql"`
	Statements []planJSON `json:"statements"`
}

type planJSON struct {
	Kind        rewrite.Kind      `json:"kind"`
	Method      rewrite.Method    `json:"method"`
	Cap         *uint64           `json:"cap"`
	LimitSource rewrite.Source    `json:"limit_source"`
	Wanted      *uint64           `json:"wanted"`
	Obstacle    string            `json:"obstacle"`
	Why         string            `json:"why"`
	Warnings    []rewrite.Warning `json:"warnings"`
	SQL         string            `json:"sql"`
	Edits       []rewrite.Edit    `json:"edits"`
	Bind        *int              `json:"bind"`
	CutByServer bool              `json:"cut_by_server"`
}

func printPlans(w io.Writer, s rewrite.Script) error {
	out := plansJSON{SQL: s.SQL(), Statements: make([]planJSON, len(s.Plans))}
	if s.Refused() != nil {
		out.SQL = ""
	}
	for i, p := range s.Plans {
		out.Statements[i] = planJSON{
			Kind: p.Statement.Kind, Method: p.Method, Cap: capRows(p), LimitSource: p.Cap.Source,
			Obstacle: p.Statement.Obstacle, Why: p.Why, SQL: statementSQL(p),
			Warnings: append([]rewrite.Warning{}, p.Warnings...),
			Edits:    append([]rewrite.Edit{}, p.Edits...), CutByServer: p.Statement.CutByServer,
		}
		if p.Cap.Wanted > 0 {
			out.Statements[i].Wanted = &p.Cap.Wanted
		}
		if p.Bind > 0 {
			out.Statements[i].Bind = &p.Bind
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(out)
}

// capRows is the number of p's cap, nil if there is none.
func capRows(p rewrite.Plan) *uint64 {
	if p.Cap.Source == rewrite.SourceNone || p.Cap.Rows == rewrite.NoLimit {
		return nil
	}
	rows := p.Cap.Rows
	return &rows
}

// statementSQL is what is sent of p's own statement, empty if it is refused.
func statementSQL(p rewrite.Plan) string {
	if p.Method == rewrite.MethodRefuse {
		return ""
	}
	own := make([]rewrite.Edit, len(p.Edits))
	for i, e := range p.Edits {
		own[i] = rewrite.Edit{Start: e.Start - p.Statement.Pos, End: e.End - p.Statement.Pos, Text: e.Text}
	}
	return rewrite.ApplyEdits(p.Statement.Text, own)
}

// held says what p's answer is held to.
func held(p rewrite.Plan) string {
	rows, own := capRows(p), p.Statement.Limit
	switch {
	case rows == nil:
		return "no cap"
	case p.Method == rewrite.MethodGuard && own.WithTies && p.Cap.Source == rewrite.SourceUserSQL:
		return fmt.Sprintf("limit %d with ties from %s, cap %d from %s", own.Rows, p.Cap.Source, *rows, rewrite.SourceCapped)
	}
	return fmt.Sprintf("cap %d from %s", *rows, p.Cap.Source)
}

// explainPlans prints a line for each statement and each of its warnings.
func explainPlans(w io.Writer, s rewrite.Script) {
	for i, p := range s.Plans {
		method := p.Method.String()
		if p.Observed && p.Method != rewrite.MethodPass && p.Method != rewrite.MethodOwn {
			method = "would " + method
		}
		fmt.Fprintf(w, "statement %d: %s, %s, %s: %s\n", i+1, p.Statement.Kind, method, held(p), p.Why)
		if p.Bind > 0 {
			fmt.Fprintf(w, "statement %d: parameter %d is its limit: it is bounded when its value is bound\n", i+1, p.Bind)
		}
		if p.Statement.CutByServer {
			fmt.Fprintf(w, "statement %d: a clause of it lets the server return fewer rows: nothing says whether all came\n", i+1)
		}
		for _, warning := range p.Warnings {
			fmt.Fprintf(w, "statement %d: warning: %s: %s\n", i+1, warning.Kind, warning.Message)
		}
	}
}
