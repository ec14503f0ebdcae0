package mysql

// clause is a limit clause of MariaDB that the parsers do not know, at the outermost
// level of brackets. It is given to them as LIMIT [offset,] count.
type clause struct {
	// from and to bound its tokens.
	from, to int
	pieces   []piece
	// noCount reports that the clause sets no limit: OFFSET n ROWS, LIMIT ROWS
	// EXAMINED n.
	noCount bool
	// count is the number's token, -1 if there is none.
	count int
	// after is the token behind which a number or a limit can be written where
	// count is -1.
	after int
	// fetch reports FETCH FIRST; ties has the token WITH of WITH TIES, else -1.
	fetch bool
	ties  int
}

// everyRow is the count that LIMIT needs for "all rows".
const everyRow = "18446744073709551615"

// findClause returns MariaDB's own limit clause, nil if there is none. A
// statement that begins with a bracket is left to the parsers.
func (s *source) findClause() *clause {
	if s.isOp(0, '(') {
		return nil
	}
	depth := 0
	for i := range s.tokens {
		switch {
		case s.isOp(i, '('):
			depth++
		case s.isOp(i, ')'):
			depth--
		case depth != 0 || s.tokens[i].kind != tokenWord:
		case s.is(i, "ROWS") && s.is(i+1, "EXAMINED"):
			return s.examined(i)
		case s.is(i, "OFFSET") && s.isCount(i+1) && s.isRows(i+2) && !s.is(i+3, "EXAMINED"):
			return s.offsetRows(i)
		case s.is(i, "FETCH") && (s.is(i+1, "FIRST") || s.is(i+1, "NEXT")):
			return s.fetchFirst(i, i)
		}
	}
	return nil
}

func (s *source) isRows(i int) bool { return s.is(i, "ROWS") || s.is(i, "ROW") }

// isCount reports a number or a parameter.
func (s *source) isCount(i int) bool {
	return i < len(s.tokens) && (s.tokens[i].kind == tokenInt || s.tokens[i].kind == tokenParam)
}

// examined reads LIMIT [count] ROWS EXAMINED n from ROWS at i on.
func (s *source) examined(i int) *clause {
	if !s.isCount(i + 2) {
		return nil
	}
	c := &clause{from: i, to: i + 3, count: -1, after: -1, ties: -1}
	if s.is(i-1, "LIMIT") {
		c.from, c.noCount, c.after = i-1, true, i-1
	}
	return c
}

// offsetRows reads OFFSET n ROWS, and FETCH after it, from OFFSET at i on.
func (s *source) offsetRows(i int) *clause {
	if s.is(i+3, "FETCH") {
		return s.fetchFirst(i, i+3)
	}
	return &clause{from: i, to: i + 3, count: -1, after: i + 2, ties: -1, noCount: true, fetch: true,
		pieces: []piece{{-1, "LIMIT"}, {i + 1, ""}, {-1, ","}, {-1, everyRow}}}
}

// fetchFirst reads FETCH {FIRST|NEXT} [n] {ROW|ROWS} {ONLY|WITH TIES} at i, in a
// clause that begins at from.
func (s *source) fetchFirst(from, i int) *clause {
	c := &clause{from: from, count: -1, after: i + 1, ties: -1, fetch: true, pieces: []piece{{-1, "LIMIT"}}}
	if from < i {
		c.pieces = append(c.pieces, piece{from + 1, ""}, piece{-1, ","})
	}
	i += 2
	if s.isCount(i) {
		c.count = i
		c.pieces = append(c.pieces, piece{i, ""})
		i++
	} else {
		c.pieces = append(c.pieces, piece{-1, "1"})
	}
	if !s.isRows(i) {
		return nil
	}
	switch {
	case s.is(i+1, "ONLY"):
		c.to = i + 2
	case s.is(i+1, "WITH") && s.is(i+2, "TIES"):
		c.ties, c.to = i+1, i+3
	default:
		return nil
	}
	return c
}

// bareRows reports the brackets that MariaDB's VALUES takes for rows, by their
// tokens: the parsers know VALUES ROW(…) only. It follows the outermost VALUES
// that the statement begins with, or all those that can begin a query.
func (s *source) bareRows(all bool) (rows map[int]bool) {
	if !s.mariadb || !all && !s.is(0, "VALUES") {
		return nil
	}
	rows = make(map[int]bool)
	s.rowsOf(0, rows)
	for i := 1; all && i < len(s.tokens); i++ {
		if s.is(i, "VALUES") && s.isOp(i+1, '(') && s.beginsQuery(i) {
			s.rowsOf(i, rows)
		}
	}
	return rows
}

// rowsOf notes the rows of VALUES at token i.
func (s *source) rowsOf(i int, rows map[int]bool) {
	if !s.is(i, "VALUES") {
		return
	}
	depth, first := 0, i+1
	for i = first; i < len(s.tokens); i++ {
		switch {
		case s.isOp(i, '('):
			if depth == 0 && (i == first || s.isOp(i-1, ',')) {
				rows[i] = true
			}
			depth++
		case s.isOp(i, ')'):
			if depth--; depth < 0 {
				return
			}
		case depth == 0 && !s.isOp(i, ','):
			return
		}
	}
}

// beginsQuery reports that a query can begin at token i, by what stands before.
func (s *source) beginsQuery(i int) bool {
	for _, word := range []string{"UNION", "EXCEPT", "INTERSECT", "ALL", "DISTINCT"} {
		if s.is(i-1, word) {
			return true
		}
	}
	return s.isOp(i-1, '(') || s.isOp(i-1, ')')
}
