package mysql

import "strings"

// A statement that neither parser knows may have forms that only the servers know,
// in places that have no part in what is asked of it: how many rows come and where a
// limit stands. For a second reading these are given to the parsers in a plain form.
// What is left out stands in brackets of its own or ends before the next clause, and
// stays in the text byte for byte.

// ownGrammar are functions whose arguments have a grammar of their own in one of the
// servers. A call of them becomes a call of a function that the parsers know.
var ownGrammar = map[string]bool{
	"CAST": true, "CONVERT": true, "WEIGHT_STRING": true, "JSON_VALUE": true, "GROUP_CONCAT": true, "JSON_ARRAYAGG": true, "JSON_OBJECTAGG": true,
	"COLUMN_ADD": true, "COLUMN_CHECK": true, "COLUMN_CREATE": true, "COLUMN_DELETE": true, "COLUMN_EXISTS": true, "COLUMN_GET": true,
	"LAG": true, "LAST_VALUE": true, "LEAD": true, "MEDIAN": true, "NTH_VALUE": true, "NTILE": true, "PERCENTILE_CONT": true,
	"PERCENTILE_DISC": true, "ST_COLLECT": true,
}

// mariadbNames are words that MariaDB takes for names where no bracket follows, and
// the parsers do not.
var mariadbNames = map[string]bool{
	"CUME_DIST": true, "DENSE_RANK": true, "FIRST_VALUE": true, "GROUPS": true, "LAG": true, "LAST_VALUE": true, "LEAD": true,
	"NTH_VALUE": true, "NTILE": true, "PERCENT_RANK": true, "RANK": true, "ROW": true, "ROW_NUMBER": true,
}

// plainForm returns what the form that begins with token i is written as and the
// token behind it. It returns i itself if none begins there.
func (s *source) plainForm(i int) (text string, next int) {
	t := s.tokens[i]
	if t.kind != tokenWord {
		return "", i
	}
	switch word := strings.ToUpper(s.text[t.start:t.end]); word {
	case "SOUNDS":
		if s.is(i+1, "LIKE") {
			return " LIKE", i + 2
		}
	case "NATURAL": // INNER is what NATURAL JOIN is anyway
		switch {
		case s.is(i+1, "INNER") && s.is(i+2, "JOIN"):
			return " NATURAL JOIN", i + 3
		case s.is(i+1, "STRAIGHT_JOIN"):
			return " NATURAL JOIN", i + 2
		}
	case "INTERSECT", "EXCEPT":
		if s.is(i+1, "ALL") {
			return " " + word, i + 2
		}
	case "PREVIOUS":
		if s.is(i+1, "VALUE") && s.is(i+2, "FOR") {
			return " NEXT VALUE FOR", i + 3
		}
	case "GROUPING":
		if s.reserves() && s.is(i+1, "SETS") && s.isOp(i+2, '(') {
			return " 1", s.behindBrackets(i + 2)
		}
	case "QUALIFY":
		if s.reserves() {
			return "", s.behindQualify(i)
		}
	case "FOR":
		if s.mariadb && s.is(i+1, "SYSTEM_TIME") {
			if next := s.behindSystemTime(i + 2); next > i {
				return " PARTITION (p)", next // stands in the same place
			}
		}
	case "JSON_TABLE":
		if s.isOp(i+1, '(') {
			return " (SELECT 1)", s.behindBrackets(i + 1)
		}
	case "NOWAIT", "SKIP", "WAIT": // LOCK IN SHARE MODE is over
		switch {
		case !s.mariadb || !s.is(i-1, "MODE"):
		case word == "NOWAIT":
			return "", i + 1
		default:
			return "", i + 2
		}
	default:
		switch bracket := s.isOp(i+1, '('); {
		case bracket && ownGrammar[word]:
			return s.plainCall(i)
		case !bracket && s.mariadb && mariadbNames[word]:
			return " `" + word + "`", i + 1
		}
	}
	return "", i
}

// plainCall writes the call of a function of ownGrammar at token i.
func (s *source) plainCall(i int) (text string, next int) {
	next = s.behindBrackets(i + 1)
	if s.is(next, "WITHIN") && s.is(next+1, "GROUP") && s.isOp(next+2, '(') {
		next = s.behindBrackets(next + 2)
	}
	if s.is(next, "OVER") {
		return " sum(1)", next
	}
	return " abs(1)", next
}

// behindBrackets returns the token behind the bracket that closes the one at i, or
// the end.
func (s *source) behindBrackets(i int) int {
	depth := 0
	for ; i < len(s.tokens); i++ {
		switch {
		case s.isOp(i, '('):
			depth++
		case s.isOp(i, ')'):
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return i
}

// reserves reports a server to which GROUPING and QUALIFY are no names.
func (s *source) reserves() bool { return !s.mariadb && s.version >= 90000 }

// behindQualify returns the token that ends the condition behind QUALIFY at i: the
// next clause of the query, or what ends it. None of these words stands in an
// expression outside of brackets.
func (s *source) behindQualify(i int) int {
	for i++; i < len(s.tokens) && !s.isOp(i, ')'); i++ {
		if s.isOp(i, '(') {
			i = s.behindBrackets(i) - 1
			continue
		}
		for _, word := range []string{"ORDER", "LIMIT", "FOR", "LOCK", "INTO", "UNION", "EXCEPT", "INTERSECT"} {
			if s.is(i, word) {
				return i
			}
		}
	}
	return i
}

// behindSystemTime returns the token behind FOR SYSTEM_TIME …, whose point or range
// begins at i, or 0 if that is more than can be told.
func (s *source) behindSystemTime(i int) int {
	switch {
	case s.is(i, "ALL"):
		return i + 1
	case s.is(i, "AS") && s.is(i+1, "OF"):
		return s.behindMoment(i + 2)
	case s.is(i, "FROM"):
		if i = s.behindMoment(i + 1); s.is(i, "TO") {
			return s.behindMoment(i + 1)
		}
	case s.is(i, "BETWEEN"):
		if i = s.behindMoment(i + 1); s.is(i, "AND") {
			return s.behindMoment(i + 1)
		}
	}
	return 0
}

// behindMoment returns the token behind a literal, a variable, a name or a call, and
// what is added to it.
func (s *source) behindMoment(i int) int {
	if s.is(i, "TIMESTAMP") && !s.isOp(i+1, '(') || s.is(i, "TRANSACTION") {
		i++
	}
	for i < len(s.tokens) {
		if s.is(i, "INTERVAL") {
			i += 2 // its unit follows the number
		}
		switch {
		case s.isOp(i, '('):
			i = s.behindBrackets(i)
		case s.isOp(i+1, '('):
			i = s.behindBrackets(i + 1)
		default:
			i++
		}
		if !s.isOp(i, '+') && !s.isOp(i, '-') {
			return i
		}
		i++
	}
	return 0
}
