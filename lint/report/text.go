package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/rowcap/rowcap/lint"
)

// text is for people: a line for each finding, its line of the file, and a caret
// under the place.
type text struct {
	out   io.Writer
	color bool
}

// Colours of a terminal.
const (
	red    = "31"
	yellow = "33"
	blue   = "34"
	dim    = "2"
	bold   = "1"
)

func (t *text) paint(s, color string) string {
	if !t.color {
		return s
	}
	return "\x1b[" + color + "m" + s + "\x1b[0m"
}

func (t *text) File(r lint.Result) error {
	var b strings.Builder
	if r.Err != nil {
		fmt.Fprintf(&b, "%s: %s %s\n", clean(r.Path), t.paint("not looked at:", red), clean(r.Err.Error()))
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Counts() {
			t.finding(&b, f)
		}
	}
	for _, s := range r.Skipped {
		where := clean(r.Path)
		if s.Start.Line > 0 {
			where += fmt.Sprintf(":%d:%d", s.Start.Line, s.Start.Column)
		}
		fmt.Fprintf(&b, "%s: %s %s\n", where, t.paint("skipped:", dim), clean(s.Why))
	}
	_, err := io.WriteString(t.out, b.String())
	return err
}

func (t *text) finding(b *strings.Builder, f *lint.Finding) {
	color := blue
	switch f.Severity {
	case lint.SeverityError:
		color = red
	case lint.SeverityWarning:
		color = yellow
	}
	fmt.Fprintf(b, "%s: %s %s %s\n", t.paint(fmt.Sprintf("%s:%d:%d", clean(f.Path), f.Start.Line, f.Start.Column), bold),
		t.paint(f.Severity.String()+":", color), clean(f.Message), t.paint("["+f.Rule.Code+" "+f.Rule.Name+"]", dim))
	if line, caret := excerpt(f); line != "" {
		number := fmt.Sprint(f.Start.Line)
		margin := strings.Repeat(" ", len(number))
		fmt.Fprintf(b, "  %s\n  %s%s\n", t.paint(number+" |", dim)+" "+line, t.paint(margin+" |", dim)+" ", t.paint(caret, color))
	}
	if f.Hint != "" {
		fmt.Fprintf(b, "  hint: %s\n", clean(f.Hint))
	}
}

// shown is how many characters of a line are shown.
const shown = 160

// excerpt returns the line that a finding stands in and a line that marks the place.
func excerpt(f *lint.Finding) (line, caret string) {
	if strings.TrimSpace(f.Line) == "" {
		return "", ""
	}
	runes := []rune(f.Line)
	from := min(f.Start.Column-1, len(runes))
	to := len(runes)
	if f.End.Line == f.Start.Line {
		to = min(max(f.End.Column-1, from), len(runes))
	}
	for to > from+1 && (runes[to-1] == ' ' || runes[to-1] == '\t') {
		to--
	}
	first := 0
	if from > shown*2/3 { // a long line: begin a little before the place
		first = from - 40
	}
	last := min(len(runes), first+shown)
	var mark strings.Builder
	for i := first; i < from; i++ {
		mark.WriteString(blank(runes[i]))
	}
	mark.WriteByte('^')
	for i := from + 1; i < min(to, last); i++ {
		mark.WriteString(strings.Repeat("~", width(runes[i])))
	}
	return clean(string(runes[first:last])), mark.String()
}

// blank is as wide as a character.
func blank(r rune) string {
	if r == '\t' {
		return "\t"
	}
	return strings.Repeat(" ", width(r))
}

// width is how many columns a terminal takes for a character: two for those of East
// Asia and for emoji, none for marks that join the character before.
func width(r rune) int {
	switch {
	case r >= 0x300 && r <= 0x36F, r == 0x200B, r == 0x200D, r >= 0xFE00 && r <= 0xFE0F:
		return 0
	case r >= 0x1100 && r <= 0x115F, r >= 0x2E80 && r <= 0xA4CF, r >= 0xAC00 && r <= 0xD7A3, r >= 0xF900 && r <= 0xFAFF,
		r >= 0xFE30 && r <= 0xFE6F, r >= 0xFF00 && r <= 0xFF60, r >= 0xFFE0 && r <= 0xFFE6, r >= 0x1F300 && r <= 0x1FAFF, r >= 0x20000 && r <= 0x3FFFD:
		return 2
	}
	return 1
}

// clean takes out what would move a terminal's cursor or colour its text.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && (r < ' ' || r >= 0x7F && r < 0xA0) || r == utf8.RuneError || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 {
			return '·'
		}
		return r
	}, s)
}

func (t *text) End(n Tally) error {
	_, err := fmt.Fprintln(t.out, t.paint(Summary(n), bold))
	return err
}

// Summary is a tally in words.
func Summary(n Tally) string {
	s := fmt.Sprintf("%s in %s: %s, %s, %s", count(n.Statements, "statement"), count(n.Files, "file"),
		count(n.Errors, "error"), count(n.Warnings, "warning"), count(n.Notes, "note"))
	for _, more := range []struct {
		n    int
		what string
	}{{n.Suppressed, "suppressed"}, {n.Known, "in the baseline"}, {n.Skipped, "skipped"}} {
		if more.n > 0 {
			s += fmt.Sprintf(", %d %s", more.n, more.what)
		}
	}
	if n.Failed > 0 {
		s += "; " + count(n.Failed, "file") + " not looked at"
	}
	switch {
	case n.Fixed > 0:
		s += fmt.Sprintf("; %d fixed", n.Fixed)
	case n.Fixable > 0:
		s += fmt.Sprintf("; --fix mends %d", n.Fixable)
	}
	return s
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
