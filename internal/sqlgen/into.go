package sqlgen

// intoVariables appends a query of one row that goes into MySQL's variables, and a query
// that reads them.
func (g *gen) intoVariables() {
	switch g.upTo(10) {
	case 0:
		g.put("SELECT r.id , r.a INTO @x , @y FROM t r ORDER BY r.id LIMIT 1")
	case 1:
		g.put("SELECT r.id , r.a FROM t r ORDER BY r.id LIMIT 1 INTO @x , @y")
	case 2:
		g.put("SELECT count ~( * ) FROM t INTO @x")
	case 3:
		g.put("SELECT id , a FROM t WHERE id = 3 FOR UPDATE INTO @x , @y")
	case 4:
		g.put("SELECT id , a FROM t WHERE id = 3 INTO @x , @y FOR UPDATE")
	case 5:
		g.put("SELECT 5 ,")
		g.word("'LIMIT 2'")
		g.put("INTO @x , @y")
	case 6:
		g.put("SELECT id , a FROM t WHERE id = 2 UNION SELECT id , a FROM u WHERE id = 99 INTO @x , @y")
	case 7:
		g.put("SELECT id , a FROM t ORDER BY id LIMIT 3 , 1 INTO @x , @y")
	case 8:
		g.put("WITH w AS ( SELECT id , a FROM t LIMIT 5 ) SELECT id , a FROM w WHERE id = 4 INTO @x , @y")
	case 9: // more than one row
		g.st.Fails = FailsLate
		g.put("SELECT id , a " + g.pick("INTO @x , @y FROM t ORDER BY id", "FROM t ORDER BY id INTO @x , @y", "FROM t ORDER BY id LIMIT 2 INTO @x , @y"))
	}
	into := g.decorate(Statement{Class: ClassInto, Tokens: g.tokens, Settled: true, Fails: g.st.Fails})
	into.Tail = inside(into.Tail) + "\n"
	g.tokens = nil
	g.put("SELECT @x , @y")
	read := g.decorate(Statement{Class: ClassInto, Tokens: g.tokens, Settled: true, Columns: 2})
	read.Tail = inside(read.Tail)
	g.tokens = nil
	g.st.Parts = []Statement{into, read}
}
