package sqlgen

import "strconv"

// limit appends a limit in any spelling. ordered reports an ORDER BY before it.
func (g *gen) limit(inner, ordered bool) {
	l := Limit{Form: LimitNumber, Rows: uint64(g.rows())}
	kept := g.st.offset
	g.st.offset = span{}
	var count span
	if !inner && g.Params && g.chance(80) {
		l = Limit{Form: LimitParam}
		count = g.paramLimit(&l, ordered)
	} else if g.postgres() {
		count = g.postgresLimit(&l, ordered)
	} else {
		count = g.mysqlLimit(&l, ordered)
	}
	if inner {
		g.st.offset = kept
	} else {
		g.st.Limit, g.st.count = l, count
	}
}

// rows draws a number of rows, small ones more often.
func (g *gen) rows() int {
	switch g.weigh(1, 10, 4, 1) {
	case 0:
		return 0
	case 1:
		return 1 + g.upTo(8)
	case 2:
		return g.upTo(40)
	}
	return 500 + g.upTo(5000)
}

// spanOf returns the tokens that f appends.
func (g *gen) spanOf(f func()) span {
	from := len(g.tokens)
	f()
	return span{from, len(g.tokens)}
}

// offset appends a plain offset.
func (g *gen) offset(n int) { g.st.offset = g.spanOf(func() { g.number(g.upTo(n)) }) }

func (g *gen) rowsToken(l *Limit) span {
	return g.spanOf(func() { g.number(int(l.Rows)) })
}

func (g *gen) postgresLimit(l *Limit, ordered bool) (count span) {
	offset := func() {
		g.put("OFFSET")
		g.st.offset = g.spanOf(func() {
			switch g.weigh(5, 1, 1) {
			case 0:
				g.number(g.upTo(6))
			case 1:
				g.put("( 1 + 1 )")
			case 2:
				g.put("NULL")
			}
		})
	}
	switch g.weigh(10, 3, 3, 2, 2, 5, 3) {
	case 0:
		g.put("LIMIT")
		count = g.rowsToken(l)
	case 1:
		g.put("LIMIT")
		count = g.rowsToken(l)
		offset()
	case 2:
		offset()
		g.put("LIMIT")
		count = g.rowsToken(l)
	case 3:
		*l = Limit{}
		offset()
		g.put(g.pick("", "ROW", "ROWS"))
	case 4:
		*l = Limit{}
		g.put("LIMIT")
		g.put(g.pick("ALL", "NULL"))
		if g.chance(40) {
			offset()
		}
	case 5:
		return g.fetchFirst(l, ordered)
	case 6:
		g.put("LIMIT")
		count = g.spanOf(func() { g.limitExpression(l) })
		if g.chance(30) {
			offset()
		}
	}
	return count
}

// fetchFirst appends the standard's form.
func (g *gen) fetchFirst(l *Limit, ordered bool) (count span) {
	if g.chance(40) {
		g.put("OFFSET")
		g.offset(5)
		g.put(g.pick("ROW", "ROWS"))
	}
	g.put("FETCH " + g.pick("FIRST", "NEXT"))
	switch {
	case g.chance(15):
		l.Rows = 1
		count = span{len(g.tokens), len(g.tokens)}
	case g.postgres() && g.chance(15):
		count = g.spanOf(func() { g.brackets(func() { g.number(int(l.Rows)) }) })
		// The brackets leave a plain number in the tree.
	default:
		count = g.rowsToken(l)
	}
	g.put(g.pick("ROW", "ROWS"))
	if ordered && g.chance(30) {
		l.WithTies = true
		g.put("WITH TIES")
	} else {
		g.put("ONLY")
	}
	return count
}

// limitExpression appends a limit that is no plain number.
func (g *gen) limitExpression(l *Limit) {
	n := strconv.FormatUint(l.Rows, 10)
	l.Form = LimitExpression
	switch g.upTo(11) {
	case 0:
		g.put("( " + n + " + 1 )")
		l.Rows++
	case 1:
		g.put(n + " + 2")
		l.Rows += 2
	case 2:
		g.put(n + " :: " + g.pick("int", "bigint", "numeric"))
	case 3:
		g.put("'" + n + "'")
	case 4:
		g.put("( SELECT count ~( * ) FROM e ) + " + n)
	case 5:
		g.put("CAST ~( " + n + " AS bigint )")
	case 6:
		g.put(n + ".4") // rounded to the nearest integer
	case 7:
		g.put("2e1")
		l.Rows = 20
	case 8:
		g.put("CASE WHEN true THEN " + n + " END")
	case 9:
		g.put("( SELECT NULL :: bigint )")
		l.Rows = Unlimited
	case 10:
		g.put("least ~( " + n + " , 1000 )")
		l.Rows = min(l.Rows, 1000)
	}
}

func (g *gen) mysqlLimit(l *Limit, ordered bool) (count span) {
	if g.mariadb() && g.chance(6) {
		return g.examined(l)
	}
	switch g.weigh(10, 4, 4, 1, 1, 4) {
	case 0:
		g.put("LIMIT")
		count = g.rowsToken(l)
	case 1:
		g.put("LIMIT")
		g.offset(6)
		g.put(",")
		count = g.rowsToken(l)
	case 2:
		g.put("LIMIT")
		count = g.rowsToken(l)
		g.put("OFFSET")
		g.offset(6)
	case 3:
		g.put("LIMIT")
		l.Rows = Unlimited
		count = g.spanOf(func() { g.put("18446744073709551615") })
	case 4:
		g.put("LIMIT")
		g.offset(6)
		g.put(",")
		l.Rows = Unlimited - 5
		count = g.spanOf(func() { g.put("18446744073709551610") })
	case 5:
		if g.mariadb() {
			return g.fetchFirst(l, ordered)
		}
		g.put("LIMIT")
		count = g.rowsToken(l)
	}
	return count
}

// examined appends a limit with MariaDB's bound of the rows that are read. Mostly it
// is so large that it bounds nothing.
func (g *gen) examined(l *Limit) (count span) {
	g.put("LIMIT")
	switch g.weigh(3, 2, 2, 2) {
	case 0:
		*l = Limit{}
	case 1:
		count = g.rowsToken(l)
	case 2:
		g.offset(6)
		g.put(",")
		count = g.rowsToken(l)
	case 3:
		count = g.rowsToken(l)
		g.put("OFFSET")
		g.offset(6)
	}
	g.put("ROWS EXAMINED")
	g.st.Examined = true
	if g.chance(25) {
		g.st.Cut, g.st.Settled = true, false
		g.number(g.upTo(20))
	} else {
		g.put("9999999")
	}
	return count
}
