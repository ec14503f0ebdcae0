package source

import (
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// copiesIn reports COPY … FROM STDIN, whose data follow in the script of psql.
func (c *splitter) copiesIn() bool {
	if !c.postgres || !c.word(0, "copy") {
		return false
	}
	text := c.text[c.st.Start:c.last]
	way := c.copyWay(text)
	if !way.from || way.query {
		return false // a query's rows go out only
	}
	for t := range c.tokens.Tokens(text[way.end:]) {
		if t.Kind != rewrite.TokenComment {
			return t.Kind == rewrite.TokenWord && isStream(text[way.end+t.Start:way.end+t.End])
		}
	}
	return false
}

// isStream reports the words by which COPY names what its client sends or reads.
func isStream(word string) bool {
	return strings.EqualFold(word, "stdin") || strings.EqualFold(word, "stdout")
}

// copyWay is the word FROM or TO of a COPY.
type copyWay struct {
	end  int  // of the word, 0 if there is none
	from bool // it is FROM
	// query reports that a query stands before it, in the place of a table.
	query bool
}

// copyWay looks for FROM or TO in the text of a COPY.
func (c *splitter) copyWay(text string) (way copyWay) {
	depth, first := 0, true
	for t := range c.tokens.Tokens(text) {
		word := text[t.Start:t.End]
		switch {
		case word == "(":
			way.query = way.query || first
			depth++
		case word == ")":
			depth--
		case depth == 0 && t.Kind == rewrite.TokenWord && (strings.EqualFold(word, "from") || strings.EqualFold(word, "to")):
			way.end, way.from = t.End, len(word) == len("from")
			return way
		}
		first = t.Kind == rewrite.TokenComment || first && strings.EqualFold(word, "copy")
	}
	return way
}

// copyCommand reads psql's \copy at [at, end). It is a statement of its own, which psql
// sends at once: COPY … FROM STDIN or TO STDOUT, whatever it reads or writes itself. Its
// line is all of it, and no variables stand in it.
func (c *splitter) copyCommand(at, end int) (next int) {
	st := Statement{Start: at + 1, End: trimEnd(c.text, end), Name: c.name, Single: c.single, Takes: c.takes, Sent: true}
	text := c.text[st.Start:st.End]
	way := c.copyWay(text)
	from, to := skipBlanks(text, way.end), 0
	file := func() string { // as strtokx of psql reads it
		start := skipBlanks(text, to)
		to = start
		switch {
		case strings.HasPrefix(text[start:], "'"):
			for to++; to < len(text); to++ {
				if text[to] == '\'' {
					if to++; !strings.HasPrefix(text[to:], "'") {
						break
					}
				}
			}
		default:
			for to < len(text) && text[to] != ';' && strings.IndexByte(blanks, text[to]) < 0 {
				to++
			}
		}
		return text[start:to]
	}
	to = from
	name := file()
	if strings.EqualFold(name, "program") && !strings.HasPrefix(file(), "'") {
		name = "" // psql takes commands in quotes only
	}
	if way.end > 0 && name != "" {
		sent := "STDOUT"
		if way.from {
			sent = "STDIN"
		}
		st.Edits = []rewrite.Edit{{Start: from, End: to, Text: sent}}
	}
	c.out.Statements = append(c.out.Statements, st)
	if way.from && !way.query && isStream(name) {
		begin := c.begin
		next = c.behindData(end)
		c.begin = begin
		return next
	}
	return max(end, at+1)
}

// behindCopies returns what follows the data of the statements that were sent.
func (c *splitter) behindCopies(at int) int {
	for ; c.copies > 0; c.copies-- {
		at = c.behindData(at)
	}
	return at
}

// behindData returns what follows the data of a COPY: the line behind \. or the end.
func (c *splitter) behindData(at int) int {
	for at = lineEnd(c.text, at); at < len(c.text); {
		at++ // the newline, or the CR before it
		if at < len(c.text) && c.text[at-1] == '\r' && c.text[at] == '\n' {
			at++
		}
		end := lineEnd(c.text, at)
		if c.text[at:end] == `\.` {
			c.begin = end
			return end
		}
		at = end
	}
	c.begin = len(c.text)
	return len(c.text)
}
