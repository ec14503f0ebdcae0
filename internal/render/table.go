package render

import (
	"bufio"
	"strings"
	"unicode"

	"github.com/rowcap/rowcap/internal/query"
)

// table prints an answer for people: aligned columns, numbers to the right, then
// the number of rows and the warnings.
func (d document) table(w *bufio.Writer) {
	switch {
	case d.Columns == nil:
		w.WriteString(oneLine(d.Command) + "\n")
	case len(d.Columns) > 0:
		tableRows(w, d.Result)
		fallthrough
	default:
		w.WriteString("(" + d.count() + ")\n")
	}
	if d.facts.Total != nil {
		w.WriteString(totalText(*d.facts.Total) + "\n")
	}
	if next := d.nextPage(); next != "" {
		w.WriteString(next + "\n")
	}
	for _, remark := range d.facts.Warnings {
		for i, line := range remark.lines() {
			if i == 0 {
				line = "warning: " + line
			} else {
				line = "  " + line
			}
			w.WriteString(line + "\n")
		}
	}
}

func tableRows(w *bufio.Writer, r query.Result) {
	cells := make([][]string, 0, len(r.Rows)+1)
	header := make([]string, len(r.Columns))
	for i, c := range r.Columns {
		header[i] = oneLine(c.Name)
	}
	cells = append(cells, header)
	for _, row := range r.Rows {
		line := make([]string, len(row))
		for i, v := range row {
			line[i] = oneLine(shown(v))
		}
		cells = append(cells, line)
	}
	widths := make([]int, len(r.Columns))
	for _, line := range cells {
		for i, cell := range line {
			widths[i] = max(widths[i], width(cell))
		}
	}
	for n, line := range cells {
		for i, cell := range line {
			pad := strings.Repeat(" ", widths[i]-width(cell))
			last := i == len(line)-1
			switch {
			case n > 0 && r.Columns[i].Class == query.Number:
				cell = pad + cell
			case !last:
				cell += pad
			}
			if i > 0 {
				w.WriteString(" | ")
			}
			w.WriteString(cell)
		}
		w.WriteString("\n")
		if n == 0 {
			for i, n := range widths {
				if i > 0 {
					w.WriteString("-+-")
				}
				w.WriteString(strings.Repeat("-", n))
			}
			w.WriteString("\n")
		}
	}
}

// width is the number of terminal cells that s takes.
func width(s string) int {
	n := 0
	for _, c := range s {
		switch {
		case unicode.In(c, unicode.Mn, unicode.Me, unicode.Cf):
		case wide(c):
			n += 2
		default:
			n++
		}
	}
	return n
}

// wide reports characters of East Asian scripts and emoji, which take two cells.
func wide(c rune) bool {
	return c >= 0x1100 && (c <= 0x115f || c >= 0x2e80 && c <= 0xa4cf && c != 0x303f || c >= 0xac00 && c <= 0xd7a3 ||
		c >= 0xf900 && c <= 0xfaff || c >= 0xfe30 && c <= 0xfe6f || c >= 0xff00 && c <= 0xff60 || c >= 0xffe0 && c <= 0xffe6 ||
		c >= 0x1f300 && c <= 0x1f64f || c >= 0x1f900 && c <= 0x1f9ff || c >= 0x20000 && c <= 0x3fffd)
}
