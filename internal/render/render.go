// Package render prints the results of queries, with the facts that a reader
// needs to read them right: how many rows there are, whether more exist, whose
// cap it was, and how to get more.
//
// # What values look like
//
// NULL, the empty text and the text NULL are told apart in every format:
//
//	          NULL    the empty text   the text NULL
//	table     NULL    ''               'NULL'
//	markdown  NULL    ''               'NULL'
//	csv       NULL    "" (quoted)      'NULL'
//	json      null    ""               "NULL"
//
// So that this can be read back, a text that is itself the word NULL (in a table or
// markdown: or nothing) within one or more pairs of single quotes gets one more
// pair; all other texts stand as they are.
//
// A table shows control characters as their pictures (␊ for a line feed), a
// markdown cell shows a line feed as <br> and others as \t, \r or \u001b, with a
// backslash before each backslash, pipe, backtick and <. CSV keeps them, in quotes.
// Programs that take a cell beginning with = + - or @ for a formula will do so:
// values are never changed for their sake.
//
// In JSON a number stands as a JSON number if a reader that keeps numbers as
// doubles gets it exactly, else as a string: integers beyond ±(2^53-1), numerics of
// many digits, NaN, Infinity. Booleans of PostgreSQL are true and false.
//
// Several results follow each other: in JSON as one document each, a line apart;
// in the other formats with an empty line between.
package render

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rowcap/rowcap/internal/query"
)

// Formats returns the names of the formats.
func Formats() []string { return []string{"table", "markdown", "csv", "json"} }

// Print writes results to w in the format with the given name.
func Print(w io.Writer, format string, results []query.Result) error {
	answers := make([]query.Answer, len(results))
	for i, r := range results {
		answers[i] = query.Answer{Result: r, Ran: true}
	}
	return PrintAnswers(w, answers, Options{Format: format})
}

// PrintAnswers writes answers to w, with what a caller may ask for beside their rows. Of a
// dry run it prints the SQL.
func PrintAnswers(w io.Writer, answers []query.Answer, o Options) error {
	if !slices.Contains(Formats(), o.Format) {
		return unknownFormat(o.Format)
	}
	b := bufio.NewWriter(w)
	for i, a := range answers {
		if i > 0 && o.Format != "json" {
			b.WriteString(newline(o.Format))
		}
		newDocument(a, len(a.Rows), 0, o).print(b, o.Format)
	}
	return b.Flush()
}

// print writes a document in one of Formats.
func (d document) print(w *bufio.Writer, format string) {
	switch {
	case format == "json" && d.Columns == nil && d.boundary == "":
		w.Write(append(encode(command{d.Command, d.facts.Warnings}), '\n'))
	case format == "json":
		w.Write(append(encode(d.facts), '\n'))
	case !d.Ran:
		d.dryRun(w, format)
	case format == "csv":
		d.csv(w)
	case format == "table":
		d.table(w)
	default:
		d.markdown(w)
	}
}

// text is what print writes.
func (d document) text(format string) string {
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	d.print(w, format)
	w.Flush()
	return b.String()
}

func unknownFormat(format string) error {
	return fmt.Errorf("format %q is not known: use one of %s", format, strings.Join(Formats(), ", "))
}

func newline(format string) string {
	if format == "csv" {
		return "\r\n"
	}
	return "\n"
}
