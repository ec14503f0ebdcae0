package sqlgen

import "strings"

// special appends a statement of a class that is no plain query.
func (g *gen) special(c Class) {
	switch c {
	case ClassOneRow:
		g.oneRow()
	case ClassVolatile:
		g.volatile()
	case ClassInto:
		g.into()
	case ClassReturning:
		g.returning()
	case ClassWrite:
		g.write()
	case ClassWithWrite:
		g.withWrite()
	case ClassExplain:
		g.st.Settled = false
		if g.postgres() {
			g.put("EXPLAIN ( COSTS OFF )")
		} else {
			g.put(g.pick("EXPLAIN", "DESCRIBE"))
		}
		g.unnoted(func() { g.query(nil, g.kinds(1, 2), options{limits: true}) })
	case ClassShow:
		g.show()
	case ClassCall:
		if g.postgres() {
			g.put("CALL pr ~( 5 )")
			return
		}
		g.put("CALL " + g.pick("pr", "pr2") + " ~( )")
	case ClassCursor:
		g.cursor()
	case ClassPrepared:
		g.prepared()
	case ClassCatalog:
		g.catalog()
	case ClassFault:
		g.fault()
	}
}

// unnoted appends a query whose facts are none of the statement's.
func (g *gen) unnoted(f func()) {
	kept := g.st
	f()
	g.st = kept
}

func (g *gen) oneRow() {
	g.put("SELECT")
	g.st.Columns = 1
	switch g.upTo(3) {
	case 0:
		g.put("count ~( * ) FROM t")
	case 1:
		g.call("max", func() { g.put("a") })
		g.put("FROM t WHERE id >")
		g.small()
	case 2:
		g.expr(nil, number, 2)
	}
}

// locking appends a query that locks its rows.
func (g *gen) locking() {
	kinds := g.kinds(1, 3)
	g.st.Columns, g.st.Locks = len(kinds), true
	c := g.selectOf(nil, kinds, options{simple: true})
	if g.postgres() && g.chance(30) {
		g.lockClause(c)
		g.tail(c, options{limits: true}, false)
		if g.st.Ordered() { // ORDER BY stands before FOR
			g.st.Fails = FailsEarly
		}
		return
	}
	g.tail(c, options{limits: true}, false)
	g.lockClause(c)
}

func (g *gen) lockClause(c core) {
	switch {
	case g.postgres():
		g.put("FOR " + g.pick("UPDATE", "NO KEY UPDATE", "SHARE", "KEY SHARE"))
		if g.chance(30) {
			g.put("OF")
			g.word(c.from[0].name)
		}
		if !g.st.Limit.WithTies { // SKIP LOCKED and WITH TIES do not go together
			g.put(g.pick("", "", "NOWAIT", "SKIP LOCKED"))
		}
	case g.mysql():
		if g.chance(30) {
			g.put("LOCK IN SHARE MODE")
			return
		}
		g.put("FOR " + g.pick("UPDATE", "SHARE"))
		if g.chance(30) {
			g.put("OF")
			g.word(c.from[0].name)
		}
		g.put(g.pick("", "", "NOWAIT", "SKIP LOCKED"))
	default:
		if g.chance(30) {
			g.put("LOCK IN SHARE MODE")
			return
		}
		g.put("FOR UPDATE")
		g.put(g.pick("", "", "NOWAIT", "SKIP LOCKED", "WAIT 3"))
	}
}

func (g *gen) volatile() {
	g.st.Volatile, g.st.Settled = true, false
	g.st.Columns = 2
	switch {
	case g.postgres():
		call := g.pick("nextval ~( 'sq' )", "pg_advisory_xact_lock ~( 7 )", "setval ~( 'sq' , 5 )")
		g.put("SELECT r.id , " + call + " FROM t r")
	case g.mariadb():
		call := g.pick("nextval ~( sq )", "NEXT VALUE FOR sq", "setval ~( sq , 5 )", "get_lock ~( 'x' , 1 )")
		g.put("SELECT r.id , " + call + " FROM t r")
	default:
		g.put("SELECT r.id , " + g.pick("get_lock ~( 'x' , 1 )", "sleep ~( 0 )") + " FROM t r")
	}
	g.where(scope{g.tables()[0].as("r")}, 40)
	g.tail(core{columns: make([]column, 1), unique: []string{"r.id"}}, options{limits: true}, false)
}

