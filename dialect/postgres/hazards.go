package postgres

import (
	"fmt"
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// The parser does not watch its stack: `SELECT 1+1+…` with some ten thousands of
// terms ends the process. So what is handed to it is bounded first, and text
// beyond the bounds counts as text that cannot be read. How deep a tree may be,
// maxDepth, differs between the two builds of the parser.
const (
	// maxText is the longest text in bytes that is parsed.
	maxText = 1 << 20
	// maxRuns bounds the squares of the lengths of runs of operator characters,
	// summed: the scanner reads the rest of a run anew for every token in it, so
	// 64,000 plus signs in a row would hold it for a minute.
	maxRuns = 1 << 24
)

// operatorChars are the characters that operators are made of (scan.l), and with
// them the marks of comments.
const operatorChars = "~!@#^&|`?+-*/%<>="

func checkText(sql string) error {
	if len(sql) > maxText {
		return &rewrite.ParseError{Message: fmt.Sprintf("the text has %d bytes, and at most %d are read", len(sql), maxText), Offset: -1}
	}
	if i := strings.IndexByte(sql, 0); i >= 0 {
		return &rewrite.ParseError{Message: "the text holds a NUL byte", Offset: i}
	}
	run, squares := 0, 0
	for i := 0; i < len(sql) && len(sql)*len(sql) > maxRuns; i++ {
		if operatorChar[sql[i]] {
			run++
			// The squares grow by the odd numbers.
			if squares += 2*run - 1; squares > maxRuns {
				return &rewrite.ParseError{Message: "runs of operator characters are too long to be read", Offset: i}
			}
		} else {
			run = 0
		}
	}
	return nil
}

var operatorChar = func() (set [256]bool) {
	for i := range len(operatorChars) {
		set[operatorChars[i]] = true
	}
	return set
}()

// checkDepth reports text whose parse tree could overflow the parser's stack.
// Text with fewer bytes than maxDepth has fewer tokens and needs no look.
func checkDepth(w words) error {
	if d, at := w.depth(); d > maxDepth {
		return &rewrite.ParseError{Message: "the statement is nested too deeply to be read", Offset: at}
	}
	return nil
}

// level is one open bracket or CASE on the way down.
type level struct {
	open string
	// run counts tokens since the last one that ends an operand for good: an
	// expression to the right of it is no deeper for what stands to the left.
	run int
	// chain counts what nests to the left over such tokens: each JOIN or set
	// operation holds all earlier ones of its level as an operand.
	chain int
	// between counts BETWEENs whose AND is still to come.
	between int
}

// chainCost is the weight of a JOIN or set operation against that of a token of
// an expression: its nodes are that much larger.
const chainCost = 3

// depth returns a bound, in tokens, for the depth of the parse tree, and the byte
// offset where it is reached: the tokens since the last separator, summed over
// the open brackets. AND and OR separate because the parser keeps a chain of
// them as one flat list.
func (w words) depth() (most, at int) {
	levels := []level{{}}
	below := 0 // run and chain of all levels but the last
	for i, t := range w.tokens {
		last := &levels[len(levels)-1]
		last.run++
		if sum := below + last.run + last.chain; sum > most {
			most, at = sum, int(t.start)
			if most > maxDepth {
				return most, at
			}
		}
		switch s := t.text(w.sql); s {
		case "(", "[":
			below += last.run + last.chain
			levels = append(levels, level{open: s})
			continue
		case ")":
			levels, below = closeLevel(levels, "(", below)
			continue
		case "]":
			levels, below = closeLevel(levels, "[", below)
			continue
		case ",":
			last.run = 0
			continue
		case ";":
			if len(levels) == 1 {
				last.chain = 0
			}
			last.run = 0
			continue
		}
		if !t.keyword || w.label(i) {
			continue
		}
		switch {
		case t.word(w.sql, "case"):
			below += last.run + last.chain
			levels = append(levels, level{open: "case"})
		case t.word(w.sql, "end"):
			levels, below = closeLevel(levels, "case", below)
		case t.word(w.sql, "when"), t.word(w.sql, "then"), t.word(w.sql, "else"):
			if last.open == "case" {
				last.run = 0
			}
		case t.word(w.sql, "or"):
			last.run = 0
		case t.word(w.sql, "between"):
			last.between++
		case t.word(w.sql, "and"):
			if last.between > 0 {
				last.between--
			} else {
				last.run = 0
			}
		case t.word(w.sql, "join"), t.word(w.sql, "union"), t.word(w.sql, "intersect"), t.word(w.sql, "except"):
			last.chain += chainCost
		}
	}
	return most, at
}

// closeLevel closes the innermost level if open opened it. What closes nothing is a
// syntax error or a name and leaves the levels as they are.
func closeLevel(levels []level, open string, below int) ([]level, int) {
	if levels[len(levels)-1].open != open {
		return levels, below
	}
	levels = levels[:len(levels)-1]
	last := levels[len(levels)-1]
	return levels, below - last.run - last.chain
}
