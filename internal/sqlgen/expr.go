package sqlgen

import "strconv"

// scope is what expressions may refer to.
type scope []relation

// has reports a column of the given kind.
func (s scope) has(k kind) bool {
	for _, r := range s {
		for _, c := range r.columns {
			if c.kind == k {
				return true
			}
		}
	}
	return false
}

// columnOf appends a column of the given kind, if the scope has one.
func (g *gen) columnOf(s scope, k kind) bool {
	var refs []string
	for _, r := range s {
		for _, c := range r.columns {
			if c.kind == k {
				refs = append(refs, r.name+"."+c.name)
			}
		}
	}
	if len(refs) == 0 {
		return false
	}
	g.word(refs[g.upTo(len(refs))])
	return true
}

// expr appends an expression of the given kind; depth bounds how it nests.
func (g *gen) expr(s scope, k kind, depth int) {
	if depth <= 0 || g.chance(45) {
		if g.chance(85) && g.columnOf(s, k) {
			return
		}
		if k == text {
			g.str()
		} else {
			g.small()
		}
		return
	}
	sub := func() { g.expr(s, k, depth-1) }
	if g.chance(25) {
		g.anyExpr(s, k, sub, depth)
	} else if k == number {
		g.numberExpr(s, sub, depth)
	} else {
		g.textExpr(s, sub, depth)
	}
}

// anyExpr appends an expression that there is of every kind.
func (g *gen) anyExpr(s scope, k kind, sub func(), depth int) {
	switch g.weigh(3, 3, 2, 2) {
	case 0:
		g.put("CASE WHEN")
		g.predicate(s, depth-1)
		g.put("THEN")
		sub()
		if g.chance(70) {
			g.put("ELSE")
			sub()
		}
		g.put("END")
	case 1:
		g.call("coalesce", sub, sub)
	case 2:
		g.call("nullif", sub, sub)
	case 3:
		g.scalarSubquery(s, k)
	}
}

func (g *gen) numberExpr(s scope, sub func(), depth int) {
	if g.Params && g.chance(12) {
		g.paramValue()
		return
	}
	switch g.weigh(6, 2, 2, 2, 1, 2, 2) {
	case 0:
		g.brackets(func() {
			sub()
			g.put(g.pick("+", "-"))
			sub()
		})
	case 1:
		g.brackets(func() {
			sub()
			g.put("* 2")
		})
	case 2:
		g.call("abs", sub)
	case 3:
		g.brackets(func() {
			g.put("-")
			sub()
		})
	case 4:
		g.call("char_length", func() { g.expr(s, text, depth-1) })
	case 5:
		g.put("CAST ~(")
		sub()
		if g.postgres() {
			g.put("AS integer )")
		} else {
			g.put("AS SIGNED )")
		}
	case 6:
		g.oddNumber(sub)
	}
}

// oddNumber appends what one dialect has only.
func (g *gen) oddNumber(sub func()) {
	switch {
	case g.postgres():
		switch g.upTo(5) {
		case 0:
			g.brackets(sub)
			g.put(":: int4")
		case 1:
			g.put("( ARRAY [ 4 , 5 , 6 ] ) [ 2 ]")
		case 2:
			g.put(`( '{"limit":3}' :: jsonb ->> 'limit' ) :: int`)
		case 3:
			g.put("EXTRACT ~( YEAR FROM DATE '2024-05-06' ) :: int")
		case 4:
			g.call("greatest", sub, sub)
		}
	default:
		switch g.upTo(6) {
		case 5:
			if g.PipesConcat {
				sub()
				return
			}
			g.brackets(func() { // OR
				sub()
				g.put("||")
				sub()
			})
		case 0:
			g.call("IF", func() { g.put("1 = 1") }, sub, sub)
		case 1:
			g.put("EXTRACT ~( YEAR FROM DATE '2024-05-06' )")
		case 2:
			g.put("0x1F + 0")
		case 3:
			g.brackets(func() {
				sub()
				g.put("DIV 2")
			})
		case 4:
			g.call("ifnull", sub, func() { g.small() })
		}
	}
}

