package source

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// splitter cuts a script into statements by the dialect's tokens, as the command line
// client of the database does: psql for PostgreSQL, mysql for the others.
type splitter struct {
	cutting
	postgres  bool
	text      string
	out       *Script
	delimiter string
	params    int // of placeholders that stand for a tool's own
	branches
	// template is why the whole text cannot be read as SQL, "" if it can.
	template string
}

// cutting is how far the cutting is at some place in the text.
type cutting struct {
	tokens rewrite.Tokenizer
	// begin is where the statement may begin: behind the last separator or comment.
	begin int
	// seen are the statement's tokens; only the first ones are kept.
	seen []rewrite.Token
	// count is the number of its tokens, last is the end of the last one.
	count, last int
	st          Statement
	// commentsFrom is the number of comments before the statement's last token.
	commentsFrom int
	depth        int // of brackets
	blocks       []block
	head         bool          // of a routine, of whose body nothing was seen
	before       rewrite.Token // the statement's last token
	square       int           // of square brackets
	copies       int           // of COPY … FROM STDIN whose data follow what is sent next
	// whole is set between goose's StatementBegin and StatementEnd.
	whole bool
	// name, single and takes are what an annotation says of the statements that follow.
	name, single string
	takes        Takes
	// changed reports that tokens is another one since the pass began.
	changed bool
}

// keptTokens is how many tokens of a statement tell what it is.
const keptTokens = 12

// Cut finds the statements and comments of s, whose SQL is sql. The error says why
// the text is no SQL yet, as with a template.
func Cut(s *Script, sql string, d rewrite.Tokenizer) (template string) {
	begin := cutting{tokens: d, single: s.Single, takes: s.Takes}
	c := splitter{cutting: begin, postgres: d.Name() == "postgres", text: sql, out: s, delimiter: ";"}
	c.read()
	// A \copy in the midst of a statement ends before it does.
	slices.SortStableFunc(s.Statements, func(a, b Statement) int { return a.Start - b.Start })
	c.addOtherWays(begin)
	return c.template
}

// read reads the text once, on one way through its branches.
func (c *splitter) read() {
	for at := 0; at < len(c.text) && c.template == ""; {
		at = c.pass(at)
	}
	c.endBranches()
	c.finish(len(c.text))
}

// pass reads tokens from an offset on, and returns where to go on: behind what is not
// read by tokens, or at the end.
func (c *splitter) pass(base int) (next int) {
	for t := range c.tokens.Tokens(c.text[base:]) {
		t.Start, t.End = t.Start+base, t.End+base
		if t.Kind == rewrite.TokenComment {
			if c.isTemplate(t) {
				return len(c.text)
			}
			if next := c.comment(t); next > 0 {
				return next
			}
			continue
		}
		if next := c.special(t); next > 0 {
			return next
		}
		if c.template != "" {
			return len(c.text)
		}
		if t.Kind == rewrite.TokenOp && t.End == t.Start+1 && c.text[t.Start] == ';' && c.delimiter == ";" && c.divides() {
			c.finish(t.Start)
			c.begin = t.End
			switch {
			case c.copies > 0:
				return c.behindCopies(t.End)
			case c.changed:
				c.changed = false
				return t.End
			}
			continue
		}
		c.take(t)
	}
	return len(c.text)
}

// take adds a token to the statement.
func (c *splitter) take(t rewrite.Token) {
	if c.count == 0 {
		c.st = Statement{Start: skipBlanks(c.text, c.begin), Name: c.name, Single: c.single, Takes: c.takes}
	}
	c.count++
	c.last, c.commentsFrom = t.End, len(c.out.Comments)
	if len(c.seen) < keptTokens {
		c.seen = append(c.seen, t)
	}
	switch t.Kind {
	case rewrite.TokenOp:
		switch c.text[t.Start:t.End] {
		case "(":
			c.depth++
		case ")":
			c.depth--
		case "[":
			c.square++
		case "]":
			c.square--
		case ";":
			c.head = false
		}
	case rewrite.TokenWord:
		c.block(t)
	}
	c.before = t
}

// divides reports that a semicolon ends the statement.
func (c *splitter) divides() bool {
	return !c.whole && c.depth <= 0 && len(c.blocks) == 0
}

// word reports that the statement's token i is a word.
func (c *splitter) word(i int, w string) bool {
	return i < len(c.seen) && c.seen[i].Kind == rewrite.TokenWord && strings.EqualFold(c.text[c.seen[i].Start:c.seen[i].End], w)
}

// finish ends the statement at an offset.
func (c *splitter) finish(end int) {
	if c.count > 0 {
		end = trimEnd(c.text, end)
		for i := len(c.out.Comments) - 1; i >= c.commentsFrom && c.out.Comments[i].End == end && c.out.Comments[i].Start >= c.last; i-- {
			end = trimEnd(c.text, c.out.Comments[i].Start)
		}
		if c.copiesIn() {
			c.copies++
		}
		c.st.End = max(end, c.last)
		c.trimHidden()
		c.follow()
		c.out.Statements = append(c.out.Statements, c.st)
	}
	c.seen, c.count, c.depth, c.blocks, c.head, c.square, c.before = c.seen[:0], 0, 0, nil, false, 0, rewrite.Token{}
	c.begin = end
}

// trimHidden has the statement end before what was taken out at its end.
func (c *splitter) trimHidden() {
	for n := len(c.st.Edits); n > 0; n-- {
		e := c.st.Edits[n-1]
		if e.Text != "" || c.st.Start+e.End < c.st.End {
			return
		}
		c.st.End = max(c.st.Start, trimEnd(c.text, c.st.Start+e.Start))
		c.st.Edits = c.st.Edits[:n-1]
	}
}

// hide takes a range out of the statement, or puts text in its place.
func (c *splitter) hide(start, end int, text string) {
	c.st.Edits = append(c.st.Edits, rewrite.Edit{Start: start - c.st.Start, End: end - c.st.Start, Text: text})
}

// placeholder returns a parameter that stands for a tool's own.
func (c *splitter) placeholder() string {
	if !c.postgres {
		return "?"
	}
	c.params++
	return "$" + strconv.Itoa(100+c.params)
}

const blanks = " \t\n\r\f\v"

func skipBlanks(text string, at int) int {
	for at < len(text) && strings.IndexByte(blanks, text[at]) >= 0 {
		at++
	}
	return at
}

func trimEnd(text string, end int) int { return len(strings.TrimRight(text[:end], blanks)) }

// lineEnd returns the end of the line that an offset stands in, before the newline.
func lineEnd(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		at += i
		if at > 0 && text[at-1] == '\r' {
			at--
		}
		return at
	}
	return len(text)
}

// firstWord returns the letters that a text begins with, behind blanks.
func firstWord(text string) string {
	text = strings.TrimLeft(text, blanks)
	end := 0
	for end < len(text) && (text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z' || text[end] == '_') {
		end++
	}
	return text[:end]
}
