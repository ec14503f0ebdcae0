package mysql

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// noFunction is ER_SP_DOES_NOT_EXIST, what a server says of a name that is none of its
// own functions.
const noFunction = 1305

func eachServer(t *testing.T, test func(*testing.T, *dbtest.Server)) {
	t.Run("mariadb", func(t *testing.T) { test(t, dbtest.MariaDB(t)) })
	t.Run("mysql", func(t *testing.T) { test(t, dbtest.MySQL(t)) })
}

// TestSystemTables compares the lists with what a fresh server has: a name too many
// could be taken by a user, and one that is missing would be capped.
func TestSystemTables(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server) {
		c := connect(t, s)
		listed := map[string]map[string]bool{"mysql": mysqlTables, "sys": sysTables}
		if s.Flavor == dbtest.FlavorMariaDB {
			listed["mysql"] = mariadbTables
		}
		for database, tables := range listed {
			a := c.ask("SELECT table_name FROM information_schema.tables WHERE table_schema = ?", database)
			if a.err != nil {
				t.Fatal(a.err)
			}
			var has []string
			for _, row := range a.rows {
				has = append(has, strings.Trim(row, `["]`))
			}
			slices.Sort(has)
			if want := slices.Sorted(maps.Keys(tables)); !slices.Equal(has, want) {
				t.Errorf("%s has\n%v\nand the list is\n%v", database, has, want)
			}
		}
	})
}

// TestNativeFunctions asks the servers whether each name of the lists is one of their own
// functions, and whether a name that is none would be noticed.
func TestNativeFunctions(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server) {
		c := connect(t, s)
		unknown := func(call string) bool {
			var mine *mysql.MySQLError
			a := c.ask("SELECT " + call + " FROM information_schema.tables")
			return errors.As(a.err, &mine) && mine.Number == noFunction
		}
		for name := range nativeFunctions {
			if unknown(name + "()") {
				t.Errorf("%s is none of the server's functions", name)
			}
		}
		for name := range aggregates {
			if unknown(name + "(1)") {
				t.Errorf("%s is none of the server's aggregates", name)
			}
		}
		for name := range windowFunctions {
			if unknown(name + "(1) OVER ()") {
				t.Errorf("%s is none of the server's window functions", name)
			}
		}
		if !unknown("g()") {
			t.Error("an unknown function is not told")
		}
	})
}

// TestFunctionsOfUsers makes a function under every native name, and calls it in every
// way that reaches it: no such statement is one of catalogues only.
func TestFunctionsOfUsers(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server) {
		c := connect(t, s)
		reached := 0
		all := maps.Clone(nativeFunctions)
		maps.Copy(all, aggregates)
		maps.Copy(all, windowFunctions)
		all["g"], all["char_func"] = true, true
		for name := range all {
			if a := c.ask("CREATE FUNCTION `" + name + "` (a INT) RETURNS INT DETERMINISTIC RETURN 4711"); a.err != nil {
				continue // the server lets nobody take that name
			}
			for _, call := range []string{name + "(1)", name + " (1)", name + "/* */(1)", "`" + name + "`(1)", "`" + name + "` (1)", "database." + name + "(1)"} {
				text := "SELECT " + strings.Replace(call, "database", c.database, 1) + " FROM information_schema.schemata"
				a := c.ask(text)
				if a.err != nil || len(a.rows) == 0 || a.rows[0] != `["4711"]` {
					continue // it calls the server's own
				}
				reached++
				if st, _ := c.dialect.Parse(text); st[0].CatalogOnly {
					t.Errorf("%s calls a user's function and is said to read catalogues only", text)
				}
			}
			c.ask("DROP FUNCTION `" + name + "`")
		}
		t.Logf("%d calls reached a user's function", reached)
		if reached < 50 {
			t.Error("too few calls were tried")
		}
	})
}
