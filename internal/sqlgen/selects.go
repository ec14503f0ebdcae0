package sqlgen

// options say where a query stands.
type options struct {
	inner  bool // in brackets: its limit and order are none of the statement's
	named  bool // its columns need names, no two the same
	limits bool // it may have a limit of its own
	arm    bool // of a set operation, without brackets
	simple bool // one table, nothing that keeps its rows from being locked
}

// core is what is known of a SELECT without its ORDER BY.
type core struct {
	columns []column
	from    scope
	// unique are columns that tell all rows apart, nil if there are none.
	unique []string
	// needsOrder reports DISTINCT ON, whose rows only an order settles.
	needsOrder bool
	// noOrder reports WITH ROLLUP on MariaDB, which takes no ORDER BY.
	noOrder bool
}

// selectOf appends SELECT … with columns of the given kinds.
func (g *gen) selectOf(outer scope, kinds []kind, o options) core {
	g.put("SELECT")
	var c core
	distinct := false
	if !o.simple && len(outer) == 0 || !o.simple && g.chance(10) {
		switch g.weigh(10, 2, 1) {
		case 1:
			g.put("DISTINCT")
			distinct = true
		case 2:
			if g.postgres() && !o.arm && !(o.inner && !o.limits) {
				g.put("DISTINCT ON ( 1 )")
				distinct, c.needsOrder = true, true
			} else if !g.postgres() {
				g.put(g.pick("ALL", "SQL_NO_CACHE", "HIGH_PRIORITY", "SQL_BIG_RESULT", "SQL_CALC_FOUND_ROWS"))
				if o.inner || o.arm { // SQL_CALC_FOUND_ROWS and others stand at the top only
					g.tokens[len(g.tokens)-1].Text = "ALL"
				}
			} else {
				g.put("ALL")
			}
		}
	}
	// The list stands before FROM, but needs what FROM brings: it is drawn after
	// and moved.
	at := len(g.tokens)
	most := 3
	if o.simple {
		most = 1
	}
	var windows []string // names, each with the column that it is ordered by
	c.from = g.fromFor(outer, most, o)
	g.where(c.from, 50)
	grouped := !o.simple && g.chance(22)
	from := append([]Token(nil), g.tokens[at:]...)
	g.tokens = g.tokens[:at]
	if grouped {
		c.columns = g.groupedList(&c, c.from[:len(c.from)-len(outer)], kinds, o, from)
		return c
	}
	c.columns = g.items(kinds, o, func(k kind) {
		if !o.simple && len(outer) == 0 && k == number && g.chance(8) {
			g.window(c.from, &windows)
			return
		}
		g.expr(c.from, k, 2)
	})
	g.tokens = append(g.tokens, from...)
	if len(windows) > 0 {
		g.put("WINDOW")
		g.list(len(windows)/2, func(i int) {
			g.put(windows[i*2] + " AS ( ORDER BY")
			g.word(windows[i*2+1])
			g.put(")")
		})
	}
	if !distinct && len(outer) == 0 {
		c.unique = uniqueOf(c.from)
	}
	return c
}

// fromFor appends FROM with tables that can be locked only, if need be.
func (g *gen) fromFor(outer scope, most int, o options) scope {
	if !o.simple {
		return g.from(outer, most)
	}
	r := g.tables()[g.weigh(8, 6, 1, 2)]
	alias := g.alias("r")
	g.put("FROM")
	g.word(r.name)
	g.word(alias)
	r.name = alias
	return scope{r}
}

// uniqueOf returns columns that tell apart the rows of tables, or nil.
func uniqueOf(s scope) (out []string) {
	for _, r := range s {
		if len(r.columns) == 0 || r.columns[0].name != "id" {
			return nil
		}
		out = append(out, r.name+".id")
	}
	return out
}

// items appends a list of expressions, with or without names.
func (g *gen) items(kinds []kind, o options, item func(kind)) []column {
	out := make([]column, len(kinds))
	g.list(len(kinds), func(i int) {
		item(kinds[i])
		out[i] = column{kind: kinds[i]}
		switch {
		case o.named:
			out[i].name = "c" + itoa(i+1)
			g.put("AS " + out[i].name)
		case o.inner || o.arm:
		default:
			g.label()
		}
	})
	return out
}

// label appends a name for a column of the answer, or none.
func (g *gen) label() {
	switch g.weigh(8, 3, 1, 1) {
	case 1:
		g.put("AS " + g.fresh("x"))
	case 2:
		g.put("AS")
		g.word(g.quotedAlias("limit " + itoa(g.upTo(9))))
	case 3:
		g.put("AS")
		if g.postgres() {
			g.put("limit") // reserved, but allowed behind AS
		} else {
			g.word(`'LIMIT 3'`)
		}
	}
}

// window appends a window function whose value does not depend on how ties fall.
func (g *gen) window(s scope, windows *[]string) {
	if !s.has(number) {
		g.put("count ~( * ) OVER ( )")
		return
	}
	at := len(g.tokens)
	g.columnOf(s, number)
	column := g.tokens[at].Text
	g.tokens = g.tokens[:at]
	over := func(clause string) {
		g.put("OVER ( " + clause)
		g.word(column)
		g.put(")")
	}
	switch g.upTo(4) {
	case 0:
		g.put("count ~( * ) OVER ( )")
	case 1:
		g.put("rank ~( )")
		over("ORDER BY")
	case 2:
		g.put("max ~(")
		g.expr(s, number, 0)
		g.put(")")
		over("PARTITION BY")
	case 3:
		name := g.fresh("w")
		g.put("dense_rank ~( ) OVER " + name)
		*windows = append(*windows, name, column)
	}
}
