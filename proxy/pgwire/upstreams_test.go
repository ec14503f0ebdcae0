package pgwire_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/pgwire"
	"github.com/rowcap/rowcap/rewrite"
)

// among gives a door several upstreams.
func among(t *testing.T, upstreams ...string) func(*pgwire.Door) {
	t.Helper()
	r, err := proxy.ParseRoute("127.0.0.1:1=" + strings.Join(upstreams, ","))
	if err != nil {
		t.Fatal(err)
	}
	return func(d *pgwire.Door) { d.Upstreams = r.Upstreams }
}

// TestSeveralUpstreams goes to the first that accepts, and names all that do not.
func TestSeveralUpstreams(t *testing.T) {
	server := dbtest.Postgres(t)
	dead, gone := upstreamThatLeaves(t), filepath.Join(t.TempDir(), "none")
	door := open(t, dead, capped(5, 0), among(t, dead, gone, server.Addr()))
	c := dial(t, door.through(server, "postgres"))
	if got, _ := c.numbers("SELECT generate_series(1, 9)"); len(got) != 5 {
		t.Errorf("got %v", got)
	}
	none := open(t, dead, capped(5, 0), among(t, dead, gone))
	r := dialRaw(t, none.addr)
	r.startup(version3, "user", "a")
	r.fails("", "08006", "cannot reach any of the upstreams: "+dead+": connect: connection refused; "+gone+": connect: no such file or directory")
	none.end(t)
	r = dialRaw(t, none.addr)
	r.write([]byte(cancelIt))
	r.types("-")
	if err := none.end(t); err == nil || !strings.Contains(err.Error(), dead) || !strings.Contains(err.Error(), gone) {
		t.Errorf("Serve returned %v", err)
	}
}

// TestSessionDefault gives the session a limit of its own by a startup parameter
// and by the options, of which the server hears nothing.
func TestSessionDefault(t *testing.T) {
	server := dbtest.Postgres(t)
	door := open(t, server.Addr(), capped(5, 20))
	for _, c := range []struct {
		name       string
		parameters map[string]string
		rows       int
		detail     string
	}{
		{"none", nil, 5, "cap 5 from the default limit"},
		{"parameter", map[string]string{"rowcap.default_limit": "7"}, 7, "cap 7 from the session's own limit"},
		{"any case", map[string]string{"RowCap.Default_Limit": " 3 "}, 3, "cap 3 from the session's own limit"},
		{"above the maximum", map[string]string{"rowcap.default_limit": "500"}, 20, "cap 20 from the maximum limit; 500 rows were asked for"},
		{"options", map[string]string{"options": "-c rowcap.default_limit=8 -c work_mem=77MB"}, 8, "cap 8 from the session's own limit"},
		{"options only", map[string]string{"options": "--rowcap.default-limit=2"}, 2, "cap 2 from the session's own limit"},
		{"both", map[string]string{"options": "-crowcap.default_limit=2", "rowcap.default_limit": "9"}, 9, "cap 9 from the session's own limit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeSimpleProtocol, pgx.QueryExecModeExec} {
				client := dial(t, door.through(server, "postgres"), func(f *pgx.ConnConfig) {
					f.DefaultQueryExecMode = mode
					for name, value := range c.parameters {
						f.RuntimeParams[name] = value
					}
				})
				got, _ := client.numbers("SELECT generate_series(1, 100)")
				if len(got) != c.rows || len(client.notices) != 1 || client.notices[0].Detail != c.detail {
					t.Errorf("%d rows, notices %+v", len(got), client.notices)
				}
				if got, _ := client.numbers("SELECT generate_series(1, 100) LIMIT 15"); len(got) != 15 {
					t.Errorf("the statement's own limit gave %d rows", len(got))
				}
				var memory, ours string
				if err := client.QueryRow(ctx(t), "SELECT current_setting('work_mem'), coalesce(current_setting('rowcap.default_limit', true), 'none')").Scan(&memory, &ours); err != nil {
					t.Fatal(err)
				}
				if ours != "none" || (memory == "77MB") != strings.Contains(c.parameters["options"], "work_mem") {
					t.Errorf("the server has work_mem %s, rowcap.default_limit %s", memory, ours)
				}
			}
		})
	}
}

