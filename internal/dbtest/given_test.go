//go:build linux

package dbtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestParseGiven(t *testing.T) {
	for _, c := range []struct {
		flavor, value string
		want          Server
	}{
		{FlavorPostgres, "postgres://u:p@h:1", Server{Flavor: FlavorPostgres, Host: "h", Port: 1, User: "u", Password: "p"}},
		{FlavorPostgres, "postgresql://u@h/db?sslmode=disable", Server{Flavor: FlavorPostgres, Host: "h", Port: 5432, User: "u"}},
		{FlavorPostgres, "postgres://u:a%40b@[::1]:7", Server{Flavor: FlavorPostgres, Host: "::1", Port: 7, User: "u", Password: "a@b"}},
		{FlavorMariaDB, "mariadb://u:p@h", Server{Flavor: FlavorMariaDB, Host: "h", Port: 3306, User: "u", Password: "p"}},
		{FlavorMySQL, "u:p@x@tcp(h:1)/db?a=b", Server{Flavor: FlavorMySQL, Host: "h", Port: 1, User: "u", Password: "p@x"}},
		{FlavorMySQL, "u@tcp(h)/", Server{Flavor: FlavorMySQL, Host: "h", Port: 3306, User: "u"}},
		{FlavorMySQL, "u:p@unix(/run/x.sock)/", Server{Flavor: FlavorMySQL, Socket: "/run/x.sock", User: "u", Password: "p"}},
	} {
		got, err := parseGiven(c.flavor, c.value)
		if err != nil || *got != c.want {
			t.Errorf("%s: got %+v, %v", c.value, got, err)
		}
	}
	for _, c := range []struct{ flavor, value string }{
		{FlavorPostgres, "host=h"}, {FlavorPostgres, "postgres://u@h:port"}, {FlavorPostgres, "postgres://u@"},
		{FlavorMySQL, "nothing"}, {FlavorMySQL, "u:p@tcp"}, {FlavorMySQL, "u@pipe(x)/"}, {FlavorMySQL, "u@tcp(h:x)/"},
		{FlavorMySQL, "@"}, {FlavorMySQL, ")/(@"},
	} {
		if got, err := parseGiven(c.flavor, c.value); err == nil {
			t.Errorf("%s: got %+v and no error", c.value, got)
		}
	}
}

func TestGivenServer(t *testing.T) {
	for _, c := range []struct {
		r   *recipe
		get func(testing.TB) *Server
	}{{&postgresRecipe, Postgres}, {&mariadbRecipe, MariaDB}} {
		private := c.get(t)
		t.Setenv(c.r.variable, private.DSN(""))
		s, err := given(c.r)
		if err != nil {
			t.Fatal(err)
		}
		if s.Addr() != private.Addr() || s.Version != private.Version || s.instance != nil {
			t.Errorf("got %s, want %s", s, private)
		}
		db := s.Database(t)
		if got := s.SQL(t, db, "SELECT 1"); got != "1" {
			t.Errorf("got %q", got)
		}
		t.Setenv(c.r.variable, "nonsense")
		if s, err := given(c.r); err == nil {
			t.Errorf("got %s and no error", s)
		} else {
			wantIn(t, err.Error(), c.r.variable)
		}
	}
}

// record is a testing.TB that notes how it was ended.
type record struct {
	testing.TB
	failed, skipped string
}

func (r *record) Helper() {}
func (r *record) Fatal(args ...any) {
	r.failed = fmt.Sprint(args...)
	runtime.Goexit()
}
func (r *record) Skipf(format string, args ...any) {
	r.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func TestMissingServer(t *testing.T) {
	missing := fmt.Errorf("postgres %w", errNotFound)
	t.Setenv("ROWCAP_CACHE_DIR", t.TempDir())
	try := func(r *recipe, err error) *record {
		rec, done := &record{TB: t}, make(chan bool)
		go func() {
			defer close(done)
			giveUp(rec, r, err)
		}()
		<-done
		return rec
	}

	t.Setenv("CI", "")
	rec := try(&postgresRecipe, missing)
	wantIn(t, rec.skipped, "SKIPPED, NOT PASSED", "make setup", "postgresql", "ROWCAP_TEST_POSTGRES")
	rec = try(&postgresRecipe, errors.New("does not start"))
	wantIn(t, rec.failed, "does not start")

	t.Setenv("CI", "true")
	rec = try(&mariadbRecipe, missing)
	wantIn(t, rec.failed, "make setup", "mariadb-server-core", "ROWCAP_TEST_MARIADB")
	rec = try(&mysqlRecipe, missing)
	wantIn(t, rec.failed, "make setup", "ROWCAP_TEST_MYSQL")

	note := filepath.Join(CacheFolder(), mysqlFolder+".unavailable")
	if err := os.WriteFile(note, []byte("no such archive\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	rec = try(&mysqlRecipe, missing)
	wantIn(t, rec.skipped, "SKIPPED, NOT PASSED", "no such archive")
	rec = try(&mariadbRecipe, missing)
	wantIn(t, rec.failed, "mariadb-server-core")
}
