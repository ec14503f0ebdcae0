package postgres

import (
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// space is what PostgreSQL's scanner takes for white space (scan.l).
const space = " \t\n\r\f\v"

// Parse reads a script. A statement's Text has no white space at its ends; comments
// before and behind it belong to it.
func (d Dialect) Parse(sql string) ([]rewrite.Statement, error) {
	statements, err := d.parseText(sql)
	if err != nil {
		unread := parseError(sql, err)
		unread.Writes = d.mayWriteText(sql)
		return nil, unread
	}
	return statements, nil
}

func (d Dialect) parseText(sql string) ([]rewrite.Statement, error) {
	if st, ok := d.long(sql); ok {
		return []rewrite.Statement{st}, nil
	}
	if err := checkText(sql); err != nil {
		return nil, err
	}
	if err := d.checkSettings(sql); err != nil {
		return nil, err
	}
	masked, err := d.mask(sql)
	if err != nil {
		return nil, err
	}
	statements, err := d.parse(masked)
	unmask(sql, statements)
	return statements, err
}

// parse reads a text as the parser is to read it.
func (d Dialect) parse(sql string) ([]rewrite.Statement, error) {
	t, err := read(sql)
	if err != nil {
		return d.parsePieces(sql, err)
	}
	var statements []rewrite.Statement
	for raw := range t.root().get("stmts").children {
		start := int(raw.get("stmt_location").int())
		end := len(sql)
		if n := int(raw.get("stmt_len").int()); n > 0 {
			end = start + n
		}
		if start < 0 || start > end || end > len(sql) {
			return nil, parseError(sql, errTree)
		}
		st := trimmed(sql, start, end)
		d.describe(&st, raw.get("stmt").only())
		statements = append(statements, st)
	}
	return statements, nil
}

// read parses sql. The parser takes two words that belong together (NOT IN, NULLS
// FIRST, the parts of a continued string) for a syntax error if a comment stands
// between them, where the server does not; so on an error the text is read once
// more with its comments blanked, which moves nothing.
func read(sql string) (*tree, error) {
	t, _, err := readTokens(sql)
	return t, err
}

// readTokens is read, and returns the tokens too where they had to be found.
func readTokens(sql string) (t *tree, tokens []token, err error) {
	if len(sql) > maxDepth {
		if tokens, err = scan(sql); err != nil {
			return nil, nil, err
		}
		if err := checkDepth(newWords(sql, tokens)); err != nil {
			return nil, nil, err
		}
	}
	t, err = readOnce(sql)
	if err == nil {
		return t, tokens, nil
	}
	if tokens == nil {
		var scanErr error
		if tokens, scanErr = scan(sql); scanErr != nil {
			return nil, nil, err
		}
	}
	blank := blankComments(sql, tokens)
	if blank == sql {
		return nil, nil, err
	}
	if t, blankErr := readOnce(blank); blankErr == nil {
		return t, tokens, nil
	}
	return nil, nil, err
}

// readBoth returns the tree and the tokens of sql.
func readBoth(sql string) (*tree, []token, error) {
	t, tokens, err := readTokens(sql)
	if err == nil && tokens == nil {
		tokens, err = scan(sql)
	}
	return t, tokens, err
}

func readOnce(sql string) (t *tree, err error) {
	defer recoverEngine(&err)
	text, err := engineParse(sql)
	if err != nil {
		return nil, err
	}
	return decodeTree(text)
}

// blankComments replaces every byte of a comment by a space. A line comment's
// newline is no part of it and stays.
func blankComments(sql string, tokens []token) string {
	var b []byte
	for _, t := range tokens {
		if !t.comment(sql) {
			continue
		}
		if b == nil {
			b = []byte(sql)
		}
		for i := t.start; i < t.end; i++ {
			b[i] = ' '
		}
	}
	if b == nil {
		return sql
	}
	return string(b)
}

// parsePieces reads a text that cannot be read as a whole, statement by statement.
// The one that cannot be read comes back as unknown.
func (d Dialect) parsePieces(sql string, whole error) ([]rewrite.Statement, error) {
	tokens, err := scan(sql)
	if err != nil {
		return nil, parseError(sql, whole)
	}
	pieces, ok := split(newWords(sql, tokens))
	if !ok {
		return nil, parseError(sql, whole)
	}
	var statements []rewrite.Statement
	for _, st := range pieces {
		t, err := read(st.Text)
		if err != nil {
			st.ReturnsRows = true
			st.Writes = d.mayWriteText(st.Text)
			st.Obstacle = parseError(st.Text, err).Error()
			statements = append(statements, st)
			continue
		}
		raw := t.root().get("stmts").only()
		if !raw.there() {
			continue
		}
		if int(raw.t.cells[raw.i].end) != len(t.cells) {
			return nil, parseError(sql, whole)
		}
		d.describe(&st, raw.get("stmt").only())
		statements = append(statements, st)
	}
	return statements, nil
}

// split cuts a text at its outermost semicolons. It cannot where brackets do not
// match or a routine's body (BEGIN ATOMIC … END) brings semicolons of its own.
func split(w words) (pieces []rewrite.Statement, ok bool) {
	var cuts []int
	depth, unsure := 0, false
	for i := range w.tokens {
		switch {
		case w.is(i, "("):
			depth++
		case w.is(i, ")"):
			depth--
			unsure = unsure || depth < 0
		case w.is(i, "atomic"):
			unsure = true
		case w.is(i, ";"):
			cuts = append(cuts, int(w.tokens[i].start))
			unsure = unsure || depth != 0
		}
	}
	if unsure && len(cuts) > 0 {
		return nil, false
	}
	start := 0
	for _, end := range append(cuts, len(w.sql)) {
		if st := trimmed(w.sql, start, end); st.Text != "" {
			pieces = append(pieces, st)
		}
		start = end + 1
	}
	return pieces, true
}

// trimmed returns the statement at sql[start:end] without the white space at its
// ends.
func trimmed(sql string, start, end int) rewrite.Statement {
	text := strings.TrimRight(sql[start:end], space)
	start += len(text)
	text = strings.TrimLeft(text, space)
	return rewrite.Statement{Text: text, Pos: start - len(text)}
}
