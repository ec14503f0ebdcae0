package mysql

import "strings"

// readTwice reports a WITH whose table is read more than once. MySQL 9.7 joins such
// readings and drops the ORDER BY under a LIMIT, as if an index of the table were in
// that order:
//
//	WITH n AS (SELECT DISTINCT a FROM t) SELECT x.a FROM n x JOIN n y ON y.a = x.a ORDER BY 1 LIMIT 5
//
// It goes by the names alone, so it may report a WITH whose tables are read once.
func (s *source) readTwice() bool {
	with, tables := false, 0
	for i := range s.tokens {
		if with = with || s.is(i, "WITH"); !with || !s.definesTable(i) {
			continue
		}
		if tables++; tables > maxWithTables || s.namesAgain(i) {
			return true
		}
	}
	return false
}

// maxWithTables is how many tables of WITH are looked at, each in a pass of its own.
const maxWithTables = 64

// definesTable reports a name that WITH gives to a query: n AS (…) or n (a, b) AS (…)
// behind WITH, RECURSIVE or a comma.
func (s *source) definesTable(i int) bool {
	if s.tokenName(i) == "" || !s.is(i-1, "WITH") && !s.is(i-1, "RECURSIVE") && !s.isOp(i-1, ',') {
		return false
	}
	next := i + 1
	if s.isOp(next, '(') {
		next = s.behindBrackets(next)
	}
	return s.is(next, "AS") && s.isOp(next+1, '(')
}

// namesAgain reports that the name at token i stands more than once elsewhere, but for
// the query that it is given to, which may be recursive.
func (s *source) namesAgain(i int) bool {
	name, times := s.tokenName(i), 0
	body := i + 1
	for !s.is(body, "AS") {
		body++
	}
	end := s.behindBrackets(body + 1)
	for k := range s.tokens {
		if (k < i || k >= end) && strings.EqualFold(s.tokenName(k), name) && !s.isOp(k+1, '.') {
			times++
		}
	}
	return times > 1
}

// tokenName returns the name that token i may be, without quotes, "" if it is none.
func (s *source) tokenName(i int) string {
	if i < 0 || i >= len(s.tokens) {
		return ""
	}
	t := s.tokens[i]
	switch t.kind {
	case tokenWord:
		return s.text[t.start:t.end]
	case tokenName:
		return strings.Trim(s.text[t.start:t.end], "`\"")
	}
	return ""
}