func (r relation) as(name string) relation {
	r.name = name
	return r
}

func (g *gen) show() {
	g.st.Settled = false
	switch {
	case g.postgres():
		g.put("SHOW " + g.pick("server_version", "ALL", "search_path"))
	default:
		g.put(g.pick("SHOW TABLES", "SHOW COLUMNS FROM t", "SHOW VARIABLES LIKE 'innodb%'", "DESCRIBE t", "SHOW COLLATION",
			"SHOW INDEX FROM u", "SHOW CREATE TABLE t", "SHOW WARNINGS"))
	}
}

func (g *gen) catalog() {
	g.st.Settled = false
	if g.postgres() {
		g.put(g.pick("SELECT relname FROM pg_catalog.pg_class ORDER BY 1", "SELECT table_name FROM information_schema.tables",
			"SELECT attname FROM pg_attribute ORDER BY attrelid , attnum"))
		return
	}
	g.put(g.pick("SELECT table_name FROM information_schema.tables", "SELECT column_name FROM information_schema.columns ORDER BY 1"))
}

// cursor appends DECLARE and a FETCH, for which the script's parts are two.
func (g *gen) cursor() {
	g.st.Settled = false
	name := g.fresh("cur")
	g.put("DECLARE " + name + " " + g.pick("", "NO SCROLL", "SCROLL") + " CURSOR FOR")
	kinds := g.kinds(1, 2)
	g.unnoted(func() { g.query(nil, kinds, options{limits: true}) })
	declare := g.decorate(Statement{Class: ClassCursor, Tokens: g.tokens, Settled: true})
	declare.Tail = inside(declare.Tail) + "\n"
	g.tokens = nil
	g.put("FETCH")
	switch g.upTo(4) {
	case 0:
		g.put("ALL FROM")
	case 1:
		g.put("FORWARD ALL IN")
	case 2:
		g.number(1 + g.upTo(20))
		g.put("FROM")
	case 3:
		g.put("FORWARD")
		g.number(1 + g.upTo(20))
		g.put("FROM")
	}
	g.put(name)
	fetch := g.decorate(Statement{Class: ClassCursor, Tokens: g.tokens, Settled: true, Columns: len(kinds)})
	g.tokens = nil
	g.st.Parts = []Statement{declare, fetch}
}

// prepared appends PREPARE, EXECUTE and DEALLOCATE.
func (g *gen) prepared() {
	name := g.fresh("prep")
	parts := make([]Statement, 3)
	if g.postgres() {
		g.put("PREPARE " + name + " AS")
		kinds := g.kinds(1, 2)
		g.unnoted(func() { g.query(nil, kinds, options{limits: true}) })
	} else {
		g.put("PREPARE " + name + " FROM")
		g.word("'SELECT id, a FROM t'")
	}
	for i, rest := range []string{"", "EXECUTE " + name, "DEALLOCATE PREPARE " + name} {
		g.put(rest)
		parts[i] = g.decorate(Statement{Class: ClassPrepared, Tokens: g.tokens, Settled: true})
		parts[i].Tail = inside(parts[i].Tail) + g.pick("", "\n")
		g.tokens = nil
	}
	g.st.Parts = parts
}

// script draws several statements.
func (g *gen) script() Statement {
	s := Statement{Class: ClassScript, Settled: true}
	for n := 2 + g.upTo(3); n > 0; n-- {
		c := []Class{ClassSelect, ClassValues, ClassSetOperation, ClassOneRow, ClassWith, ClassWrite, ClassShow}[g.weigh(5, 1, 1, 1, 1, 1, 1)]
		p := g.draw(c)
		if p.Fails != FailsNever {
			continue
		}
		p.Tail = inside(p.Tail) + g.pick("", " ", "/* ; */", "\n")
		if g.postgres() && g.chance(20) {
			p.Tail += g.pick(" -- ;\n", ";", " ; /* */ ;")
		}
		s.Parts = append(s.Parts, p)
	}
	if len(s.Parts) == 0 {
		return g.draw(ClassOneRow)
	}
	return s
}

// inside returns the end of an executable comment that a tail begins with, if it does.
func inside(tail string) string {
	if strings.HasPrefix(tail, closing) {
		return closing
	}
	return ""
}
