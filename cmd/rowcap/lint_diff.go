package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/rowcap/rowcap/lint"
	lintreport "github.com/rowcap/rowcap/lint/report"
)

// diffReport prints what --fix would change as a unified diff.
type diffReport struct{ out io.Writer }

// around is how many lines a diff shows around a change.
const around = 3

// File prints the changes of one file.
func (d *diffReport) File(r lint.Result) error {
	if r.Err != nil {
		_, err := fmt.Fprintf(d.out, "# %s: not looked at: %v\n", r.Path, r.Err)
		return err
	}
	text, fixed := lint.Fix(r)
	if fixed == 0 {
		return nil
	}
	was := r.Text
	if r.Mark > 0 { // so that the diff can be applied
		was, text = "\ufeff"+was, "\ufeff"+text
	}
	_, err := io.WriteString(d.out, unified(r.Path, strings.SplitAfter(was, "\n"), strings.SplitAfter(text, "\n")))
	return err
}

// End prints nothing.
func (d *diffReport) End(lintreport.Tally) error { return nil }

// change is lines [from, to) of the old text that became lines [as, until) of the new.
type change struct{ from, to, as, until int }

// unified compares texts by lines. Edits are within lines or add some, so that
// following both texts from line to line finds every change.
func unified(path string, before, after []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", quoted("a/"+path), quoted("b/"+path))
	changes := changedLines(before, after)
	for i := 0; i < len(changes); {
		last := i
		for last+1 < len(changes) && changes[last+1].from-changes[last].to <= 2*around {
			last++
		}
		hunk(&b, before, after, changes[i:last+1])
		i = last + 1
	}
	return b.String()
}

// quoted puts a name into quotes as git and patch read them, if it has to be.
func quoted(name string) string {
	odd := func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == 0x7f }
	switch {
	case strings.ContainsFunc(name, odd):
	case strings.Contains(name, " "):
		return name + "\t" // where patch looks for the name's end
	default:
		return name
	}
	var b strings.Builder
	for _, c := range []byte(name) {
		switch {
		case c == '"', c == '\\':
			b.WriteString("\\" + string(rune(c)))
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	return `"` + b.String() + `"`
}

// changedLines finds the lines that differ.
func changedLines(before, after []string) (changes []change) {
	i, j := 0, 0
	for i < len(before) || j < len(after) {
		if i < len(before) && j < len(after) && before[i] == after[j] {
			i++
			j++
			continue
		}
		c := change{from: i, as: j}
		// The next line of the old text that stands in the new one ends the change.
		for i < len(before) {
			i++
			if i == len(before) {
				j = len(after)
				break
			}
			if k := next(after, j, before[i]); k >= 0 {
				j = k
				break
			}
		}
		if i >= len(before) {
			j = len(after)
		}
		c.to, c.until = i, j
		changes = append(changes, c)
	}
	return changes
}

// next looks for a line not far behind j, -1 if it is not there.
func next(lines []string, j int, line string) int {
	for k := j; k < min(len(lines), j+64); k++ {
		if lines[k] == line {
			return k
		}
	}
	return -1
}

func hunk(b *strings.Builder, before, after []string, changes []change) {
	first, last := changes[0], changes[len(changes)-1]
	lead := min(around, first.from)
	tail := min(around, len(before)-last.to)
	if tail > 0 && before[last.to+tail-1] == "" { // behind the last newline is no line
		tail--
	}
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n", first.from-lead+1, last.to+tail-first.from+lead, first.as-lead+1, last.until+tail-first.as+lead)
	at := first.from - lead
	for _, c := range changes {
		lines(b, " ", before[at:c.from])
		lines(b, "-", before[c.from:c.to])
		lines(b, "+", after[c.as:c.until])
		at = c.to
	}
	lines(b, " ", before[at:at+tail])
}

func lines(b *strings.Builder, mark string, text []string) {
	for _, line := range text {
		if line == "" {
			continue
		}
		b.WriteString(mark)
		b.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
