package pgwire_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// TestLogin passes each method of authentication through.
func TestLogin(t *testing.T) {
	server := dbtest.Postgres(t)
	door := open(t, server.Addr(), capped(5, 0))
	for _, role := range []string{dbtest.RoleSCRAM, dbtest.RoleMD5, dbtest.RoleCleartext} {
		for _, password := range []string{role, "wrong"} {
			config, err := pgx.ParseConfig(door.through(server, "postgres"))
			if err != nil {
				t.Fatal(err)
			}
			config.User, config.Password = role, password
			c, err := pgx.ConnectConfig(ctx(t), config)
			if password == "wrong" {
				if state(err) != "28P01" {
					t.Errorf("%s with a wrong password: %v", role, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", role, err)
				continue
			}
			c.Close(ctx(t))
		}
	}
}

// TestUnixUpstream reaches the server by its socket file and by the folder that
// holds one of the usual name.
func TestUnixUpstream(t *testing.T) {
	server := dbtest.Postgres(t)
	if server.Socket == "" {
		t.Skip("SKIPPED, NOT PASSED: the given server has no unix socket")
	}
	dir, err := os.MkdirTemp("", "rowcap")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Symlink(server.Socket, filepath.Join(dir, ".s.PGSQL.5432")); err != nil {
		t.Fatal(err)
	}
	for _, upstream := range []string{server.Socket, dir} {
		c := dial(t, open(t, upstream, capped(5, 0)).through(server, "postgres"))
		if got, _ := c.numbers("SELECT generate_series(1, 9)"); len(got) != 5 {
			t.Errorf("%s: got %v", upstream, got)
		}
	}
}

// TestLarge sends and receives messages that fit no buffer.
func TestLarge(t *testing.T) {
	server := dbtest.Postgres(t)
	c := dial(t, open(t, server.Addr(), capped(5, 0)).through(server, "postgres"))
	for _, size := range []int{4 << 10, 60 << 10, 70 << 10, 3 << 20, 20 << 20} {
		text := strings.Repeat("x", size)
		var got string
		if err := c.QueryRow(ctx(t), "SELECT $1::text FROM generate_series(1, 3)", text).Scan(&got); err != nil || got != text {
			t.Errorf("parameter of %d: %d bytes, %v", size, len(got), err)
		}
		c.notices = nil
		rows, err := c.Query(ctx(t), "SELECT length('"+text+"'), g FROM generate_series(1, 9) AS g", pgx.QueryExecModeSimpleProtocol)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for rows.Next() {
			n++
		}
		if rows.Err() != nil || n != 5 || len(c.notices) != 1 {
			t.Errorf("text of %d: %d rows, %d notices, %v", size, n, len(c.notices), rows.Err())
		}
		rows, _ = c.Query(ctx(t), "SELECT repeat('y', $1) FROM generate_series(1, 9)", size)
		all, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || len(all) != 5 || all[4] != strings.Repeat("y", size) {
			t.Errorf("rows of %d: %d, %v", size, len(all), err)
		}
	}
}
