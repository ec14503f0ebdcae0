package rowcap_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// TestMySQLCases runs the MySQL and MariaDB cases through the sidecar with a
// real client, on each server that a case is meant for.
func TestMySQLCases(t *testing.T) {
	for _, flavor := range []string{"mariadb", "mysql"} {
		t.Run(flavor, func(t *testing.T) {
			s := dbtest.MariaDB
			if flavor == "mysql" {
				s = dbtest.MySQL
			}
			server := s(t)
			for _, c := range readCases(t, "testdata/cases/mysql-rewrite.jsonl") {
				if c.Flavor == "mariadb" && flavor != "mariadb" || c.Flavor == "mysql8" && flavor != "mysql" {
					continue
				}
				t.Run(c.ID, func(t *testing.T) { runMySQLCase(t, server, flavor, c) })
			}
		})
	}
}

func runMySQLCase(t *testing.T, s *dbtest.Server, flavor string, c sharedCase) {
	rec := &recorder{}
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.Net, cfg.DBName = s.User, s.Password, "tcp", s.Database(t)
	cfg.Addr = sidecar(t, flavor, s, c.policy(), rec)
	cfg.MultiStatements = true
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	ctx := context.Background()
	conn, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	// INTO OUTFILE leaves files in the database's folder, which the server does
	// not remove.
	var folder string
	if err := conn.QueryRowContext(ctx, "SELECT CONCAT(@@datadir, DATABASE())").Scan(&folder); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		files, _ := filepath.Glob(filepath.Join(folder, "*.txt"))
		for _, f := range files {
			os.Remove(f)
		}
	})
	if _, err := conn.ExecContext(ctx, c.Setup); c.Setup != "" && err != nil {
		t.Fatalf("setup: %v", err)
	}
	rec.take()

	params := make([]any, len(c.Params))
	for i, p := range c.Params {
		params[i] = p
		if f, ok := p.(float64); ok {
			params[i] = int64(f)
		}
	}
	got, err := queryMySQL(ctx, conn, c.SQL, params...)
	code := ""
	var refused *mysql.MySQLError
	if errors.As(err, &refused) {
		code = strconv.Itoa(int(refused.Number))
	} else if err != nil {
		t.Fatal(err)
	}
	plans, outcomes := rec.take()
	// SHOW WARNINGS would clear nothing, but FOUND_ROWS must be asked for first.
	for _, after := range c.Expect.After {
		results, err := queryMySQL(ctx, conn, after.SQL)
		if err != nil || len(results[0].Rows) != 1 || *results[0].Rows[0][0] != after.Value {
			t.Errorf("%s gives %v (%v), want %s", after.SQL, results, err, after.Value)
		}
	}
	noticed := false
	if c.Expect.After == nil {
		warnings, err := queryMySQL(ctx, conn, "SHOW WARNINGS")
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range warnings[0].Rows {
			noticed = noticed || *w[1] == "61001"
		}
	} else {
		noticed = c.Expect.Truncated
	}
	c.check(t, got, code, plans, outcomes, noticed)
}

// queryMySQL reads every result of a text; values are as the server writes them.
func queryMySQL(ctx context.Context, conn *sql.Conn, text string, params ...any) ([]answer, error) {
	rows, err := conn.QueryContext(ctx, text, params...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []answer
	for {
		var a answer
		if a.Columns, err = rows.Columns(); err != nil {
			return all, err
		}
		for rows.Next() {
			values := make([]sql.NullString, len(a.Columns))
			into := make([]any, len(values))
			for i := range values {
				into[i] = &values[i]
			}
			if err := rows.Scan(into...); err != nil {
				return all, fmt.Errorf("scan: %w", err)
			}
			row := make([]*string, len(values))
			for i, v := range values {
				if v.Valid {
					row[i] = &v.String
				}
			}
			a.Rows = append(a.Rows, row)
		}
		all = append(all, a)
		if !rows.NextResultSet() {
			return all, rows.Err()
		}
	}
}
