package sqlgen

// from appends a FROM clause and returns what it brings into scope, before outer.
func (g *gen) from(outer scope, most int) scope {
	g.put("FROM")
	joined := g.item()
	s := append(scope{joined}, outer...)
	for i := 1; i < most && g.chance(45); i++ {
		s = g.join(s)
	}
	return s
}

// join appends one join to what is in s.
func (g *gen) join(s scope) scope {
	switch g.weigh(4, 3, 1, 1, 1) {
	case 0:
		g.put(g.pick("JOIN", "INNER JOIN"))
		s = append(scope{g.item()}, s...)
		g.on(s)
	case 1:
		g.put(g.pick("LEFT JOIN", "LEFT OUTER JOIN"))
		s = append(scope{g.item()}, s...)
		g.on(s)
	case 2:
		g.put("CROSS JOIN")
		s = append(scope{g.item()}, s...)
	case 3:
		if g.postgres() {
			g.put("FULL JOIN")
			s = append(scope{g.item()}, s...)
			if s[:1].has(number) && s[1:2].has(number) {
				g.put("ON")
				g.columnOf(s[:1], number)
				g.put("=")
				g.columnOf(s[1:2], number)
			} else {
				g.put("ON true")
			}
			return s
		}
		g.put("RIGHT JOIN")
		s = append(scope{g.item()}, s...)
		g.on(s)
	case 4:
		if g.postgres() {
			g.put("CROSS JOIN LATERAL ( SELECT")
			name := g.fresh("l")
			g.expr(s, number, 1)
			g.put("AS x ) AS " + name)
			return append(scope{{name: name, columns: []column{{"x", number}}}}, s...)
		}
		g.put("STRAIGHT_JOIN")
		s = append(scope{g.item()}, s...)
		g.on(s)
	}
	return s
}

// on appends the condition that joins the newest relation with the one before.
func (g *gen) on(s scope) {
	g.put("ON")
	pair := s[:min(2, len(s))]
	if g.chance(70) && len(pair) == 2 && pair[1:].has(number) && g.columnOf(pair[:1], number) {
		g.put("=")
		g.columnOf(pair[1:], number)
		return
	}
	g.predicate(pair, 1)
}

// item appends a table, a derived table or a function, with an alias.
func (g *gen) item() relation {
	alias := g.alias("r")
	if g.deep < 2 {
		switch g.weigh(12, 3, 1, 1) {
		case 1:
			return g.derived(alias)
		case 2:
			if g.postgres() {
				g.call("generate_series", func() { g.put("1") }, func() { g.number(2 + g.upTo(5)) })
				g.put("AS")
				g.word(alias)
				g.put("( x )")
				return relation{name: alias, columns: []column{{"x", number}}}
			}
		case 3:
			if g.postgres() && g.Version >= 170000 && g.chance(40) {
				g.put("JSON_TABLE ~( jsonb '[4,2,2,null]' , '$[*]' COLUMNS ( n FOR ORDINALITY , x int PATH '$' ) ) AS")
				g.word(alias)
				return relation{name: alias, columns: []column{{"n", number}, {"x", number}}}
			}
			if g.postgres() {
				g.put("( VALUES ( 1 , 'one' ) , ( 2 , NULL ) , ( 3 , 'one' ) ) AS")
				g.word(alias)
				g.put("( x , y )")
				return relation{name: alias, columns: []column{{"x", number}, {"y", text}}}
			}
		}
	}
	r := g.table()
	g.word(r.name)
	if g.chance(50) {
		g.put("AS")
	}
	g.word(alias)
	r.name = alias
	return r
}

// table draws a table or a CTE.
func (g *gen) table() relation {
	if len(g.ctes) > 0 && g.chance(60) {
		return g.ctes[g.upTo(len(g.ctes))]
	}
	all := g.tables()
	return all[g.weigh(8, 6, 1, 2, 2, 1)]
}

// derived appends a subquery as a table.
func (g *gen) derived(alias string) relation {
	g.deep++
	defer func() { g.deep-- }()
	kinds := g.kinds(1, 3)
	g.put("(")
	cols := g.query(nil, kinds, options{inner: true, named: true, limits: true})
	g.put(") AS")
	g.word(alias)
	return relation{name: alias, columns: cols}
}

// alias makes up a name, now and then one in quotes.
func (g *gen) alias(prefix string) string {
	name := g.fresh(prefix)
	switch g.weigh(8, 1, 1) {
	case 1:
		return g.quotedAlias(name)
	case 2:
		if g.postgres() {
			return `"` + name + ` ""LIMIT"" 2"`
		}
		return "`" + name + " ``LIMIT`` 2`"
	}
	return name
}

func (g *gen) quotedAlias(name string) string {
	if g.postgres() || g.ANSIQuotes {
		return `"` + name + `"`
	}
	return "`" + name + "`"
}

// kinds draws the kinds of some columns.
func (g *gen) kinds(least, most int) []kind {
	out := make([]kind, least+g.upTo(most-least+1))
	for i := range out {
		if g.chance(25) {
			out[i] = text
		}
	}
	return out
}
