// Package dialecttest is the suite that every dialect must pass: what a dialect
// writes it reads back, and it changes nothing else.
package dialecttest

import (
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

// Samples are texts of a dialect's grammar, by what the dialect must make of them.
type Samples struct {
	// Limitable are single statements into which a limit can be written.
	Limitable []string
	// Refused are single statements that return rows and for which SetLimit has
	// an error, whatever the number.
	Refused []string
	// Unreadable are texts that hold exactly one statement, which cannot be read.
	Unreadable []string
	// Scripts are texts of two statements or more, all of which can be read.
	Scripts []string
	// Fragments are pieces of SQL (words, quotes, comment marks, odd bytes) from
	// which random texts are made.
	Fragments []string
}

// rowCounts are the limits that are written into every sample.
var rowCounts = []uint64{1, 2, 101, 1 << 30}

// Run runs the suite. Every list of samples must have entries.
func Run(t *testing.T, d rewrite.Dialect, samples Samples) {
	t.Helper()
	for name, list := range map[string][]string{"Limitable": samples.Limitable, "Refused": samples.Refused,
		"Unreadable": samples.Unreadable, "Scripts": samples.Scripts, "Fragments": samples.Fragments} {
		if len(list) == 0 {
			t.Fatalf("the samples have no %s", name)
		}
	}
	t.Run("name", func(t *testing.T) {
		if d.Name() == "" {
			t.Error("the dialect has no name")
		}
	})
	t.Run("with", func(t *testing.T) { checkWith(t, d) })
	t.Run("empty", func(t *testing.T) { checkEmpty(t, d) })
	t.Run("limitable", func(t *testing.T) {
		for _, sql := range samples.Limitable {
			for _, rows := range rowCounts {
				checkSetLimit(t, d, sql, rows)
			}
		}
	})
	t.Run("refused", func(t *testing.T) { checkRefused(t, d, samples.Refused) })
	t.Run("unreadable", func(t *testing.T) { checkUnreadable(t, d, samples.Unreadable) })
	t.Run("scripts", func(t *testing.T) { checkScripts(t, d, samples.Scripts) })
	t.Run("random", func(t *testing.T) { checkRandom(t, d, samples) })
	t.Run("concurrent", func(t *testing.T) { checkConcurrent(t, d, samples) })
}

func checkWith(t *testing.T, d rewrite.Dialect) {
	if d.With("rowcap_no_such_setting", "on") != d {
		t.Error("With of an unknown setting returned another dialect")
	}
	if d.With("", "") != d {
		t.Error("With of no setting returned another dialect")
	}
}

func checkEmpty(t *testing.T, d rewrite.Dialect) {
	for _, sql := range []string{"", " ", "\n\t\r\n", ";", " ;;\n; ", "/* nothing */", "-- nothing", "-- nothing\n;", "/* a */ ; /* b */"} {
		if statements, err := d.Parse(sql); err != nil || len(statements) != 0 {
			t.Errorf("Parse(%q) = %+v, %v; want no statement and no error", sql, statements, err)
		}
	}
}

func checkRefused(t *testing.T, d rewrite.Dialect, list []string) {
	for _, sql := range list {
		st, ok := one(t, d, sql)
		if !ok {
			continue
		}
		if !st.ReturnsRows {
			t.Errorf("%q: ReturnsRows is false", sql)
		}
		for _, rows := range rowCounts {
			if edits, err := d.SetLimit(st, rows); err == nil || len(edits) > 0 {
				t.Errorf("%q: SetLimit(%d) = %+v, %v; want an error and no edits", sql, rows, edits, err)
			}
		}
	}
}

func checkUnreadable(t *testing.T, d rewrite.Dialect, list []string) {
	for _, sql := range list {
		st, ok := one(t, d, sql)
		if !ok {
			continue
		}
		if st.Kind != rewrite.KindUnknown || !st.ReturnsRows || st.Limitable || st.Obstacle == "" {
			t.Errorf("%q: kind %s, rows %t, limitable %t, obstacle %q; want unknown, true, false and an obstacle",
				sql, st.Kind, st.ReturnsRows, st.Limitable, st.Obstacle)
		}
		if edits, err := d.SetLimit(st, 1); err == nil || len(edits) > 0 {
			t.Errorf("%q: SetLimit = %+v, %v; want an error and no edits", sql, edits, err)
		}
	}
}

func checkScripts(t *testing.T, d rewrite.Dialect, list []string) {
	for _, sql := range list {
		statements, err := d.Parse(sql)
		if err != nil || len(statements) < 2 {
			t.Errorf("Parse(%q) = %d statements, %v; want two or more", sql, len(statements), err)
			continue
		}
		checkShape(t, sql, statements)
		for i, st := range statements {
			if st.Kind == rewrite.KindUnknown {
				t.Errorf("%q: statement %d cannot be read: %s", sql, i, st.Obstacle)
			}
			alone, err := d.Parse(st.Text)
			if err != nil || len(alone) != 1 {
				t.Errorf("%q: statement %d alone = %d statements, %v", sql, i, len(alone), err)
				continue
			}
			if st.Pos = alone[0].Pos; alone[0] != st {
				t.Errorf("%q: statement %d reads otherwise alone:\nin script %+v\nalone     %+v", sql, i, st, alone[0])
			}
		}
	}
}

// one reads a text that must hold exactly one statement.
func one(t *testing.T, d rewrite.Dialect, sql string) (rewrite.Statement, bool) {
	t.Helper()
	statements, err := d.Parse(sql)
	if err != nil || len(statements) != 1 {
		t.Errorf("Parse(%q) = %d statements, %v; want one", sql, len(statements), err)
		return rewrite.Statement{}, false
	}
	checkShape(t, sql, statements)
	return statements[0], true
}

// checkShape checks what holds for the statements of any text.
func checkShape(t *testing.T, sql string, statements []rewrite.Statement) {
	t.Helper()
	end := 0
	for i, st := range statements {
		switch {
		case st.Pos < end || st.Pos+len(st.Text) > len(sql):
			t.Errorf("%q: statement %d at [%d, %d) overlaps or lies outside", sql, i, st.Pos, st.Pos+len(st.Text))
			return
		case sql[st.Pos:st.Pos+len(st.Text)] != st.Text:
			t.Errorf("%q: statement %d is not the text at its place: %q", sql, i, st.Text)
		case st.Text == "":
			t.Errorf("%q: statement %d is empty", sql, i)
		case st.Kind == rewrite.KindUnknown && (!st.ReturnsRows || st.Obstacle == ""):
			t.Errorf("%q: statement %d is unknown with rows %t and obstacle %q", sql, i, st.ReturnsRows, st.Obstacle)
		case st.Limitable && !st.ReturnsRows:
			t.Errorf("%q: statement %d is limitable and returns no rows", sql, i)
		case st.ReturnsRows && !st.Limitable && st.Obstacle == "":
			t.Errorf("%q: statement %d is not limitable and no obstacle says why", sql, i)
		}
		end = st.Pos + len(st.Text)
	}
}
