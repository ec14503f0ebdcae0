package dialect_test

import (
	"fmt"
	"log"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/rewrite"
)

// Read a statement's facts and write a limit into it, without a policy.
func ExampleLookup() {
	d, err := dialect.Lookup("mariadb")
	if err != nil {
		log.Fatal(err)
	}
	statements, err := d.Parse("(SELECT id FROM a LIMIT 3) UNION ALL (SELECT id FROM b) # all; SELECT 1")
	if err != nil {
		log.Fatal(err)
	}
	for _, st := range statements {
		fmt.Println(st.Kind, st.Limit.Form == rewrite.LimitNone, st.Ordered)
		edits, err := d.SetLimit(st, 10)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(rewrite.ApplyEdits(st.Text, edits))
	}
	// Output:
	// select true false
	// (SELECT id FROM a LIMIT 3) UNION ALL (SELECT id FROM b) LIMIT 10 # all; SELECT 1
}

// Tell a dialect which server it reads for: executable comments are live or not by
// its version.
func ExampleLookup_version() {
	for _, version := range []string{"8.0.36", "9.7.4", "10.11.19-MariaDB"} {
		d, err := dialect.Lookup("mysql")
		if err != nil {
			log.Fatal(err)
		}
		d = d.With("server_version", version)
		statements, err := d.Parse("SELECT id FROM a /*!90000 LIMIT 3 */")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(d.Name(), statements[0].Limit.Form == rewrite.LimitLiteral)
	}
	// Output:
	// mysql false
	// mysql true
	// mariadb false
}
