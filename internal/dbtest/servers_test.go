//go:build linux

package dbtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// eachServer runs test with every flavor's shared server.
func eachServer(t *testing.T, test func(t *testing.T, s *Server)) {
	for _, c := range []struct {
		flavor string
		get    func(testing.TB) *Server
	}{{FlavorPostgres, Postgres}, {FlavorMariaDB, MariaDB}, {FlavorMySQL, MySQL}} {
		t.Run(c.flavor, func(t *testing.T) { test(t, c.get(t)) })
	}
}

// shell runs a command line client with a password and returns what it prints.
func shell(t *testing.T, password, name string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "PGPASSWORD="+password, "MYSQL_PWD="+password, "PGCONNECT_TIMEOUT=10")
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// byTCP runs one query over TCP as user; tls asks for a verified connection.
func byTCP(t *testing.T, s *Server, user, password, query string, tls bool) (string, error) {
	t.Helper()
	if s.Flavor == FlavorPostgres {
		conninfo := "host=127.0.0.1 dbname=postgres port=" + strconv.Itoa(s.Port) + " user=" + user
		if tls {
			conninfo += " sslmode=verify-full sslrootcert=" + s.CA
		} else {
			conninfo += " sslmode=disable"
		}
		return shell(t, password, s.client, "-X", "-A", "-t", "-c", query, conninfo)
	}
	args := []string{"--no-defaults", "--batch", "--skip-column-names", "--protocol=tcp", "--host=127.0.0.1",
		"--port=" + strconv.Itoa(s.Port), "--user=" + user, "--execute=" + query}
	if tls {
		args = append(args, "--ssl", "--ssl-verify-server-cert", "--ssl-ca="+s.CA)
	}
	return shell(t, password, s.client, args...)
}

func TestServersAnswer(t *testing.T) {
	eachServer(t, func(t *testing.T, s *Server) {
		db := s.Database(t)
		got := s.SQL(t, db, "CREATE TABLE t (a int); INSERT INTO t VALUES (1), (2); SELECT a, a + 1 FROM t ORDER BY a;")
		if want := "1\t2\n2\t3"; got != want {
			t.Errorf("by the socket: got %q, want %q", got, want)
		}
		got, err := byTCP(t, s, s.User, s.Password, "SELECT 6 * 7", false)
		if err != nil || got != "42" {
			t.Errorf("by TCP: got %q, %v", got, err)
		}
		if info, err := os.Stat(s.Socket); err != nil || info.Mode()&os.ModeSocket == 0 {
			t.Errorf("Socket %q is no socket: %v", s.Socket, err)
		}
		if s.Port < firstPort || s.Port > lastPort {
			t.Errorf("port %d is not from %d to %d", s.Port, firstPort, lastPort)
		}
		if s.Version == "" || strings.ContainsAny(s.Version, " ~+") {
			t.Errorf("version %q", s.Version)
		}
		t.Log(s)
	})
}

func TestServersSpeakTLS(t *testing.T) {
	eachServer(t, func(t *testing.T, s *Server) {
		query, want := "SHOW STATUS LIKE 'Ssl_version'", "TLSv1.3"
		if s.Flavor == FlavorPostgres {
			query = "SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
		}
		got, err := byTCP(t, s, s.User, s.Password, query, true)
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("got %q, %v; want %s", got, err, want)
		}
	})
}

func TestPasswordsOfPostgres(t *testing.T) {
	s := Postgres(t)
	stored := map[string]string{RoleSCRAM: "SCRAM-SHA-256$", RoleMD5: "md5", RoleCleartext: "SCRAM-SHA-256$"}
	for role, prefix := range stored {
		t.Run(role, func(t *testing.T) {
			if got := s.SQL(t, "", "SELECT rolpassword FROM pg_authid WHERE rolname = '"+role+"'"); !strings.HasPrefix(got, prefix) {
				t.Errorf("stored password %.20q, want %s…", got, prefix)
			}
			if got, err := byTCP(t, s, role, role, "SELECT current_user", false); err != nil || got != role {
				t.Errorf("right password: got %q, %v", got, err)
			}
			if got, err := byTCP(t, s, role, "wrong", "SELECT current_user", false); err == nil {
				t.Errorf("wrong password: got %q and no error", got)
			}
		})
	}
}

func TestPasswordsOfMySQL(t *testing.T) {
	for _, get := range []func(testing.TB) *Server{MariaDB, MySQL} {
		s := get(t)
		if got, err := byTCP(t, s, "rowcap", "wrong", "SELECT 1", false); err == nil {
			t.Errorf("%s: wrong password: got %q and no error", s, got)
		}
		if got, err := byTCP(t, s, "root", "", "SELECT current_user()", false); err != nil || got != "root@127.0.0.1" {
			t.Errorf("%s: root: got %q, %v", s, got, err)
		}
		if got, err := byTCP(t, s, "nobody-known", "", "SELECT 1", false); err == nil {
			t.Errorf("%s: an unknown user got in: %q", s, got)
		}
	}
}

func TestFilesOfMySQL(t *testing.T) {
	for _, get := range []func(testing.TB) *Server{MariaDB, MySQL} {
		s := get(t)
		db := s.Database(t)
		// No restriction prints as nothing on MySQL and as NULL on MariaDB.
		if got := s.SQL(t, db, "SELECT @@local_infile, coalesce(@@secure_file_priv, '')"); got != "1\t" {
			t.Errorf("%s: local_infile and secure_file_priv are %q", s, got)
		}
		file := filepath.Join(filepath.Dir(s.Socket), "out.txt")
		s.SQL(t, db, "SELECT 'written' INTO OUTFILE '"+file+"'")
		if got, err := os.ReadFile(file); err != nil || string(got) != "written\n" {
			t.Errorf("%s: the file holds %q, %v", s, got, err)
		}
	}
}

func TestDatabasesAreApart(t *testing.T) {
	eachServer(t, func(t *testing.T, s *Server) {
		names := "SELECT schema_name FROM information_schema.schemata"
		if s.Flavor == FlavorPostgres {
			names = "SELECT datname FROM pg_database"
		}
		var one, other string
		t.Run("two", func(t *testing.T) {
			one, other = s.Database(t), s.Database(t)
			s.SQL(t, one, "CREATE TABLE only_here (a int)")
			if _, err := s.run(other, "SELECT * FROM only_here"); err == nil {
				t.Error("a table of one database is in the other")
			}
			if all := s.SQL(t, "", names); !strings.Contains(all, one) || !strings.Contains(all, other) {
				t.Errorf("%s or %s is not among %q", one, other, all)
			}
		})
		if all := s.SQL(t, "", names); strings.Contains(all, one) || strings.Contains(all, other) {
			t.Errorf("%s or %s is still among %q", one, other, all)
		}
	})
}

func TestDSN(t *testing.T) {
	pg := Server{Flavor: FlavorPostgres, Host: "127.0.0.1", Port: 1234, User: "u", Password: "p@/"}
	if got, want := pg.DSN("db"), "postgres://u:p%40%2F@127.0.0.1:1234/db?sslmode=disable"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	my := Server{Flavor: FlavorMySQL, Host: "127.0.0.1", Port: 1234, User: "u", Password: "p"}
	if got, want := my.DSN("db"), "u:p@tcp(127.0.0.1:1234)/db"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
