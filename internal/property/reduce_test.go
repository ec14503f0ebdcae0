package property

import (
	"slices"
	"strings"
	"time"

	"github.com/rowcap/rowcap/internal/sqlgen"
)

// reduce makes a statement that fails smaller, token by token, as long as it fails with
// the same words. What is left may fail for another reason: an order that is gone,
// say. It is a help for the reader.
func (c *drawn) reduce() string {
	if len(c.statement.Parts) > 0 {
		return "(a script is not reduced)"
	}
	why := c.fails(&tally{})
	tokens := c.statement.Tokens
	deadline := time.Now().Add(time.Minute)
	kept := len(tokens) // the outermost ORDER BY and what follows stay, as the keys are known
	for i, depth := 0, 0; i < len(tokens); i++ {
		switch text := strings.ToUpper(tokens[i].Text); {
		case text == "(":
			depth++
		case text == ")":
			depth--
		case text == "ORDER" && depth == 0 && c.statement.Ordered():
			kept = i
		}
	}
	kept = len(tokens) - kept
	for size := len(tokens) / 2; size > 0 && time.Now().Before(deadline); {
		smaller := false
		for at := 0; at < len(tokens)-kept; {
			to := end(tokens, at, size)
			without := slices.Delete(slices.Clone(tokens), at, to)
			if to <= len(tokens)-kept && c.with(without).failsAs(why) {
				tokens, smaller = without, true
			} else {
				at++
			}
			if time.Now().After(deadline) {
				break
			}
		}
		if !smaller || size > 4 {
			size /= 2
		}
	}
	small := c.with(tokens)
	if !small.runs() {
		return "(the original ends with an error now)"
	}
	return small.fails(&tally{})
}

// end returns where a piece of size tokens at at ends, with all brackets closed that it
// opens.
func end(tokens []sqlgen.Token, at, size int) int {
	depth := 0
	for i := at; i < len(tokens); i++ {
		switch tokens[i].Text {
		case "(":
			depth++
		case ")":
			depth--
		}
		if depth <= 0 && i-at+1 >= size {
			return i + 1
		}
	}
	return len(tokens)
}

func (c *drawn) with(tokens []sqlgen.Token) *drawn {
	d := *c
	d.statement = sqlgen.Statement{Tokens: tokens, Tail: c.statement.Tail, Settled: c.statement.Settled,
		Keys: c.statement.Keys, Total: c.statement.Total}
	d.sibling = d.statement.Text()
	return &d
}

// failsAs reports that the statement is one that the server runs, and fails with the
// words that why begins with.
func (c *drawn) failsAs(why string) bool {
	if c.statement.Text() == "" {
		return false
	}
	if !c.runs() {
		return false
	}
	for _, a := range c.whole {
		for _, k := range c.statement.Keys {
			if len(a.columns) <= k {
				return false
			}
		}
	}
	first := strings.Fields(c.fails(&tally{}))
	return len(first) > 0 && first[0] == strings.Fields(why)[0]
}

// runs runs the original again and reports that the server accepts it.
func (c *drawn) runs() (ok bool) {
	said := caught(func(t fataler) {
		c.whole, c.failed = c.run(t, c.statement, c.statement.Text(), c.ask.Session)
	})
	return said == "" && c.failed == nil
}
