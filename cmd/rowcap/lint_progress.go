package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	lintreport "github.com/rowcap/rowcap/lint/report"
	"github.com/rowcap/rowcap/lint/source"
)

// terminal reports a stream that people watch.
func terminal(w any) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// colors reports that text is to be coloured.
func (c lintCmd) colors(out io.Writer) bool {
	return c.Color == "always" || c.Color == "auto" && os.Getenv("NO_COLOR") == "" && terminal(out)
}

// progress is a line on a terminal that says how far the linter is.
type progress struct {
	out   io.Writer // nil where nobody watches
	total atomic.Int64
	shown bool
	begun time.Time
	last  time.Time
	ended atomic.Bool
}

// newProgress counts the files in the background.
func newProgress(out io.Writer, paths []string) *progress {
	p := &progress{begun: time.Now()}
	if !terminal(out) {
		return p
	}
	p.out = out
	go func() {
		n := int64(0)
		for range source.Walk(paths) {
			if n++; p.ended.Load() {
				return
			}
		}
		p.total.Store(n)
	}()
	return p
}

// clear takes the line away, so that something else can be printed.
func (p *progress) clear() {
	if p.shown {
		io.WriteString(p.out, "\r\x1b[K")
		p.shown = false
	}
}

// show draws the line, a few times a second, once the work takes a while. It reports
// whether it did.
func (p *progress) show(t lintreport.Tally) bool {
	now := time.Now()
	if p.out == nil || now.Sub(p.begun) < time.Second || now.Sub(p.last) < 100*time.Millisecond {
		return false
	}
	p.last, p.shown = now, true
	line := fmt.Sprintf("%d files, %d statements, %d findings", t.Files, t.Statements, t.Errors+t.Warnings+t.Notes)
	if total := int(p.total.Load()); total > 0 {
		const width = 30
		done := min(t.Files*width/total, width)
		line = fmt.Sprintf("[%s%s] %d of %s", strings.Repeat("#", done), strings.Repeat(".", width-done), t.Files, fmt.Sprint(total)+line[strings.Index(line, " "):])
	}
	io.WriteString(p.out, "\r\x1b[K"+line)
	return true
}

// stop takes the line away for good.
func (p *progress) stop() {
	p.clear()
	p.ended.Store(true)
	p.out = nil
}
