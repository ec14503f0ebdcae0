package render

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/rowcap/rowcap/internal/query"
)

// csv prints a result as RFC 4180 has it, with CRLF at line ends. The facts and
// warnings come first, in lines that begin with "# ".
func csv(w *bufio.Writer, r query.Result) error {
	if r.Columns == nil {
		w.WriteString("# " + oneLine(r.Command) + "\r\n")
	} else {
		w.WriteString("# " + csvFacts(r) + "\r\n")
	}
	csvWarnings(w, r)
	csvRows(w, r)
	return nil
}

func csvWarnings(w *bufio.Writer, r query.Result) {
	for _, remark := range warnings(r) {
		for i, line := range remark.lines() {
			if i == 0 {
				line = "warning: " + line
			}
			w.WriteString("# " + line + "\r\n")
		}
	}
}

func csvRows(w *bufio.Writer, r query.Result) {
	if len(r.Columns) == 0 {
		return
	}
	record := make([]string, len(r.Columns))
	for i, c := range r.Columns {
		record[i] = csvField(c.Name)
	}
	w.WriteString(strings.Join(record, ",") + "\r\n")
	for _, row := range r.Rows {
		for i, v := range row {
			record[i] = csvValue(v)
		}
		w.WriteString(strings.Join(record, ",") + "\r\n")
	}
}

// csvFacts are the facts under the names that they have in JSON.
func csvFacts(r query.Result) string {
	more, most := "unknown", "none"
	if m := hasMore(r); m != nil {
		more = fmt.Sprint(*m)
	}
	if l := limit(r); l != nil {
		most = fmt.Sprint(*l)
	}
	return fmt.Sprintf("rowCount: %d, hasMore: %s, completeness: %s, limit: %s, limitSource: %s",
		len(r.Rows), more, r.Outcome.Completeness, most, r.Outcome.Plan.Cap.Source)
}

func csvValue(v query.Value) string {
	switch {
	case v.Null:
		return "NULL"
	case unquoted(v.Text) == "NULL":
		return "'" + v.Text + "'"
	}
	return csvField(v.Text)
}

// csvField quotes what needs it. An empty field is quoted, so that a line is
// never empty, and so is one that would read as a comment.
func csvField(s string) string {
	if s == "" || strings.HasPrefix(s, "#") || strings.ContainsAny(s, ",\"\r\n") || s[0] == ' ' || s[len(s)-1] == ' ' {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}
