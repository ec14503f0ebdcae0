package rewrite_test

import (
	"fmt"
	"log"

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
	r := newExample("postgres")
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
	if n, ok := r.Notice(m.Outcome()); ok {
		fmt.Println(n.Message)
		fmt.Println(n.Detail)
		fmt.Println(n.Hint)
	}
	// Output:
	// first
	// second
	// showing the first 2 rows; more rows exist
	// cap 2 from the limit given with the request
	// ask for up to 1000 rows, narrow the WHERE clause, or aggregate
}
