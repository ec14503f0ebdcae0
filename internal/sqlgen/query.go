package sqlgen

// top appends a whole query as a statement and notes its facts.
func (g *gen) top(c Class) {
	if c == ClassLocking {
		g.locking()
		return
	}
	kinds := g.kinds(1, 4)
	if c == ClassWith {
		g.with()
	}
	g.st.Columns = len(kinds)
	switch c {
	case ClassSetOperation:
		g.setOperation(kinds, options{limits: true}, 2)
		g.tail(core{columns: make([]column, len(kinds))}, options{limits: true}, true)
	case ClassValues:
		g.valuesOrTable(kinds)
	default:
		g.query(nil, kinds, options{limits: true})
	}
}

// query appends a query with its order and limit.
func (g *gen) query(outer scope, kinds []kind, o options) []column {
	if o.inner && o.named && g.deep < 2 && g.chance(12) {
		g.setOperation(kinds, options{inner: true, named: true}, 1)
		g.tail(core{columns: named(kinds)}, o, true)
		return named(kinds)
	}
	c := g.selectOf(outer, kinds, o)
	g.tail(c, o, false)
	return c.columns
}

func named(kinds []kind) []column {
	out := make([]column, len(kinds))
	for i, k := range kinds {
		out[i] = column{"c" + itoa(i+1), k}
	}
	return out
}

// tail appends ORDER BY and a limit.
func (g *gen) tail(c core, o options, set bool) {
	often := 55
	if g.Params && !o.inner {
		often = 90
	}
	limited := o.limits && g.chance(often)
	order := g.weigh(4, 3, 3, 2)
	if c.noOrder {
		limited, order = limited && !o.inner, 0
	}
	if c.needsOrder || o.inner && limited {
		order = 2
	}
	if o.inner && !limited && !c.needsOrder {
		return
	}
	var keys []int
	total := false
	switch {
	case order == 0:
	case order == 3 && len(c.unique) > 0 && !set:
		total = true
		g.put("ORDER BY")
		g.list(len(c.unique), func(i int) {
			g.word(c.unique[i])
			g.direction()
		})
	default:
		keys = g.orderKeys(len(c.columns), order == 2, c.needsOrder)
		g.put("ORDER BY")
		g.list(len(keys), func(i int) {
			g.number(keys[i] + 1)
			g.direction()
		})
	}
	if !o.inner {
		g.st.Keys, g.st.Total = keys, total
	}
	if limited {
		g.limit(o.inner, len(keys) > 0 || total)
	}
}

// orderKeys draws columns to order by: all of them, or some.
func (g *gen) orderKeys(n int, all, inOrder bool) []int {
	keys := make([]int, n)
	for i := range keys {
		keys[i] = i
	}
	if !inOrder {
		for i := n - 1; i > 0; i-- {
			j := i - g.upTo(i+1)
			keys[i], keys[j] = keys[j], keys[i]
		}
	}
	if !all {
		keys = keys[:1+g.upTo(n)]
	}
	return keys
}

func (g *gen) direction() {
	if g.chance(30) {
		g.put(g.pick("DESC", "ASC"))
	}
	if g.postgres() && g.chance(20) {
		g.put("NULLS " + g.pick("FIRST", "LAST"))
	}
}

// setOperation appends arms and the operators between them.
func (g *gen) setOperation(kinds []kind, o options, nested int) {
	// MariaDB makes derived tables of some, in which no name may come twice.
	o.named = o.named || g.mariadb()
	operators := []string{"UNION", "UNION ALL", "UNION DISTINCT", "UNION ALL", "EXCEPT", "INTERSECT"}
	if g.mysql() {
		// MySQL 9.7 dies of nested set operations under EXCEPT and INTERSECT.
		if g.chance(50) {
			operators = operators[:4]
		} else {
			nested = 0
		}
	}
	g.armOf(kinds, o, nested)
	for n := 1 + g.upTo(3); n > 0; n-- {
		g.put(g.pick(operators...))
		if g.postgres() && g.chance(10) {
			last := &g.tokens[len(g.tokens)-1]
			if last.Text == "EXCEPT" || last.Text == "INTERSECT" {
				g.put("ALL")
			}
		}
		g.armOf(kinds, o, nested)
	}
}

// armOf appends one arm: a SELECT, or a query in brackets with its own order and limit.
func (g *gen) armOf(kinds []kind, o options, nested int) {
	switch g.weigh(10, 5, 2, 1) {
	case 1:
		g.brackets(func() {
			c := g.selectOf(nil, kinds, options{inner: true, named: o.named, limits: true})
			g.tail(c, options{inner: true, limits: true}, false)
		})
		return
	case 2:
		if nested > 0 {
			g.brackets(func() {
				g.setOperation(kinds, options{inner: true, named: o.named}, nested-1)
				g.tail(core{columns: make([]column, len(kinds))}, options{inner: true, limits: true}, true)
			})
			return
		}
	case 3:
		if !o.named {
			g.valuesList(kinds)
			return
		}
	}
	g.selectOf(nil, kinds, options{arm: true, inner: o.inner, named: o.named})
}

// valuesList appends VALUES with some rows.
func (g *gen) valuesList(kinds []kind) {
	g.put("VALUES")
	g.list(1+g.upTo(5), func(int) {
		if g.mysql() {
			g.put("ROW")
		}
		g.brackets(func() {
			g.list(len(kinds), func(i int) {
				if kinds[i] == text {
					g.str()
				} else {
					g.small()
				}
			})
		})
	})
}

// valuesOrTable appends VALUES or TABLE as a statement.
func (g *gen) valuesOrTable(kinds []kind) {
	if g.chance(50) && !g.mariadb() {
		r := g.tables()[g.upTo(6)]
		g.put("TABLE")
		g.word(r.name)
		kinds = make([]kind, len(r.columns))
	} else {
		g.valuesList(kinds)
	}
	g.st.Columns = len(kinds)
	g.tail(core{columns: make([]column, len(kinds))}, options{limits: true}, true)
}