func TestUnknownParameters(t *testing.T) {
	server := dbtest.Postgres(t)
	door := open(t, server.Addr(), capped(5, 20))
	for _, c := range []struct{ name, value, code, message string }{
		{"rowcap.max_limit", "7", "42704", `rowcap does not know the parameter "rowcap.max_limit"`},
		{"ROWCAP.", "7", "42704", `rowcap does not know the parameter "ROWCAP."`},
		{"options", "-c geqo=off -c rowcap.nothing=1", "42704", `rowcap does not know the parameter "rowcap.nothing"`},
		{"options", "-ec rowcap.default_limit=1", "42601", "rowcap cannot take \"-ec\" out of the options"},
		{"rowcap.default_limit", "many", "22023", `invalid value for the parameter "rowcap.default_limit": "many"`},
		{"rowcap.default_limit", "0", "22023", "invalid value"},
		{"rowcap.default_limit", "-1", "22023", "invalid value"},
		{"rowcap.default_limit", "9223372036854775807", "22023", "invalid value"},
		{"rowcap.default_limit", "18446744073709551616", "22023", "invalid value"},
		{"options", "--rowcap.default_limit", "22023", "invalid value"},
	} {
		r := dialRaw(t, door.addr)
		r.startup(version3, "user", server.User, c.name, c.value)
		r.fails("", c.code, c.message)
		if err := door.end(t); err == nil {
			t.Error("Serve returned no error")
		}
	}
	// What is not rowcap's is the server's to judge, as it came.
	r := dialRaw(t, door.addr)
	r.startup(version3|5, "user", server.User, "database", "postgres", "_pq_.rowcap", "on", "rowcaps.x", "1", "my.rowcap", "2", "options", `-c my.text=a\ -c\ rowcap.x=1`)
	if got, e := r.types("Z"); got != "vRZ" {
		t.Errorf("got %q, %+v", got, e)
	}
}

// TestReplication passes replication connections if the policy says so: a backup
// by the server's own program is whole.
func TestReplication(t *testing.T) {
	server := dbtest.Postgres(t)
	policy := capped(5, 0)
	policy.Replication = rewrite.ReplicationPass
	door := open(t, server.Addr(), policy)
	out, _ := psql(t, strings.Replace(door.through(server, "postgres"), "sslmode=disable", "sslmode=disable&replication=database", 1), "",
		"-c", "IDENTIFY_SYSTEM", "-c", "SELECT generate_series(1, 9)")
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) != 10 || !strings.Contains(lines[0], "|postgres") {
		t.Errorf("got %q", out)
	}
	t.Run("a login that the server refuses", func(t *testing.T) {
		r := dialRaw(t, door.addr)
		r.startup(version3, "user", "nobody_at_all", "replication", "true")
		if got, e := r.types("-"); !strings.HasSuffix(got, "E-") || e.Code != "28000" {
			t.Errorf("got %q, %+v", got, e)
		}
	})
	t.Run("shutdown", func(t *testing.T) {
		door := open(t, server.Addr(), policy)
		r := dialRaw(t, door.addr)
		r.startup(version3, "user", server.User, "replication", "database", "database", "postgres")
		r.types("Z")
		door.cancel()
		if got, _ := r.types("-"); got != "-" {
			t.Errorf("got %q", got)
		}
		if err := door.end(t); err != nil {
			t.Errorf("Serve returned %v", err)
		}
	})
	t.Run("backup", func(t *testing.T) {
		program := filepath.Join("/usr/lib/postgresql", strings.Split(server.Version, ".")[0], "bin", "pg_basebackup")
		if path, err := exec.LookPath("pg_basebackup"); err == nil {
			program = path
		} else if _, err := os.Stat(program); err != nil {
			t.Skipf("SKIPPED, NOT PASSED: %v", err)
		}
		dir := filepath.Join(t.TempDir(), "backup")
		cmd := exec.CommandContext(ctx(t), program, "-d", door.through(server, ""), "-D", dir, "-X", "stream", "--checkpoint=fast", "--no-sync")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if _, err := os.Stat(filepath.Join(dir, "backup_manifest")); err != nil {
			t.Error(err)
		}
		verify := exec.CommandContext(ctx(t), filepath.Join(filepath.Dir(program), "pg_verifybackup"), dir)
		if out, err := verify.CombinedOutput(); err != nil && !os.IsNotExist(err) {
			t.Errorf("pg_verifybackup: %v: %s", err, out)
		}
	})
}
