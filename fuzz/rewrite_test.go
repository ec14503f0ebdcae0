package fuzz

import (
	"reflect"
	"testing"
	"time"

	"github.com/rowcap/rowcap/rewrite"
)

// longest is the length in bytes of the longest text that is planned, and slowest how
// long planning one may take on a machine that has other things to do.
const (
	longest = 16 << 10
	slowest = 30 * time.Second
)

// FuzzRewritePostgres holds what fuzzRewrite says for PostgreSQL.
func FuzzRewritePostgres(f *testing.F) { fuzzRewrite(f, "postgres") }

// FuzzRewriteMySQL holds what fuzzRewrite says for MySQL.
func FuzzRewriteMySQL(f *testing.F) { fuzzRewrite(f, "mysql") }

// FuzzRewriteMariaDB holds what fuzzRewrite says for MariaDB.
func FuzzRewriteMariaDB(f *testing.F) { fuzzRewrite(f, "mariadb") }

// fuzzRewrite plans any text in any kind of session under any kind of policy. It never
// panics and ends in time; edits are few and small, stand in their own statement, begin
// and end at tokens, and leave all else as it was; the text with its edits reads back as
// the same statements with the planned limits, and planned again it is not changed; and what
// is planned by memory or by the shape of another text is what parsing says. A seed that
// 4 does not divide has the text scrambled by tokens first.
func fuzzRewrite(f *testing.F, name string) {
	dictionary := words(f, dictionaryOf(name))
	for i, sql := range cases(f, name) {
		f.Add(sql, uint8(0), uint8(i), uint64(i)*4)
	}
	for i, word := range dictionary {
		f.Add("SELECT a FROM t "+word, uint8(i), uint8(0), uint64(i)*4)
	}
	f.Fuzz(func(t *testing.T, text string, session, policy uint8, seed uint64) {
		if len(text) > longest {
			return
		}
		d := sessionOf(t, name, session)
		if seed%4 != 0 {
			text = scramble(d, text, dictionary, seed)
		}
		p, ask := policyOf(policy)
		begun := time.Now()
		s := checkPlanned(t, d, p, ask, text)
		checkRemembered(t, d, p, ask, s, seed)
		if took := time.Since(begun); took > slowest {
			t.Fatalf("%q takes %v", text, took)
		}
	})
}

// checkPlanned plans a text by parsing and checks the script.
func checkPlanned(t fataler, d reader, p rewrite.Policy, ask rewrite.Ask, text string) rewrite.Script {
	t.Helper()
	r, err := rewrite.New(parsing{d}, p)
	if err != nil {
		t.Fatalf("%v", err)
	}
	s := r.Script(text, ask)
	if s.Text != text {
		t.Fatalf("the script of %q has the text %q", text, s.Text)
	}
	checkEdits(t, s)
	checkTokens(t, d, s)
	checkReadsBack(t, d, s)
	checkAgain(t, r, s, ask)
	return s
}

// checkRemembered plans the text of s several times, and after others of its shape.
func checkRemembered(t fataler, d reader, p rewrite.Policy, ask rewrite.Ask, s rewrite.Script, seed uint64) {
	t.Helper()
	for i := range 3 {
		r, err := rewrite.New(d, p)
		if err != nil {
			t.Fatalf("%v", err)
		}
		other := ""
		if i > 0 {
			other = sibling(d, s.Text, seed+uint64(i))
			r.Script(other, ask)
		}
		for range 3 {
			again := r.Script(s.Text, ask)
			if again.SQL() != s.SQL() || !reflect.DeepEqual(again.Plans, s.Plans) || (again.Err == nil) != (s.Err == nil) {
				t.Fatalf("%q\nafter  %q\nby memory sends  %q\nby parsing sends %q\n%+v\n%+v", s.Text, other, again.SQL(), s.SQL(), again.Plans, s.Plans)
			}
		}
	}
}
