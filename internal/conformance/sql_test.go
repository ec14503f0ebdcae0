package conformance

import (
	"context"
	"database/sql"
	"testing"
	"time"
)

// sqlSession is one connection of database/sql.
type sqlSession struct {
	*sql.Conn
	t   *testing.T
	ctx context.Context
}

// openSQL takes a connection for a minute, and closes it and the database behind the
// test.
func openSQL(t *testing.T, db *sql.DB) sqlSession {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	conn, err := db.Conn(ctx)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(); db.Close(); cancel() })
	return sqlSession{conn, t, ctx}
}

// lists reads the numbers in the first column of each result.
func (c *sqlSession) lists(rows *sql.Rows, err error) (lists [][]int) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
	defer rows.Close()
	for more := true; more; more = rows.NextResultSet() {
		columns, _ := rows.Columns()
		if len(columns) == 0 { // the end of MySQL's CALL
			continue
		}
		var list []int
		for rows.Next() {
			var n int
			if err := rows.Scan(&n); err != nil {
				c.t.Fatal(err)
			}
			list = append(list, n)
		}
		lists = append(lists, list)
	}
	if err := rows.Err(); err != nil {
		c.t.Fatal(err)
	}
	return lists
}

func (c *sqlSession) rows(query string, args ...any) []int {
	c.t.Helper()
	lists := c.lists(c.QueryContext(c.ctx, query, args...))
	if len(lists) != 1 {
		c.t.Fatalf("%s has %d results", query, len(lists))
	}
	return lists[0]
}

func (c *sqlSession) exec(query string) {
	c.t.Helper()
	if _, err := c.ExecContext(c.ctx, query); err != nil {
		c.t.Fatalf("%s: %v", query, err)
	}
}
