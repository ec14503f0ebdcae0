package sqlgen

// with appends WITH and its queries, and makes them tables.
func (g *gen) with() {
	g.put("WITH")
	recursive := g.chance(35)
	if recursive {
		g.put("RECURSIVE")
	}
	var made []relation
	g.list(1+g.upTo(2), func(i int) {
		name := g.alias("n")
		if recursive && i == 0 {
			g.word(name)
			g.put("( x ) AS ( SELECT 1 UNION ALL SELECT x + 1 FROM")
			g.word(name)
			g.put("WHERE x <")
			g.number(2 + g.upTo(12))
			g.put(")")
			made = append(made, relation{name: name, columns: []column{{"x", number}}})
			return
		}
		kinds := g.kinds(1, 3)
		g.word(name)
		columns := named(kinds)
		if g.chance(30) {
			for i := range columns {
				columns[i].name = "d" + itoa(i+1)
			}
			g.brackets(func() { g.list(len(columns), func(i int) { g.put(columns[i].name) }) })
		}
		g.put("AS")
		if g.postgres() {
			g.put(g.pick("", "", "MATERIALIZED", "NOT MATERIALIZED"))
		}
		g.brackets(func() {
			g.deep++
			g.query(nil, kinds, options{inner: true, named: true, limits: true})
			g.deep--
		})
		made = append(made, relation{name: name, columns: columns})
	})
	g.ctes = append(g.ctes, made...)
}
