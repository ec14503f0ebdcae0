package source

import (
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// special looks for what command line clients and tools take out of a text before the
// server sees it. It returns where to go on, 0 for a token of SQL.
func (c *splitter) special(t rewrite.Token) (next int) {
	if t.Start == len(c.text) || c.isTemplate(t) { // at the end stands what has none
		return 0
	}
	if c.delimiter != ";" {
		if at := c.delimiterIn(t); at >= 0 {
			c.finish(at)
			c.begin = at + len(c.delimiter)
			return c.begin
		}
	}
	switch {
	case !c.postgres && strings.HasPrefix(c.text[t.Start:], `\N`): // NULL
	case c.text[t.Start] == '\\' && c.out.Quote == 0:
		return c.backslash(t.Start)
	case strings.HasPrefix(c.text[t.Start:], "${"), t.Kind == rewrite.TokenWord && c.text[t.End-1] == '$' && strings.HasPrefix(c.text[t.End:], "{"):
		return c.flyway(t.Start)
	case t.Kind == rewrite.TokenWord && !c.postgres && c.count == 0 && c.out.Quote == 0:
		return c.clientCommand(t)
	case t.Kind == rewrite.TokenWord && c.text[t.Start:t.End] == "sqlc":
		return c.sqlcArgument(t)
	case c.postgres && c.text[t.Start] == '@' && t.End == t.Start+1 && (c.name != "" || c.out.Quote != 0):
		if name := firstWord(c.text[t.End:]); name != "" && strings.HasPrefix(c.text[t.End:], name) {
			return c.replace(t.Start, t.End+wordEnd(c.text[t.End:]))
		}
	case c.text[t.Start] == ':' && t.End == t.Start+1 && c.square == 0 && (c.postgres && c.out.Quote == 0 || c.out.Named):
		return c.variable(t)
	}
	return 0
}

// replace puts a parameter in the place of a range and goes on behind it.
func (c *splitter) replace(start, end int) int {
	if c.count == 0 {
		c.take(rewrite.Token{Start: start, End: end, Kind: rewrite.TokenParam})
	}
	c.hide(start, end, c.placeholder())
	c.last, c.commentsFrom = end, len(c.out.Comments)
	return end
}

// wordEnd returns the length of the name that a text begins with.
func wordEnd(text string) int {
	i := 0
	for i < len(text) && (text[i] == '_' || text[i]|0x20 >= 'a' && text[i]|0x20 <= 'z' || text[i] >= '0' && text[i] <= '9' || text[i] >= 0x80) {
		i++
	}
	return i
}

// backslash reads a meta-command of psql or a command of the mysql client. Both end
// with their line, but for the mysql client's \g and \G and psql's separator \;
func (c *splitter) backslash(at int) (next int) {
	rest := c.text[at+1:]
	name := rest[:wordEnd(rest)]
	end := lineEnd(c.text, at)
	switch {
	case strings.HasPrefix(rest, ";"):
		c.finish(at)
		c.begin = at + 2
		return c.begin
	case !c.postgres && (strings.HasPrefix(rest, "g") || strings.HasPrefix(rest, "G")):
		c.finish(at)
		c.begin = at + 2
		return c.begin
	case !c.postgres && strings.HasPrefix(rest, "c"): // what was written is forgotten
		c.count = 0
		c.finish(at)
		c.begin = at + 2
		return c.begin
	case c.postgres && isBranch(name):
		return c.branch(name, at, end)
	case !c.postgres && strings.HasPrefix(rest, "d "):
		c.delimiter = strings.TrimSpace(c.text[at+2 : end])
	case c.postgres && name == "copy":
		next = c.copyCommand(at, end)
		if c.count > 0 { // the statement goes on behind it
			c.hide(at, next, "")
		}
		c.begin = next
		return next
	case c.postgres && sends(name):
		if name == "gset" { // which fails if more than one row comes
			c.st.Takes = TakesOne
		}
		c.finish(at)
		if c.copies > 0 {
			return c.behindCopies(end)
		}
	case c.postgres && (name == "r" || name == "reset"):
		c.count = 0
		c.finish(at)
	case c.count > 0: // the statement goes on behind it
		c.hide(at, end, "")
		return max(end, at+1)
	}
	c.begin = max(end, at+1)
	return c.begin
}

// sends reports psql's commands that send what was written before them.
func sends(command string) bool {
	switch command {
	case "g", "gx", "gset", "gexec", "gdesc", "crosstabview", "watch", "bind", "bind_named", "parse", "sendpipeline":
		return true
	}
	return false
}

// variable reads :name, :'name', :"name" and :{?name} of psql. A value is not known: a
// parameter stands for it, or an empty name in quotes.
func (c *splitter) variable(t rewrite.Token) (next int) {
	rest := c.text[t.End:]
	switch {
	case rest == "":
	case rest[0] == '\'':
		if i := strings.IndexByte(rest[1:], '\''); i > 0 && i == wordEnd(rest[1:]) && c.count > 0 {
			c.hide(t.Start, t.End, "") // the name in quotes stands for the value in quotes
			return t.End
		}
	case rest[0] == '"':
		if i := strings.IndexByte(rest[1:], '"'); i > 0 && i == wordEnd(rest[1:]) && c.count > 0 {
			c.hide(t.Start, t.End, "")
			return t.End
		}
	case strings.HasPrefix(rest, "{?"):
		if i := strings.IndexByte(rest, '}'); i >= 0 {
			return c.replace(t.Start, t.End+i+1)
		}
	default:
		if n := wordEnd(rest); n > 0 && (rest[0] < '0' || rest[0] > '9') {
			return c.replace(t.Start, t.End+n)
		}
	}
	return 0
}

// clientCommand reads what the mysql client takes for a command of its own at the
// beginning of a statement.
func (c *splitter) clientCommand(t rewrite.Token) (next int) {
	end := lineEnd(c.text, t.Start)
	switch strings.ToLower(c.text[t.Start:t.End]) {
	case "delimiter":
		if mark := strings.Fields(c.text[t.End:end]); len(mark) > 0 {
			c.delimiter = mark[0]
		}
	case "source", "system", "tee", "notee", "pager", "nopager", "prompt", "rehash", "warnings", "nowarning":
	default:
		return 0
	}
	c.begin = end
	return max(end, t.End)
}

// delimiterIn returns where the delimiter stands that begins in a token, -1 if none
// does. The client looks for it outside of quotes and comments, also within words.
func (c *splitter) delimiterIn(t rewrite.Token) int {
	if t.Kind == rewrite.TokenQuoted {
		return -1
	}
	if strings.HasPrefix(c.text[t.Start:], c.delimiter) {
		return t.Start
	}
	if t.Kind == rewrite.TokenBroken {
		return -1
	}
	if i := strings.Index(c.text[t.Start:t.End], c.delimiter); i >= 0 {
		c.take(rewrite.Token{Start: t.Start, End: t.Start + i, Kind: t.Kind})
		return t.Start + i
	}
	return -1
}
