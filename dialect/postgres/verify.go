package postgres

import (
	"fmt"

	"github.com/rowcap/rowcap/rewrite"
)

// reading is one statement as it was read: its tokens, comments included, and its
// tree.
type reading struct {
	sql    string
	tokens []token
	stmt   node
}

func errorf(format string, args ...any) error { return fmt.Errorf(format, args...) }

// verify reads the edited text back. It must be the same statement with rows as
// its limit, and its tokens must be the old ones but for the edits.
func verify(before reading, edits []rewrite.Edit, rows uint64) error {
	after := reading{sql: rewrite.ApplyEdits(before.sql, edits)}
	if err := checkText(after.sql); err != nil {
		return err
	}
	t, tokens, err := readBoth(after.sql)
	if err != nil {
		return errorf("the limit could not be written: %v", err)
	}
	stmt, ok := single(t)
	if !ok || stmt.key() != before.stmt.key() {
		return errorf("the limit could not be written: the text became another one")
	}
	after.stmt, after.tokens = stmt, tokens
	if !sameTokens(before, after, edits) {
		return errorf("the limit could not be written: other words changed with it")
	}
	if !sameStatement(before.stmt, after.stmt, rows) {
		return errorf("the limit could not be written: the statement's meaning changed with it")
	}
	return nil
}

// sameStatement reports that the statements differ in nothing but the limit, and
// that after's limit is rows or before's bounded by rows.
func sameStatement(before, after node, rows uint64) bool {
	if before.key() == "FetchStmt" {
		old, now := before.get("howMany").int(), after.get("howMany").int()
		return same(before, after, "howMany") && magnitude(now) == rows && (old < 0) == (now < 0 || now == 0 && old < 0)
	}
	if !same(before, after, "limitCount", "limitOption") {
		return false
	}
	if after.get("limitOption").text() != "LIMIT_OPTION_COUNT" {
		return false
	}
	if now := readLimit(after); now.Form == rewrite.LimitLiteral {
		form := readLimit(before).Form
		return now.Rows == rows && (form == rewrite.LimitLiteral || form == rewrite.LimitNone)
	}
	return boundedBy(after.get("limitCount"), before.get("limitCount"), rows)
}

// boundedBy reports that n is LEAST(old, rows::bigint).
func boundedBy(n, old node, rows uint64) bool {
	least := n.get("MinMaxExpr")
	if least.get("op").text() != "IS_LEAST" {
		return false
	}
	var args []node
	for arg := range least.get("args").children {
		args = append(args, arg)
	}
	if len(args) != 2 || !same(args[0], old) {
		return false
	}
	cast := args[1].get("TypeCast")
	got, ok := integer(cast.get("arg"))
	names := cast.get("typeName", "names").strings()
	return ok && got == rows && len(names) == 2 && names[0] == "pg_catalog" && names[1] == "int8"
}

// sameTokens reports that every token of after is one of before, in its old order
// and at its old place as the edits moved it, or lies within an edit's text; and
// that every token of before is still there or was replaced by an edit.
func sameTokens(before, after reading, edits []rewrite.Edit) bool {
	i, j, shift := 0, 0, 0
	// same takes tokens up to the byte offset end of before's text.
	same := func(end int) bool {
		for ; i < len(before.tokens) && int(before.tokens[i].end) <= end; i++ {
			if j >= len(after.tokens) {
				return false
			}
			a, b := before.tokens[i], after.tokens[j]
			if int(a.start)+shift != int(b.start) || int(a.end)+shift != int(b.end) || a.code != b.code {
				return false
			}
			j++
		}
		return true
	}
	for _, e := range edits {
		if !same(e.Start) {
			return false
		}
		for i < len(before.tokens) && int(before.tokens[i].end) <= e.End {
			i++
		}
		if i < len(before.tokens) && int(before.tokens[i].start) < e.End {
			return false
		}
		for end := e.Start + shift + len(e.Text); j < len(after.tokens) && int(after.tokens[j].start) < end; j++ {
			if int(after.tokens[j].start) < e.Start+shift || int(after.tokens[j].end) > end {
				return false
			}
		}
		shift += len(e.Text) - (e.End - e.Start)
	}
	return same(len(before.sql)) && i == len(before.tokens) && j == len(after.tokens)
}
