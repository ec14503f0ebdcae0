package fuzz

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/rewrite"
)

// executing are servers that execute comments by their versions.
var executing = []struct {
	dialect, version string
	number           int
}{
	{"mysql", "5.7.44", 50744}, {"mysql", "8.0.36", 80036}, {"mysql", "8.4.6", 80406}, {"mysql", "9.7.4", 90704},
	{"mariadb", "10.5.29-MariaDB", 100529}, {"mariadb", "10.11.19-MariaDB", 101119}, {"mariadb", "11.4.5-MariaDB", 110405}, {"mariadb", "12.0.2-MariaDB", 120002},
}

// FuzzComments has an executable comment stand in a text: head is what makes it one, with
// or without a version. Each server reads the text as if what it executes stood there
// without the comment's marks, and as if what it does not execute were blank: the same
// tokens at the same places, and the same statements with the same limits, unless it is
// left unread, as one with a semicolon in the comment is.
func FuzzComments(f *testing.F) {
	heads := []string{"!", "!40000 ", "!50701", "!50744 ", "!80036 ", "!080036 ", "!080037 ", "!90704 ", "!90705 ", "!100529 ", "!101119 ", "!101120 ", "!99999 ",
		"!50700 ", "!50699 ", "!100000 ", "!1", "!4000", "M!", "M!100529 ", "M!50701 ", "M!110405 ", "T!", "+", "*", ""}
	insides := []string{"LIMIT 8", "LIMIT 8 OFFSET 2", "FOR UPDATE", "; SELECT 2", ", b", "UNION SELECT 3", "ORDER BY a", "INTO @x", "'LIMIT 3'", "-- x", "# x\n LIMIT 5"}
	for i, head := range heads {
		for k, inside := range insides {
			f.Add("SELECT a FROM t ", head, inside, []string{"", " LIMIT 20", ";", " WHERE b = 1"}[(i+k)%4], uint8(i+k))
		}
	}
	f.Add("SELECT ", "!50701", "1 + ", "2 LIMIT 3", uint8(0))
	f.Add("", "!", "SELECT a FROM t LIMIT 9", "", uint8(4))
	f.Fuzz(func(t *testing.T, before, head, inside, behind string, which uint8) {
		text := before + "/*" + head + inside + "*/" + behind
		for _, part := range []string{before, head + inside, behind} {
			// Comments in comments are another matter, and a NUL byte in one leaves the text unread.
			if strings.Contains(part, "/*") || strings.Contains(part, "*/") || strings.IndexByte(part, 0) >= 0 {
				return
			}
		}
		if len(text) > longest || strings.HasSuffix(head+inside, "/") {
			return
		}
		if hint, ok := strings.CutPrefix(head+inside, "+"); ok && strings.ContainsAny(hint, "`'\"") {
			return // a hint whose quote is open may go on behind it, and is left unread
		}
		server := executing[int(which)%len(executing)]
		found, err := dialect.Lookup(server.dialect)
		if err != nil {
			t.Fatal(err)
		}
		d := found.With("server_version", server.version).(reader)
		marks, known := marksOf(server.dialect, server.number, head+inside, behind)
		if !known {
			return
		}
		blank := strings.Repeat(" ", len("/*")+len(head)+len(inside)+len("*/"))
		if marks > 0 {
			blank = strings.Repeat(" ", len("/*")+marks) + (head + inside)[marks:] + "  "
		}
		plain := before + blank + behind
		if covered(d, plain, len(before), len(before)+len("/*")+marks) || marks > 0 && covered(d, plain, len(text)-len(behind)-2, len(text)-len(behind)) {
			return // the marks stand in quotes, or in another comment
		}
		if got, want := withoutComments(d, text), withoutComments(d, plain); !slices.Equal(got, want) {
			t.Fatalf("%s %s has the tokens\n%q of %q, and\n%q of %q", server.dialect, server.version, got, text, want, plain)
		}
		sameStatements(t, d, text, plain)
	})
}

// marksOf returns how many bytes of a comment's text are the marks of one that the server
// executes, 0 if it does not. It is not known where versions of a series disagree.
// (MySQL: Reference Manual 11.7; MariaDB: Knowledge Base, Comment Syntax.)
func marksOf(name string, version int, comment, behind string) (n int, known bool) {
	rest, mariadb := strings.CutPrefix(comment, "M!")
	if mariadb && name != "mariadb" {
		return 0, true
	}
	if !mariadb {
		if rest, known = strings.CutPrefix(comment, "!"); !known {
			return 0, true
		}
	}
	marks := len(comment) - len(rest)
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	number := func(n int) int { v, _ := strconv.Atoi(rest[:n]); return v }
	if digits >= 6 {
		digits = 6
	}
	switch {
	case digits < 5:
		return marks, true
	case name == "mysql" && digits == 6 && version < 90000:
		return 0, false
	case name == "mysql" && digits == 6 && (len(rest) == 6 || !strings.ContainsAny(rest[6:7], " \t\n\v\f\r")):
		digits = 5
	}
	v := number(digits)
	if v > version || name == "mariadb" && !mariadb && v >= 50700 && v <= 99999 {
		return 0, true
	}
	return marks + digits, true
}

// covered reports that a token reaches into the bytes from from to to.
func covered(d rewrite.Tokenizer, text string, from, to int) bool {
	for token := range d.Tokens(text) {
		if token.Start < to && token.End > from {
			return true
		}
	}
	return false
}

// withoutComments returns what the tokens are and where they stand.
func withoutComments(d rewrite.Tokenizer, text string) (all []string) {
	for token := range d.Tokens(text) {
		if token.Kind != rewrite.TokenComment {
			all = append(all, fmt.Sprintf("%d %v %s", token.Start, token.Kind, text[token.Start:token.End]))
		}
	}
	return all
}

// sameStatements checks that two texts are read as the same statements.
func sameStatements(t *testing.T, d rewrite.Dialect, text, plain string) {
	t.Helper()
	got, gotErr := d.Parse(text)
	want, wantErr := d.Parse(plain)
	unread := func(all []rewrite.Statement) bool {
		return slices.ContainsFunc(all, func(st rewrite.Statement) bool { return st.Kind == rewrite.KindUnknown })
	}
	if unread(got) {
		return
	}
	if (gotErr == nil) != (wantErr == nil) || len(got) != len(want) {
		t.Fatalf("%q is %d statements, %v; %q is %d, %v", text, len(got), gotErr, plain, len(want), wantErr)
	}
	for i, a := range got {
		b := want[i]
		if a.Kind != b.Kind || a.ReturnsRows != b.ReturnsRows || a.Writes != b.Writes || a.Locks != b.Locks || a.Volatile != b.Volatile ||
			a.Ordered != b.Ordered || a.Grouped != b.Grouped || a.CatalogOnly != b.CatalogOnly || a.AtMostOneRow != b.AtMostOneRow || a.Limit != b.Limit {
			t.Fatalf("%q is read as %+v\n%q as %+v", text, a, plain, b)
		}
	}
}
