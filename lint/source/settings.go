package source

import (
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// Setting is a setting of a session and the value that a statement gives it.
type Setting struct{ Name, Value string }

// setting reads SET name = 'value' of a setting by which the server reads the statements
// behind it. Other forms of SET, as with several settings or with expressions, are not
// followed.
func (c *splitter) setting() (s Setting, ok bool) {
	reading := "sql_mode"
	if c.postgres {
		reading = "standard_conforming_strings"
	}
	if c.postgres && c.word(0, "reset") && c.count == 2 && (c.word(1, reading) || c.word(1, "all")) {
		return Setting{reading, "on"}, true
	}
	at := 1
	if c.word(at, "session") {
		at++
	}
	if !c.word(0, "set") || !c.word(at, reading) || c.count != at+3 || len(c.seen) != c.count {
		return s, false
	}
	if by := c.text[c.seen[at+1].Start:c.seen[at+1].End]; by != "=" && by != ":=" && !strings.EqualFold(by, "to") {
		return s, false
	}
	value := c.text[c.seen[at+2].Start:c.seen[at+2].End]
	switch c.seen[at+2].Kind {
	case rewrite.TokenQuoted:
		value = strings.Trim(value, `'"`)
	case rewrite.TokenWord:
		if c.postgres && strings.EqualFold(value, "default") {
			value = "on"
		}
	default:
		return s, false
	}
	return Setting{reading, value}, true
}

// follow reads what comes behind the statement as a session does that it ran in.
func (c *splitter) follow() {
	s, ok := c.setting()
	if !ok {
		return
	}
	if changed, ok := c.tokens.With(s.Name, s.Value).(rewrite.Tokenizer); ok {
		c.tokens, c.changed = changed, true
		c.st.Sets = &s
	}
}
