package render

import (
	"bufio"
	"fmt"
	"strings"
)

// dryRun prints the SQL of a statement that was not sent.
func (d document) dryRun(w *bufio.Writer, format string) {
	switch {
	case d.boundary == "":
		w.WriteString(d.facts.SQL + "\n")
	case format == "csv":
		w.WriteString("# dry run, nothing was sent; SQL: " + oneLine(d.facts.SQL) + "\r\n")
	default:
		w.WriteString("Nothing was sent. This would be:\n\n")
		fence(w, d.facts.SQL)
	}
}

// fence prints SQL as a block of code whose fence is longer than any in it.
func fence(w *bufio.Writer, sql string) {
	ticks := "```"
	for strings.Contains(sql, ticks) {
		ticks += "`"
	}
	fmt.Fprintf(w, "%ssql\n%s\n%s\n", ticks, strings.Map(func(c rune) rune {
		if c == '\n' || c == '\t' {
			return c
		}
		return picture(c)
	}, sql), ticks)
}
