package source

import (
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// comment notes a comment, and follows what migration tools and sqlc say in it. It
// returns where to go on, 0 for behind the comment.
func (c *splitter) comment(t rewrite.Token) (next int) {
	c.out.Comments = append(c.out.Comments, Comment{t.Start, t.End})
	if body, ok := strings.CutPrefix(c.text[t.Start:t.End], "--"); ok {
		c.annotation(strings.Fields(body), t)
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
	case words[0] == "name:" && len(words) == 3 && strings.HasPrefix(words[2], ":"): // sqlc
		c.finish(t.Start)
		c.name, c.single = words[1], "sqlc makes one function of one statement"
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

// flyway reads a placeholder ${name} of Flyway: what stands there is not known.
func (c *splitter) flyway(at int) (next int) {
	end := strings.IndexByte(c.text[at:], '}')
	if end < 0 {
		return 0
	}
	c.take(rewrite.Token{Start: at, End: at + end + 1, Kind: rewrite.TokenParam})
	c.st.Skip = "a placeholder ${…} stands in it, whose text is not known here"
	return at + end + 1
}

// isTemplate notes the marks of a template.
func (c *splitter) isTemplate(t rewrite.Token) bool {
	if c.text[t.Start] != '{' || c.out.Quote != 0 {
		return false
	}
	rest := c.text[t.Start:]
	if strings.HasPrefix(rest, "{{") || strings.HasPrefix(rest, "{%") || strings.HasPrefix(rest, "{#") {
		c.template = "the file is a Jinja template (as of dbt): have the compiled SQL checked"
		return true
	}
	return false
}

// Marker returns the dialect that the comments at the beginning of a text name: a line
// "-- dialect: mysql". Such comments read alike in all dialects.
func Marker(text string, d rewrite.Tokenizer) string {
	for t := range d.Tokens(text) {
		if t.Kind != rewrite.TokenComment {
			return ""
		}
		body := strings.Trim(text[t.Start:t.End], "-/*#"+blanks)
		if name, ok := strings.CutPrefix(body, "dialect:"); ok {
			return strings.ToLower(strings.TrimSpace(name))
		}
	}
	return ""
}
