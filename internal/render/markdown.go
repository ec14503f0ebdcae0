package render

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/rowcap/rowcap/internal/query"
)

// markdown prints a result as a table of GitHub's dialect, the number of rows,
// and a trailing block of warnings.
func markdown(w *bufio.Writer, r query.Result) error {
	switch {
	case r.Columns == nil:
		w.WriteString(markdownText(r.Command) + "\n")
	case len(r.Columns) == 0:
		w.WriteString(count(r) + "\n")
	default:
		markdownTable(w, r)
		w.WriteString("\n" + count(r) + "\n")
	}
	markdownWarnings(w, r)
	return nil
}

func markdownTable(w *bufio.Writer, r query.Result) {
	names, rules := make([]string, len(r.Columns)), make([]string, len(r.Columns))
	for i, c := range r.Columns {
		names[i], rules[i] = markdownText(c.Name), "---"
		if c.Class == query.Number {
			rules[i] = "---:"
		}
	}
	markdownRow(w, names)
	markdownRow(w, rules)
	for _, row := range r.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = markdownText(shown(v))
		}
		markdownRow(w, cells)
	}
}

func markdownWarnings(w *bufio.Writer, r query.Result) {
	for i, remark := range warnings(r) {
		if i == 0 {
			w.WriteString("\nWarnings:\n\n")
		}
		for j, line := range remark.lines() {
			if j == 0 {
				w.WriteString("- " + markdownText(line) + "\n")
			} else {
				w.WriteString("  - " + markdownText(line) + "\n")
			}
		}
	}
}

func markdownRow(w *bufio.Writer, cells []string) {
	w.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// markdownText escapes what would end a cell or a line, or be taken for markup
// that hides text.
func markdownText(s string) string {
	var b strings.Builder
	for _, c := range s {
		switch {
		case c == '\\' || c == '|' || c == '`' || c == '<':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString("<br>")
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < 0x20 || c >= 0x7f && c < 0xa0 || c == 0x2028 || c == 0x2029:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}