func (g *gen) textExpr(s scope, sub func(), depth int) {
	switch g.weigh(3, 2, 2, 2) {
	case 0:
		g.call("concat", sub, func() { g.str() })
	case 1:
		g.call("substr", sub, func() { g.put("1") }, func() { g.number(1 + g.upTo(5)) })
	case 2:
		g.put("CAST ~(")
		g.expr(s, number, depth-1)
		if g.postgres() {
			g.put("AS text )")
		} else {
			g.put("AS CHAR )")
		}
	case 3:
		if g.postgres() || g.PipesConcat {
			g.brackets(func() {
				sub()
				g.put("||")
				g.str()
			})
			return
		}
		g.call("concat_ws", func() { g.str() }, sub, sub)
	}
}

// scalarSubquery appends a subquery of one row and one column.
func (g *gen) scalarSubquery(s scope, k kind) {
	if g.deep > 1 {
		g.small()
		return
	}
	if k == text {
		g.put("(")
		name := g.fresh("k")
		g.put("SELECT max ~( " + name + ".s ) FROM u " + name)
		g.where(append(scope{{name, []column{{"id", number}, {"a", number}}, true}}, s...), 40)
		g.put(")")
		return
	}
	g.deep++
	defer func() { g.deep-- }()
	name := g.fresh("k")
	inner := append(scope{{name, []column{{"id", number}, {"a", number}, {"v", number}}, true}}, s...)
	if g.chance(60) {
		g.put("( SELECT " + g.pick("max", "min", "sum", "count") + " ~( " + name + ".a ) FROM u AS " + name)
		g.where(inner, 50)
		g.put(")")
		return
	}
	g.put("( SELECT " + name + ".a FROM u " + name)
	g.where(inner, 40)
	g.put("ORDER BY " + name + ".id LIMIT 1 )")
}

// predicate appends a condition.
func (g *gen) predicate(s scope, depth int) {
	if depth > 0 && g.chance(35) {
		switch g.weigh(4, 3, 2) {
		case 0, 1:
			g.brackets(func() {
				g.predicate(s, depth-1)
				g.put(g.pick("AND", "OR"))
				g.predicate(s, depth-1)
			})
		case 2:
			g.put("NOT (")
			g.predicate(s, depth-1)
			g.put(")")
		}
		return
	}
	k := number
	if g.chance(25) {
		k = text
	}
	sub := func() { g.expr(s, k, depth-1) }
	switch g.weigh(10, 2, 2, 2, 2, 2, 2, 1) {
	case 0:
		sub()
		g.put(g.pick("<", ">", "=", "<>", "<=", ">="))
		sub()
	case 1:
		sub()
		g.put(g.pick("IS NULL", "IS NOT NULL"))
	case 2:
		sub()
		g.put(g.pick("IN (", "NOT IN ("))
		g.list(1+g.upTo(4), func(int) { sub() })
		g.put(")")
	case 3:
		sub()
		g.put("BETWEEN")
		sub()
		g.put("AND")
		sub()
	case 4:
		g.expr(s, text, depth-1)
		g.put("LIKE '" + g.pick("%e%", "t%", "one", "%") + "'")
	case 5:
		g.subqueryPredicate(s, sub, k)
	case 6:
		g.put("EXISTS (")
		g.inner(s, []kind{number})
		g.put(")")
	case 7:
		g.oddPredicate(sub)
	}
}

func (g *gen) subqueryPredicate(s scope, sub func(), k kind) {
	sub()
	if g.chance(30) {
		g.put(g.pick("=", ">", "<") + " " + g.pick("ANY", "ALL") + " (")
	} else {
		g.put(g.pick("IN (", "NOT IN ("))
	}
	g.deep++
	g.selectOf(s, []kind{k}, options{inner: true})
	g.deep--
	g.put(")")
}

func (g *gen) oddPredicate(sub func()) {
	if g.postgres() {
		sub()
		g.put(g.pick("IS DISTINCT FROM", "IS NOT DISTINCT FROM"))
		sub()
		return
	}
	sub()
	g.put("<=>")
	sub()
}

// inner appends a subquery for EXISTS.
func (g *gen) inner(s scope, kinds []kind) {
	if g.deep > 1 {
		g.put("SELECT 1")
		return
	}
	g.deep++
	defer func() { g.deep-- }()
	g.selectOf(s, kinds, options{inner: true})
}

// where appends a WHERE clause in p of 100 cases.
func (g *gen) where(s scope, p int) {
	if g.chance(p) {
		g.put("WHERE")
		g.predicate(s, 2)
	}
}

func itoa(n int) string { return strconv.Itoa(n) }
