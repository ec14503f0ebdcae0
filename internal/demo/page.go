package demo

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rowcap/rowcap/internal/query"
	"github.com/rowcap/rowcap/internal/render"
)

// shownRows is how many rows of a long answer are shown at its beginning.
const shownRows = 3

// page is where the story is written; err is the first error of writing.
type page struct {
	w   io.Writer
	err error
}

func (p *page) line(text string) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, strings.TrimRight(text, " "))
	}
}

func (p *page) say(format string, args ...any) { p.line("  " + fmt.Sprintf(format, args...)) }

func (p *page) heading(text string) {
	p.line("")
	p.line(text)
	p.line(strings.Repeat("-", len(text)))
}

// reads says what a person takes n rows for.
func (p *page) reads(n int) {
	p.say("Read as: %q", grouped(n)+" invoices are overdue")
}

// answer shows a result as a table, without the rows in the middle.
func (p *page) answer(r query.Result) error {
	var b bytes.Buffer
	if err := render.Print(&b, "table", []query.Result{r}); err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	const header = 2
	for i, line := range lines {
		row := i - header
		switch long := len(r.Rows) > shownRows+1; {
		case long && row == shownRows:
			p.line(fmt.Sprintf("    … %s rows more …", grouped(len(r.Rows)-shownRows)))
		case long && row > shownRows && row < len(r.Rows):
		default:
			p.line("    " + line)
		}
	}
	p.line("")
	return p.err
}

// grouped writes n with commas between groups of three digits.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
