package sqlgen

// Schema returns the statements that make the tables, in order, for an empty database.
//
//	t  12 rows: a with NULLs and duplicates, b with many ties, s with NULLs
//	u   9 rows: refers to t, with duplicates and a NULL
//	e   no rows
//	q   5 rows: names that need quotes
//	v   a view of t
//	g   a view of t on most servers; a table with a virtual column on PostgreSQL 18
func Schema(t Target) []string {
	text := "text"
	if !t.postgres() {
		text = "varchar(40)"
	}
	quoted := `CREATE TABLE q (id int NOT NULL PRIMARY KEY, "limit" int, "from" ` + text + `, "Mixed Case" int)`
	if !t.postgres() {
		quoted = "CREATE TABLE q (id int NOT NULL PRIMARY KEY, `limit` int, `from` " + text + ", `Mixed Case` int)"
	}
	out := []string{
		"CREATE TABLE t (id int NOT NULL PRIMARY KEY, a int, b int, s " + text + ")",
		"CREATE TABLE u (id int NOT NULL PRIMARY KEY, a int, v int, s " + text + ")",
		"CREATE TABLE e (id int NOT NULL PRIMARY KEY, a int)",
		quoted,
		`INSERT INTO t VALUES (1,5,1,'one'),(2,NULL,1,'two'),(3,7,2,NULL),(4,5,2,'one'),(5,2,1,'five'),(6,NULL,3,'six'),
			(7,9,3,'two'),(8,7,1,NULL),(9,1,2,'nine'),(10,3,1,''),(11,5,3,'LIMIT 2'),(12,8,2,'it''s')`,
		`INSERT INTO u VALUES (1,1,10,'one'),(2,1,20,'two'),(3,2,10,NULL),(4,4,30,'four'),(5,7,10,'one'),(6,NULL,40,'six'),
			(7,12,20,'two'),(8,7,20,'eight'),(9,3,10,'-- nine')`,
		`INSERT INTO q VALUES (1,3,'x',4),(2,NULL,'y',4),(3,3,NULL,5),(4,1,'x',6),(5,2,'z',6)`,
		"CREATE VIEW v AS SELECT id, a, s FROM t WHERE b < 3",
	}
	if t.postgres() && t.Version >= 180000 {
		out = append(out, "CREATE TABLE g (id int NOT NULL PRIMARY KEY, a int, b int GENERATED ALWAYS AS (a * 2) VIRTUAL)",
			"INSERT INTO g (id, a) SELECT id, a FROM t")
	} else {
		out = append(out, "CREATE VIEW g AS SELECT id, a, a * 2 AS b FROM t")
	}
	switch {
	case t.postgres():
		out = append(out, "CREATE SEQUENCE sq", "CREATE PROCEDURE pr (INOUT x int) LANGUAGE sql AS 'SELECT x + 1'")
	default:
		out = append(out, "CREATE PROCEDURE pr () SELECT id, a FROM t ORDER BY id",
			"CREATE PROCEDURE pr2 () BEGIN SELECT id FROM u ORDER BY id; SELECT a, b FROM t ORDER BY id; END")
		if t.mariadb() {
			out = append(out, "CREATE SEQUENCE sq")
		}
	}
	return out
}

// kind is the type of a column or an expression.
type kind uint8

const (
	number kind = iota
	text
)

// column is a column of a relation.
type column struct {
	name string
	kind kind
}

// relation is a table, or what a query makes.
type relation struct {
	name    string
	columns []column
	base    bool // can be locked
}

// tables returns the tables of the schema.
func (g *gen) tables() []relation {
	return []relation{
		{"t", []column{{"id", number}, {"a", number}, {"b", number}, {"s", text}}, true},
		{"u", []column{{"id", number}, {"a", number}, {"v", number}, {"s", text}}, true},
		{"e", []column{{"id", number}, {"a", number}}, true},
		{"q", []column{{"id", number}, {g.name("limit"), number}, {g.name("from"), text}, {g.name("Mixed Case"), number}}, true},
		{"v", []column{{"id", number}, {"a", number}, {"s", text}}, false},
		{"g", []column{{"id", number}, {"a", number}, {"b", number}}, false},
	}
}

// name quotes a name.
func (g *gen) name(s string) string {
	if g.postgres() || g.ANSIQuotes && g.chance(50) {
		return `"` + s + `"`
	}
	return "`" + s + "`"
}
