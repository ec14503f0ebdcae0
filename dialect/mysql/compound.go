package mysql

import "strings"

// is reports whether token i is the keyword, given in capitals.
func (s *source) is(i int, keyword string) bool {
	return i >= 0 && i < len(s.tokens) && isKeyword(s.text, s.tokens[i], keyword)
}

// isOp reports whether token i is the single character c.
func (s *source) isOp(i int, c byte) bool {
	if i < 0 || i >= len(s.tokens) {
		return false
	}
	t := s.tokens[i]
	return t.kind == tokenOp && t.length() == 1 && s.text[t.start] == c
}

func isKeyword(text string, t token, keyword string) bool {
	return t.kind == tokenWord && t.length() == len(keyword) && strings.EqualFold(text[t.start:t.end], keyword)
}

// compound reports whether the tokens seen so far begin a statement that may have
// statements of its own, so that a semicolon may not end it. text is the whole
// script, as offsets are still relative to it.
func (s *source) compound(text string) bool {
	whole := &source{text: text, tokens: s.tokens[:min(len(s.tokens), headTokens)]}
	return whole.routine() || whole.block()
}

// routine reports CREATE or ALTER of what has a body.
func (s *source) routine() bool {
	i := 1
	switch {
	case s.is(0, "CREATE"):
		if s.is(i, "OR") && s.is(i+1, "REPLACE") {
			i += 2
		}
	case !s.is(0, "ALTER"):
		return false
	}
	i = s.skipDefiner(i)
	if s.is(i, "AGGREGATE") {
		i++
	}
	for _, what := range []string{"PROCEDURE", "FUNCTION", "TRIGGER", "EVENT", "PACKAGE"} {
		if s.is(i, what) {
			return true
		}
	}
	return false
}

// skipDefiner returns the token after DEFINER = user, if that is what stands at i.
func (s *source) skipDefiner(i int) int {
	if !s.is(i, "DEFINER") || !s.isOp(i+1, '=') {
		return i
	}
	i += 3 // DEFINER, =, the user's name
	if s.isOp(i, '(') {
		return i + 2 // CURRENT_USER()
	}
	if i < len(s.tokens) && s.tokens[i].kind == tokenVar {
		return i + 1 // user@host
	}
	if s.isOp(i, '@') {
		return i + 2 // user@'host'
	}
	return i
}

// block reports MariaDB's statements that need no routine around them.
func (s *source) block() bool {
	if s.isOp(1, ':') {
		return true // a label
	}
	for _, first := range []string{"IF", "CASE", "LOOP", "WHILE", "REPEAT", "FOR", "DECLARE"} {
		if s.is(0, first) {
			return true
		}
	}
	return s.is(0, "BEGIN") && s.is(1, "NOT")
}

// changesReading reports a statement after which the server may read the rest of
// the script otherwise: SET of sql_mode or of a character set, and EXECUTE, whose
// text may be such a SET. Offsets are still relative to the script.
func (s *source) changesReading(text string) bool {
	whole := &source{text: text, tokens: s.tokens}
	if whole.is(0, "EXECUTE") {
		return true
	}
	if !whole.is(0, "SET") {
		return false
	}
	for i, t := range whole.tokens {
		if t.kind != tokenWord && t.kind != tokenName && t.kind != tokenVar {
			continue
		}
		name := strings.ToUpper(strings.Trim(text[t.start:t.end], "`\""))
		if dot := strings.LastIndexAny(name, ".@"); dot >= 0 {
			name = name[dot+1:]
		}
		switch name {
		case "SQL_MODE", "CHARACTER_SET_CLIENT", "NAMES", "CHARSET":
			return true
		case "CHARACTER", "CHAR":
			if whole.is(i+1, "SET") {
				return true
			}
		}
	}
	return false
}
