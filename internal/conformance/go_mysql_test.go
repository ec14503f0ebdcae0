package conformance

import (
	"database/sql"
	"errors"
	"slices"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// goMySQL is one connection of go-sql-driver/mysql.
type goMySQL struct{ sqlSession }

// openGoMySQL connects: text sends values in the text of the query, prepared by
// COM_STMT_EXECUTE.
func openGoMySQL(t *testing.T, mode string, s session) *goMySQL {
	t.Helper()
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.Net, cfg.Addr, cfg.DBName = s.user, s.password, "tcp", s.at.host+":"+s.at.port, s.database
	cfg.MultiStatements, cfg.InterpolateParams = true, mode == "text"
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &goMySQL{openSQL(t, sql.OpenDB(connector))}
}

// fault returns the code and SQLSTATE of a query's error.
func (c *goMySQL) fault(query string) (code int, state string) {
	rows, err := c.QueryContext(c.ctx, query)
	if err == nil {
		rows.Close()
	}
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return int(e.Number), string(e.SQLState[:])
	}
	return 0, ""
}

// warning is a row of SHOW WARNINGS.
type warning struct {
	level   string
	code    int
	message string
}

func (c *goMySQL) warnings() (list []warning) {
	c.t.Helper()
	rows, err := c.QueryContext(c.ctx, "SHOW WARNINGS")
	if err != nil {
		c.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var w warning
		if err := rows.Scan(&w.level, &w.code, &w.message); err != nil {
			c.t.Fatal(err)
		}
		list = append(list, w)
	}
	return list
}

func (c *goMySQL) told() int { return len(c.warnings()) }

// codes are the codes of the warnings, each once.
func codes(list []warning) (codes []int) {
	for _, w := range list {
		if !slices.Contains(codes, w.code) {
			codes = append(codes, w.code)
		}
	}
	return codes
}

func runGoMySQL(t *testing.T, mode string, s session) (seen []observation) {
	say := func(check string, pairs ...any) { seen = append(seen, saw(check, pairs...)) }
	c := openGoMySQL(t, mode, s)
	say("rows", "rows", c.rows(parcels))
	for _, w := range c.warnings() {
		say("notice", "level", w.level, "code", w.code, "message", w.message)
	}
	say("step", "rows", c.rows("SELECT 7"), "notices", c.told())
	streamed := c.rows(parcels) // all its results are read from the wire row by row
	say("stream", "rows", streamed, "notices", c.told(), "next", c.rows("SELECT 7"))
	c.rows("SELECT n FROM parcels WHERE n > 'x' ORDER BY n")
	say("merged", "codes", codes(c.warnings()))
	say("whole", "rows", c.rows("SELECT n FROM parcels WHERE n <= ? ORDER BY n", 5), "notices", c.told())
	say("own", "rows", c.rows(parcels+" LIMIT ?", 3), "notices", c.told())
	say("clamped", "rows", c.rows(parcels+" LIMIT ?", 12), "notices", c.told())

	above, err := c.PrepareContext(c.ctx, "SELECT n FROM parcels WHERE n > ? ORDER BY n")
	if err != nil {
		t.Fatal(err)
	}
	cut, whole, notices := 0, 0, 0
	for range 8 {
		if equal(c.lists(above.QueryContext(c.ctx, 2))[0], 3, 4, 5, 6, 7) {
			cut++
		}
		notices += c.told()
		if equal(c.lists(above.QueryContext(c.ctx, 9))[0], 10, 11, 12) {
			whole++
		}
		notices += c.told()
	}
	above.Close()
	say("prepared", "cut", cut, "whole", whole, "notices", notices)

	c = openGoMySQL(t, mode, s)
	c.rows(parcels)
	code, state := c.fault("SELECT nothing")
	say("error", "code", code, "state", state, "rows", c.rows("SELECT 7"))
	c.exec("START TRANSACTION")
	c.exec("INSERT INTO shelves VALUES (1)")
	c.rows(parcels)
	code, _ = c.fault("INSERT INTO shelves VALUES (1)")
	before := c.rows("SELECT count(*) FROM shelves")[0]
	c.exec("ROLLBACK")
	say("transaction", "code", code, "before", before, "after", c.rows("SELECT count(*) FROM shelves")[0])

	c = openGoMySQL(t, mode, s)
	if s.flavor == "mariadb" {
		rows := c.rows("INSERT INTO shelves SELECT n FROM parcels WHERE n <= ? RETURNING n", 8)
		notices := c.told()
		say("returning", "rows", rows, "stored", c.rows("SELECT count(*) FROM shelves")[0], "notices", notices)
	}
	shown, err := c.QueryContext(c.ctx, "SHOW VARIABLES")
	n := 0
	for err == nil && shown.Next() {
		n++
	}
	say("guard", "rows", n, "notices", c.told())
	say("call", "rows", c.lists(c.QueryContext(c.ctx, "CALL lists()")), "notices", c.told())
	say("script", "rows", c.lists(c.QueryContext(c.ctx, parcels+"; SELECT 7")), "notices", c.told())

	c.exec("SET sql_select_limit = 3")
	below, notices := c.rows(parcels), c.told()
	c.exec("SET sql_select_limit = 9")
	say("select_limit", "below", below, "below_notices", notices, "above", c.rows(parcels), "above_notices", c.told(), "setting", c.rows("SELECT @@sql_select_limit")[0])
	return seen
}
