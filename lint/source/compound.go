package source

import (
	"slices"
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// block is what is open in a statement that has statements of its own, and ended by END.
type block uint8

const (
	// blockStatements holds statements: BEGIN, IF, LOOP and their like.
	blockStatements block = iota
	// blockCase is CASE within an expression.
	blockCase
	// blockHead is the condition of WHILE or FOR; its statements follow behind DO or LOOP.
	blockHead
	// blockDeclarations stands before the BEGIN of a routine in Oracle's manner.
	blockDeclarations
)

// block follows the blocks in a statement that has statements of its own, so that no
// semicolon within ends it.
func (c *splitter) block(t rewrite.Token) {
	switch {
	case c.depth > 0:
	case c.postgres:
		if c.routine() {
			c.postgresBlock(c.text[t.Start:t.End])
		}
	case c.routine(), c.bare():
		c.mysqlBlock(strings.ToUpper(c.text[t.Start:t.End]), strings.ToUpper(c.text[c.before.Start:c.before.End]), t)
	}
}

// postgresBlock counts as psql does (psqlscan.l).
func (c *splitter) postgresBlock(word string) {
	switch {
	case strings.EqualFold(word, "begin"), strings.EqualFold(word, "case") && len(c.blocks) > 0:
		c.blocks = append(c.blocks, blockStatements)
	case strings.EqualFold(word, "end") && len(c.blocks) > 0:
		c.blocks = c.blocks[:len(c.blocks)-1]
	}
}

// mysqlBlock counts by the grammar of routines' bodies. word and before are the token and
// the one before it, in capitals.
func (c *splitter) mysqlBlock(word, before string, t rewrite.Token) {
	top := blockStatements
	if n := len(c.blocks); n > 0 {
		top = c.blocks[n-1]
	}
	open := func(b block) { c.blocks = append(c.blocks, b) }
	turn := func() { c.blocks[len(c.blocks)-1] = blockStatements }
	oracle := c.tokens.Name() == "mariadb"
	switch word {
	case "PROCEDURE", "FUNCTION", "PACKAGE":
		c.head = true
	case "SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "REPLACE", "SET", "CALL", "CREATE", "BEGIN":
		c.head = false
	}
	switch {
	case before == "END" && slices.Contains([]string{"IF", "CASE", "LOOP", "WHILE", "REPEAT", "FOR"}, word): // closed by END
	case word == "END":
		// Behind an expression it closes CASE, or REPEAT behind UNTIL, or it is a name.
		closes := top == blockCase || slices.Contains([]string{";", "BEGIN", "ATOMIC", "THEN", "ELSE"}, before) || c.follows(t, "repeat")
		if len(c.blocks) > 0 && closes {
			c.blocks = c.blocks[:len(c.blocks)-1]
		}
	case word == "BEGIN" && top == blockDeclarations, (word == "DO" || word == "LOOP") && top == blockHead:
		turn()
	case word == "BEGIN", word == "LOOP":
		open(blockStatements)
	case word == "CASE" && c.opens(before, top):
		open(blockStatements)
	case word == "CASE":
		open(blockCase)
	case word == "WHILE", word == "FOR" && oracle && c.opens(before, top) && c.loops(t):
		open(blockHead)
	case word == "IF" && c.opens(before, top), word == "REPEAT" && c.opens(before, top):
		open(blockStatements)
	case oracle && (word == "AS" || word == "IS") && c.heads(t):
		c.head = false
		open(blockDeclarations)
	case oracle && word == "DECLARE" && (c.count == 1 || before == "ROW" && len(c.blocks) == 0):
		open(blockDeclarations)
	}
}

// opens reports that a statement can begin behind such a token.
func (c *splitter) opens(before string, top block) bool {
	switch before {
	case "", ";", ":", "THEN", "ELSE", "DO", "LOOP", "REPEAT", "BEGIN", "ATOMIC", ">>":
		return top != blockCase
	case ")", "ROW", "DETERMINISTIC", "SQL", "DATA", "INVOKER", "DEFINER": // the end of a routine's head
		return len(c.blocks) == 0
	}
	return len(c.blocks) == 0 && (before[0] == '\'' || c.count > 2 && c.word(c.count-3, "returns"))
}

// follows reports one of such words behind a token.
func (c *splitter) follows(t rewrite.Token, words ...string) bool {
	return slices.Contains(words, strings.ToLower(firstWord(c.text[t.End:])))
}

// loops reports FOR name IN.
func (c *splitter) loops(t rewrite.Token) bool {
	rest := strings.TrimLeft(c.text[t.End:], blanks)
	return strings.EqualFold(firstWord(rest[wordEnd(rest):]), "in")
}

// heads reports AS or IS at the end of the head of a routine or a package, behind which
// its declarations stand: no expression, and no text in quotes in the place of a body.
func (c *splitter) heads(t rewrite.Token) bool {
	rest := strings.TrimLeft(c.text[t.End:], blanks)
	return c.head && rest != "" && strings.IndexByte("'\"$", rest[0]) < 0 && !c.follows(t, "null", "not", "true", "false", "unknown")
}

// bare reports what MariaDB runs outside of routines.
func (c *splitter) bare() bool {
	if c.word(0, "begin") {
		return c.word(1, "not") || c.count == 1 && c.follows(c.seen[0], "not")
	}
	if c.tokens.Name() != "mariadb" {
		return false
	}
	for _, first := range []string{"if", "case", "loop", "while", "repeat", "for", "declare"} {
		if c.word(0, first) {
			return true
		}
	}
	return len(c.seen) > 1 && c.text[c.seen[1].Start] == ':' // a label
}

// routine reports CREATE or ALTER of what may have a body with semicolons.
func (c *splitter) routine() bool {
	if !c.word(0, "create") && (c.postgres || !c.word(0, "alter")) {
		return false
	}
	for i := range c.seen {
		for _, what := range []string{"function", "procedure", "trigger", "event", "package"} {
			if c.word(i, what) {
				return true
			}
		}
	}
	return false
}
