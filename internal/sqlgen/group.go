package sqlgen

import "slices"

// groupedList appends the list of a grouped SELECT, then from, GROUP BY and HAVING.
// Aggregates take columns of own, what this SELECT itself reads: those of outer columns
// belong to the outer query.
func (g *gen) groupedList(c *core, own scope, kinds []kind, o options, from []Token) []column {
	keys := make([][]string, 2) // columns to group by, by kind
	var order []string
	for range 1 + g.upTo(2) {
		k := number
		if g.chance(30) {
			k = text
		}
		at := len(g.tokens)
		if !g.columnOf(own, k) {
			continue
		}
		key := g.tokens[at].Text
		g.tokens = g.tokens[:at]
		if !slices.Contains(order, key) {
			keys[k] = append(keys[k], key)
			order = append(order, key)
		}
	}
	c.unique = nil
	columns := g.items(kinds, o, func(k kind) {
		if len(keys[k]) > 0 && g.chance(60) {
			g.word(keys[k][g.upTo(len(keys[k]))])
			return
		}
		g.aggregate(own, k)
	})
	g.tokens = append(g.tokens, from...)
	if len(order) > 0 {
		g.put("GROUP BY")
		g.groupBy(c, order, o)
	}
	if g.chance(20) {
		g.put("HAVING count ~( * ) >")
		g.number(g.upTo(3))
	}
	return columns
}

// aggregate appends an aggregate whose value does not depend on the order of rows.
func (g *gen) aggregate(s scope, k kind) {
	if k == text {
		g.call(g.pick("max", "min"), func() { g.expr(s, text, 1) })
		return
	}
	switch g.weigh(4, 4, 2, 1) {
	case 0:
		g.put("count ~( * )")
	case 1:
		g.call(g.pick("max", "min", "sum"), func() { g.expr(s, number, 1) })
	case 2:
		g.put("count ~( DISTINCT")
		g.expr(s, number, 1)
		g.put(")")
	case 3:
		if g.postgres() {
			g.put("count ~( * ) FILTER ~( WHERE")
			g.predicate(s, 1)
			g.put(")")
			return
		}
		g.put("count ~( * )")
	}
}

// groupBy appends the keys, plainly or with super-aggregates.
func (g *gen) groupBy(c *core, keys []string, o options) {
	all := func() { g.list(len(keys), func(i int) { g.word(keys[i]) }) }
	switch {
	case g.chance(75):
		all()
	case !g.postgres():
		all()
		if !o.arm {
			g.put("WITH ROLLUP")
			c.noOrder = g.mariadb()
		}
	default:
		switch g.upTo(3) {
		case 0:
			g.put(g.pick("ROLLUP", "CUBE") + " (")
			all()
			g.put(")")
		case 1:
			g.put("GROUPING SETS ( ( ) , (")
			all()
			g.put(") )")
		case 2:
			g.put("DISTINCT")
			all()
		}
	}
}
