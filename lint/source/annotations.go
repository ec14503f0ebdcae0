package source

import (
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// comment notes a comment, and follows what migration tools and sqlc say in it. It
// returns where to go on, 0 for behind the comment.
func (c *splitter) comment(t rewrite.Token) (next int) {
	c.out.Comments = append(c.out.Comments, Comment{t.Start, t.End})
	text := c.text[t.Start:t.End]
	if body, ok := strings.CutPrefix(text, "--"); ok {
		c.annotation(strings.Fields(body), t)
	}
	if t.Start == 0 || c.text[t.Start-1] == '\n' { // sqlc looks at the beginnings of lines
		c.sqlcName(text, t.Start)
	}
	if c.count == 0 {
		c.begin = t.End
	}
	return 0
}

// annotation follows one line comment.
func (c *splitter) annotation(words []string, t rewrite.Token) {
	if len(words) == 0 {
		return
	}
	switch {
	case words[0] == "+goose" && len(words) > 1:
		switch strings.ToLower(words[1]) {
		case "statementbegin":
			c.finish(t.Start)
			c.whole = true
		case "statementend":
			c.whole = false
			c.finish(t.Start)
		case "up", "down":
			c.finish(t.Start)
		}
	case words[0] == "migrate:up", words[0] == "migrate:down": // dbmate
		c.finish(t.Start)
	}
}

// sqlcName reads the comment by which sqlc names what follows: -- name: X :one, and the
// same behind # or in a comment of one line in the manner of C.
func (c *splitter) sqlcName(text string, at int) {
	body, ok := strings.CutPrefix(text, "--")
	if !ok {
		body, ok = strings.CutPrefix(text, "#")
	}
	if !ok {
		body = strings.TrimSuffix(strings.TrimPrefix(text, "/*"), "*/")
	}
	words := strings.Fields(body)
	if len(words) != 3 || words[0] != "name:" || words[2][0] != ':' {
		return
	}
	c.finish(at)
	c.name, c.single = words[1], "sqlc makes one function of one statement"
	switch words[2] {
	case ":one", ":batchone":
		c.takes = TakesOne
	case ":exec", ":execrows", ":execresult", ":execlastid", ":batchexec":
		c.takes = TakesNone
	default:
		c.takes = TakesAll
	}
}

// sqlcArgument reads sqlc.arg(name), sqlc.narg(name) and sqlc.slice(name).
func (c *splitter) sqlcArgument(t rewrite.Token) (next int) {
	rest, ok := strings.CutPrefix(c.text[t.End:], ".")
	if !ok {
		return 0
	}
	name := rest[:wordEnd(rest)]
	inside, ok := strings.CutPrefix(rest[len(name):], "(")
	i := strings.IndexByte(inside, ')')
	if !ok || i < 0 || name != "arg" && name != "narg" && name != "slice" {
		return 0
	}
	return c.replace(t.Start, t.End+1+len(name)+1+i+1)
}

// flyway reads a placeholder ${name} of Flyway, and a word before it: what stands there is
// not known. One within quotes or a comment changes neither.
func (c *splitter) flyway(at int) (next int) {
	end := strings.IndexByte(c.text[at:], '}')
	if end < 0 {
		return 0
	}
	c.take(rewrite.Token{Start: at, End: at + end + 1, Kind: rewrite.TokenParam})
	c.st.Skip = "a placeholder ${…} stands in it, whose text is not known here"
	return at + end + 1
}

// isTemplate notes the marks of a template. What stands between quotes is text of the
// statement, also with such marks, unless the template has quotes of its own within.
// Those in a comment change the rest only if they are blocks.
func (c *splitter) isTemplate(t rewrite.Token) bool {
	text, is := c.text[t.Start:t.End], false
	switch {
	case c.out.Quote != 0:
	case t.Kind == rewrite.TokenQuoted:
		is = (opens(text, "{{", "}}") || opens(text, "{%", "%}")) && wordEnd(c.text[t.End:]) > 0
	case t.Kind == rewrite.TokenComment:
		_, behind, found := strings.Cut(text, "{%")
		is = found && strings.Contains(behind, "%}")
	case text[0] == '{':
		rest := c.text[t.Start:]
		is = strings.HasPrefix(rest, "{{") || strings.HasPrefix(rest, "{%") || strings.HasPrefix(rest, "{#")
	}
	if is {
		c.template = "the file is a Jinja template (as of dbt): have the compiled SQL checked"
	}
	return is
}

// opens reports that a text ends between two marks.
func opens(text, open, end string) bool {
	i := strings.LastIndex(text, open)
	return i >= 0 && !strings.Contains(text[i:], end)
}

// Marker returns the dialect that the comments at the beginning of a text name: a line
// "-- dialect: mysql". Such comments read alike in all dialects.
func Marker(text string, d rewrite.Tokenizer) string {
	for t := range d.Tokens(text) {
		if t.Kind != rewrite.TokenComment {
			return ""
		}
		if name := markerIn(text[t.Start:t.End]); name != "" {
			return name
		}
	}
	return ""
}

// markerIn returns the dialect that a comment names, "" if it names none.
func markerIn(comment string) string {
	if name, ok := strings.CutPrefix(strings.Trim(comment, "-/*#"+blanks), "dialect:"); ok {
		return strings.ToLower(strings.TrimSpace(name))
	}
	return ""
}
