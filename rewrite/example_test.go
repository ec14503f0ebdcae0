package rewrite_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/rewrite"
)

// newExample returns a Rewriter for a dialect under the default policy: 100 rows
// by default, 1000 at most.
func newExample(name string) *rewrite.Rewriter {
	d, err := dialect.Lookup(name)
	if err != nil {
		log.Fatal(err)
	}
	r, err := rewrite.New(d, rewrite.DefaultPolicy())
	if err != nil {
		log.Fatal(err)
	}
	return r
}

// Cap one statement. The server is asked for one row more than the cap, which
// tells whether rows are missing.
func Example() {
	d, err := dialect.Lookup("postgres")
	if err != nil {
		log.Fatal(err)
	}
	policy := rewrite.DefaultPolicy()
	policy.DefaultLimit, policy.MaxLimit = 100, 1000
	r, err := rewrite.New(d, policy)
	if err != nil {
		log.Fatal(err)
	}
	s := r.Script("SELECT id FROM invoices ORDER BY id -- all of them", rewrite.Ask{})
	fmt.Println(s.SQL())
	// Output: SELECT id FROM invoices ORDER BY id LIMIT 101 -- all of them
}

// Lower a limit that is above the maximum.
func ExampleRewriter_Script_clamp() {
	r := newExample("mysql")
	s := r.Script("SELECT id FROM invoices ORDER BY id LIMIT 20, 5000", rewrite.Ask{})
	fmt.Println(s.SQL())
	fmt.Println(s.Plans[0].Warnings[0].Message)
	// Output:
	// SELECT id FROM invoices ORDER BY id LIMIT 20, 1001
	// the limit of 5000 was lowered to the maximum of 1000
}

// Ask why a statement gets what it gets.
func ExamplePlan() {
	r := newExample("postgres")
	for _, sql := range []string{
		"SELECT count(*) FROM invoices",
		"SELECT id FROM jobs FOR UPDATE SKIP LOCKED",
		"EXPLAIN SELECT id FROM invoices",
		"COPY invoices TO STDOUT",
	} {
		p := r.Script(sql, rewrite.Ask{}).Plans[0]
		fmt.Printf("%s: %s\n", p.Method, p.Why)
	}
	// Output:
	// pass: returns at most one row
	// exact: a probe row would be locked and delivered to nobody
	// guard: EXPLAIN takes no limit
	// refuse: the policy refuses COPY … TO STDOUT
}

// Each statement of a text gets a plan of its own, and the text between them stays.
func ExampleScript() {
	r := newExample("postgres")
	s := r.Script("INSERT INTO log VALUES (1); SELECT a FROM t; SELECT b FROM u LIMIT 7", rewrite.Ask{Limit: 5})
	fmt.Println(s.SQL())
	for _, p := range s.Plans {
		fmt.Println(p.Statement.Kind, p.Method, p.Cap.Source)
	}
	// Output:
	// INSERT INTO log VALUES (1); SELECT a FROM t LIMIT 6; SELECT b FROM u LIMIT 6
	// insert pass none
	// select probe tool_param
	// select probe tool_param
}

// A client's own bound for its session, as MySQL's sql_select_limit, is one more cap:
// the smaller one acts, and the client's meaning is kept.
func ExampleAsk() {
	r := newExample("mysql")
	for _, bound := range []uint64{50, 5000} {
		s := r.Script("SELECT id FROM invoices", rewrite.Ask{Session: &bound})
		fmt.Println(s.SQL(), s.Plans[0].Cap.Rows, s.Plans[0].Cap.Source)
	}
	// Output:
	// SELECT id FROM invoices 50 session
	// SELECT id FROM invoices LIMIT 101 100 default
}

// Nothing of a text is sent if one of its statements is refused.
func ExampleScript_Refused() {
	r := newExample("postgres")
	s := r.Script("DELETE FROM log; COPY log TO STDOUT", rewrite.Ask{})
	if refused := s.Refused(); refused != nil {
		fmt.Println(refused.Message)
	}
	// Output: COPY … TO STDOUT is refused: a copy that was cut would pass for a whole one
}

// MySQL takes no expression as a limit, so one that is a parameter is bounded when
// its value is bound.
func ExamplePlan_Bound() {
	r := newExample("mysql")
	p := r.Script("SELECT id FROM invoices WHERE total > ? LIMIT ?", rewrite.Ask{}).Plans[0]
	fmt.Println("parameter", p.Bind)
	for _, value := range []uint64{10, 5000} {
		plan, sent := p.Bound(value, true)
		fmt.Println(value, "is sent as", sent, "under", plan.Cap.Source)
	}
	// Output:
	// parameter 2
	// 10 is sent as 10 under user_sql
	// 5000 is sent as 1001 under capped
}

// Map the place of a server's error in the edited text back to the caller's.
func ExampleOriginalOffset() {
	r := newExample("postgres")
	s := r.Script("SELECT id FROM invoices; SELECT idd FROM invoices", rewrite.Ask{})
	at := strings.Index(s.SQL(), "idd") // as the server would say
	fmt.Println(at, rewrite.OriginalOffset(s.Edits(), at))
	// Output: 42 32
}

// Follow a session's settings, which change how its statements are read.
func ExampleRewriter_With() {
	r := newExample("mysql")
	sql := `SELECT 'C:\' FROM paths WHERE drive = 'C'`
	for _, mode := range []string{"", "NO_BACKSLASH_ESCAPES"} {
		p := r.With("sql_mode", mode).Script(sql, rewrite.Ask{}).Plans[0]
		fmt.Println(p.Method, rewrite.ApplyEdits(sql, p.Edits))
	}
	// Output:
	// guard SELECT 'C:\' FROM paths WHERE drive = 'C'
	// probe SELECT 'C:\' FROM paths WHERE drive = 'C' LIMIT 101
}

// Count the rows of an answer and say what is known at the end.
func ExampleMeter() {
	r := newExample("postgres")
	plan := r.Script("SELECT id FROM invoices ORDER BY id", rewrite.Ask{Limit: 2}).Plans[0]
	m := plan.Meter()
	for _, row := range []string{"first", "second", "third"} { // as the server sends them
		if m.Row() == rewrite.Deliver {
			fmt.Println(row)
		}
	}
	fmt.Println(m.Outcome().Completeness)
	if n, ok := r.Notice(m.Outcome()); ok {
		fmt.Println(n.Message)
		fmt.Println(n.Detail)
		fmt.Println(n.Hint)
	}
	// Output:
	// first
	// second
	// truncated
	// showing the first 2 rows; more rows exist
	// cap 2 from the limit given with the request
	// ask for up to 1000 rows, narrow the WHERE clause, or aggregate
}
