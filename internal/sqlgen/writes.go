package sqlgen

// returning appends a write that returns rows.
func (g *gen) returning() {
	g.st.Writes = true
	list := g.pick("*", "id , a", "id AS x , a + 1", "a")
	switch g.weigh(3, 3, 3, 1) {
	case 0:
		g.insert()
	case 1:
		g.put("DELETE FROM u")
		g.whereOf(g.tables()[1])
	case 2:
		if g.postgres() {
			g.put("UPDATE t SET b = b + 1")
			g.whereOf(g.tables()[0])
		} else {
			g.put("REPLACE INTO e ( id , a ) VALUES ( 1 , 2 ) , ( 3 , 4 ) , ( 5 , 6 )")
		}
	case 3:
		if g.postgres() && g.Version >= 170000 {
			g.put("MERGE INTO e USING u ON e.id = u.id WHEN NOT MATCHED THEN INSERT VALUES ( u.id , u.a ) RETURNING")
			g.put(g.pick("e.id , e.a", "merge_action ~( ) , e.id"))
			return
		}
		g.insert()
	}
	g.put("RETURNING")
	if g.postgres() && g.Version >= 180000 && g.chance(25) {
		list = g.pick("old.a , new.a", "WITH ~( OLD AS o ) o.a , id", "new.*")
	}
	g.put(list)
}

// whereOf appends a condition on the table that is written, which MySQL does not let
// subqueries read.
func (g *gen) whereOf(r relation) {
	if g.postgres() {
		g.where(scope{r}, 60)
	} else if g.chance(60) {
		g.put("WHERE " + r.name + ".id " + g.pick(">", "<", "<>"))
		g.small()
	}
}

func (g *gen) insert() {
	g.put("INSERT INTO e ( id , a ) SELECT r.id , r.b FROM t r")
	g.where(scope{g.tables()[0].as("r")}, 60)
}

// write appends a write that returns no rows.
func (g *gen) write() {
	g.st.Writes = true
	switch g.upTo(4) {
	case 0:
		g.insert()
	case 1:
		g.put("UPDATE t SET b = b + 1")
		g.whereOf(g.tables()[0])
	case 2:
		g.put("DELETE FROM u")
		g.whereOf(g.tables()[1])
	case 3:
		g.put("INSERT INTO e VALUES ( 1 , 2 ) , ( 3 , NULL )")
	}
}

// withWrite appends a query behind a WITH that changes data.
func (g *gen) withWrite() {
	g.st.Writes = true
	g.put("WITH w AS (")
	g.put(g.pick("DELETE FROM u RETURNING id , a", "UPDATE t SET b = b + 1 RETURNING id , a", "INSERT INTO e SELECT id , b FROM t RETURNING id , a"))
	g.put(") SELECT")
	s := scope{{name: "w", columns: []column{{"id", number}, {"a", number}}}}
	kinds := g.kinds(1, 2)
	g.st.Columns = len(kinds)
	c := core{from: s, unique: []string{"w.id"}}
	c.columns = g.items(kinds, options{}, func(k kind) { g.expr(s, k, 1) })
	g.put("FROM w")
	g.tail(c, options{limits: true}, false)
}

// into appends a query whose rows are stored.
func (g *gen) into() {
	if g.postgres() {
		g.st.Writes = true
		switch g.upTo(2) {
		case 0:
			g.put("SELECT r.id , r.a INTO " + g.pick("TEMP", "TEMPORARY TABLE", "UNLOGGED") + " " + g.fresh("made") + " FROM t r")
			g.where(scope{g.tables()[0].as("r")}, 50)
		case 1:
			g.put("CREATE TEMP TABLE " + g.fresh("made") + " AS")
			g.unnoted(func() { g.query(nil, g.kinds(1, 3), options{inner: true, named: true, limits: true}) })
		}
		return
	}
	g.intoVariables()
}

// fault appends a statement that ends with an error.
func (g *gen) fault() {
	g.st.Fails = FailsEarly
	both := []string{"SELECT nothing FROM t", "SELECT id FROM missing", "SELECT id FROM t WHERE", "SELECT id FROM t LIMIT -1", "SELECT id , FROM t",
		"SELECT id FROM t ORDER BY 7", "SELECT id FROM t UNION SELECT id , a FROM t", "SELECT id FROM t LIMIT 'x'", "SELEC 1", "SELECT ( 1 FROM t",
		"SELECT id , a FROM t GROUP BY", "TABLE missing"}
	if g.postgres() {
		both = append(both, "SELECT id FROM t OFFSET -1", "SELECT id FROM t LIMIT 1 + NULL + 'x'", "SELECT id FROM t LIMIT id", "SELECT s + 1 FROM t",
			"SELECT id FROM t LIMIT 3 LIMIT 4", "SELECT id FROM t FETCH FIRST 2 ROWS WITH TIES", "SELECT DISTINCT id FROM t FOR UPDATE", "SELECT 'open",
			"SELECT id FROM t LIMIT ( SELECT -3 )")
		if g.Version < 170000 && g.chance(10) { // white space from 17 on
			g.put("SELECT id")
			g.word("\v")
			g.put("FROM t ORDER BY id")
			return
		}
		if g.chance(30) {
			g.st.Fails = FailsLate
			g.put(g.pick("SELECT 10 / ( id - 7 ) FROM t ORDER BY id", "SELECT id FROM t WHERE 10 / ( id - 7 ) > -99 ORDER BY id", "SELECT CAST ~( s AS int ) FROM t"))
			return
		}
	} else {
		both = append(both, "SELECT id FROM t LIMIT 1 + 1", "SELECT id FROM t LIMIT 1.5", "SELECT id FROM t LIMIT 3 LIMIT 4", "SELECT id FROM t LIMIT a",
			"SELECT id FROM t LIMIT NULL", "SELECT id FROM t OFFSET 3", "SELECT id FROM t PROCEDURE", "SELECT 'open", "SELECT a FROM t , u")
		if g.chance(30) {
			g.st.Fails = FailsLate
			g.put(g.pick("SELECT ( SELECT a FROM u WHERE u.a = t.id ) FROM t", "SELECT ( SELECT 1 UNION SELECT id ) FROM t ORDER BY id"))
			return
		}
	}
	g.put(both[g.upTo(len(both))])
}
