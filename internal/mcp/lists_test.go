package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// column returns the values of a column by its name.
func (a answer) column(name string) []string {
	i := slices.IndexFunc(a.Columns, func(c struct{ Name, Type string }) bool { return c.Name == name })
	var all []string
	for _, row := range a.Data {
		all = append(all, fmt.Sprint(row[i]))
	}
	return all
}

func TestLists(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server, db string) {
		s.SQL(t, db, "CREATE TABLE orders (id INT PRIMARY KEY); CREATE TABLE customers (id INT PRIMARY KEY); CREATE VIEW recent AS SELECT id FROM orders")
		functions, procedures, materialized, triggers := "twice", "tidy", "[]", "audit"
		if s.Flavor == dbtest.FlavorPostgres {
			s.SQL(t, db, `CREATE MATERIALIZED VIEW totals AS SELECT count(*) FROM orders; CREATE FUNCTION twice(a int) RETURNS int LANGUAGE sql AS 'SELECT 2 * a';
				CREATE PROCEDURE tidy() LANGUAGE sql AS 'SELECT 1'; CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$; CREATE TRIGGER audit BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION noted()`)
			materialized, functions = "[totals]", "noted twice"
		} else {
			s.SQL(t, db, "CREATE FUNCTION twice(a INT) RETURNS INT DETERMINISTIC RETURN 2 * a; CREATE PROCEDURE tidy() SELECT 1; CREATE TRIGGER audit BEFORE INSERT ON orders FOR EACH ROW SET @a = 1")
		}
		c := connect(t, s, db, knobs{def: 50, max: 100, cells: 4096, response: 32000})
		for tool, want := range map[string]string{
			"list_tables": "[customers n orders]", "list_views": "[recent]", "list_materialized_views": materialized,
			"list_functions": "[" + functions + "]", "list_procedures": "[" + procedures + "]", "list_triggers": "[" + triggers + "]",
		} {
			if a := c.call(t, tool, nil); fmt.Sprint(a.column("name")) != want || a.more() {
				t.Errorf("%s: %s", tool, a.raw)
			}
		}
		if names := c.call(t, "list_databases", arguments{"like": "rowcap%"}).column("name"); !slices.Contains(names, db) {
			t.Errorf("databases %v", names)
		}
		schema := "public"
		if s.Flavor != dbtest.FlavorPostgres {
			schema = db
		}
		if names := c.call(t, "list_schemas", nil).column("name"); !slices.Contains(names, schema) {
			t.Errorf("schemas %v", names)
		}
		if a := c.call(t, "list_tables", arguments{"schema": schema, "like": "o%"}); fmt.Sprint(a.column("name")) != "[orders]" {
			t.Errorf("%s", a.raw)
		}
		var got []string
		for args := (arguments{"limit": 2}); ; {
			a := c.call(t, "list_tables", args)
			got = append(got, a.column("name")...)
			if strings.Contains(a.kinds(), "unstable_order") {
				t.Errorf("%s", a.raw)
			}
			if a.NextCursor == "" {
				break
			}
			args["cursor"] = a.NextCursor
		}
		if fmt.Sprint(got) != "[customers n orders]" {
			t.Errorf("pages of tables %v", got)
		}
		if got := c.fails(t, "list_tables", arguments{"schema": 7}); !strings.Contains(got, "use a string") {
			t.Error(got)
		}
	})
}

func TestDescribeTable(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server, db string) {
		if s.Flavor == dbtest.FlavorPostgres {
			s.SQL(t, db, "CREATE TABLE customers (id int PRIMARY KEY, name varchar(80) NOT NULL DEFAULT 'x'); COMMENT ON COLUMN customers.name IS 'as on the bill'; CREATE TABLE orders (id int PRIMARY KEY, customer int REFERENCES customers (id)); CREATE INDEX by_customer ON orders (customer); ANALYZE customers")
		} else {
			s.SQL(t, db, "CREATE TABLE customers (id INT PRIMARY KEY, name VARCHAR(80) NOT NULL DEFAULT 'x' COMMENT 'as on the bill'); CREATE TABLE orders (id INT PRIMARY KEY, customer INT, KEY by_customer (customer), CONSTRAINT orders_customer_fkey FOREIGN KEY (customer) REFERENCES customers (id)); ANALYZE TABLE customers")
		}
		c := connect(t, s, db, knobs{def: 50, max: 100, cells: 4096, response: 32000})
		describe := func(table string) (d struct {
			Schema, Table, Kind           string
			RowEstimate                   struct{ Kind string }
			Columns, Indexes, ForeignKeys answer
		}, text string) {
			r := c.result(t, "describe_table", arguments{"table": table})
			if r.IsError {
				t.Fatal(textOf(r))
			}
			raw := structured(t, r)
			c.conforms(t, "describe_table", raw)
			if err := json.Unmarshal(raw, &d); err != nil {
				t.Fatal(err)
			}
			return d, textOf(r)
		}
		d, text := describe("customers")
		if d.Table != "customers" || d.RowEstimate.Kind != "estimate" || fmt.Sprint(d.Columns.column("name")) != "[id name]" || !strings.Contains(fmt.Sprint(d.Columns.column("comment")), "as on the bill") ||
			!strings.Contains(fmt.Sprint(d.Columns.column("type")), "(80)") || !strings.Contains(text, "estimate") {
			t.Errorf("%+v\n%s", d, text)
		}
		if d, text = describe("orders"); len(d.Indexes.Data) != 2 || fmt.Sprint(d.ForeignKeys.column("name")) != "[orders_customer_fkey]" || !strings.Contains(text, "## Foreign keys") {
			t.Errorf("%+v\n%s", d, text)
		}
		if got := c.fails(t, "describe_table", arguments{"table": "nope"}); !strings.Contains(got, "list_tables") {
			t.Error(got)
		}
	})
}

// TestDescribeWithinSizes describes a table whose comment is long, in a response that
// is to be as small as can be.
func TestDescribeWithinSizes(t *testing.T) {
	s := dbtest.Postgres(t)
	db := s.Database(t)
	s.SQL(t, db, "CREATE TABLE wide AS SELECT 1 AS a, 2 AS b, 3 AS c; COMMENT ON TABLE wide IS '"+strings.Repeat("x", 5000)+"'")
	r := connect(t, s, db, knobs{def: 5, max: 10, cells: 20, response: 3}).result(t, "describe_table", arguments{"table": "wide"})
	var d struct {
		Comment string
		Columns answer
	}
	if err := json.Unmarshal(structured(t, r), &d); err != nil {
		t.Fatal(err)
	}
	if want := strings.Repeat("x", 20) + "…[truncated, 5000 chars total]"; d.Comment != want || !strings.Contains(textOf(r), want) {
		t.Errorf("the comment is %q", d.Comment)
	}
	if d.Columns.RowCount != 1 || d.Columns.RowsOmitted != 2 || !d.Columns.more() {
		t.Errorf("columns %+v", d.Columns)
	}
}

// TestToolsAreWhatIsBuilt holds the list of tools.
func TestToolsAreWhatIsBuilt(t *testing.T) {
	s := dbtest.Postgres(t)
	c := connect(t, s, s.Database(t), knobs{def: 5, max: 10})
	var got []string
	for name := range c.tools {
		got = append(got, name)
	}
	slices.Sort(got)
	want := "describe_table explain_query list_databases list_functions list_materialized_views list_procedures list_saved_queries list_schemas list_tables list_triggers list_views query query_nested run_saved_query"
	if strings.Join(got, " ") != want {
		t.Errorf("tools %v", got)
	}
}
