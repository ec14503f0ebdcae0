package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	lintreport "github.com/rowcap/rowcap/lint/report"
)

// TestLintProgress draws a line for people only: nothing where nobody watches, and
// nothing that stays.
func TestLintProgress(t *testing.T) {
	tally := lintreport.Tally{Files: 2, Statements: 30, Warnings: 4}
	file, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var buffer bytes.Buffer
	for _, p := range []*progress{newProgress(file, nil), newProgress(&buffer, nil)} {
		p.begun = time.Now().Add(-time.Hour)
		if p.show(tally) {
			t.Error("a line is drawn where nobody watches")
		}
		p.stop()
	}
	if info, err := file.Stat(); err != nil || info.Size() > 0 || buffer.Len() > 0 {
		t.Errorf("%v, %q", err, buffer.String())
	}
	p := &progress{out: &buffer, begun: time.Now()}
	if p.show(tally) {
		t.Error("a line is drawn though the work took no time")
	}
	p.begun = time.Now().Add(-2 * time.Second)
	p.total.Store(4)
	if !p.show(tally) || p.show(tally) { // not twice within a tenth of a second
		t.Error("it is not drawn, or too often")
	}
	p.stop()
	p.show(tally)
	const line = "[###############...............] 2 of 4 files, 30 statements, 4 findings"
	if got := buffer.String(); got != "\r\x1b[K"+line+"\r\x1b[K" || strings.Contains(got, "\n") {
		t.Errorf("%q", got)
	}
}
