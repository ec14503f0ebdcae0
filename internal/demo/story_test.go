package demo_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/internal/demo"
	"github.com/rowcap/rowcap/internal/query"
	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/mysqlwire"
	"github.com/rowcap/rowcap/proxy/pgwire"
	"github.com/rowcap/rowcap/rewrite"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func rewriter(t *testing.T, name string, p rewrite.Policy) *rewrite.Rewriter {
	t.Helper()
	d, err := dialect.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := rewrite.New(d, p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// openDoor puts rowcap in front of place and returns its address.
func openDoor(t *testing.T, place demo.Place, p rewrite.Policy) string {
	t.Helper()
	upstream, err := proxy.ParseAddress(place.Address)
	if err != nil {
		t.Fatal(err)
	}
	r := rewriter(t, place.Dialect, p)
	var protocol proxy.Protocol = mysqlwire.New(upstream, r, proxy.NoObserver{})
	if place.Dialect == "postgres" {
		protocol = pgwire.New(upstream, r, proxy.NoObserver{})
	}
	server := &proxy.Server{Drain: time.Second}
	address, err := server.Listen(proxy.Route{Listen: proxy.Address{Network: "tcp", Addr: "127.0.0.1:0"}, Upstreams: proxy.Upstreams{upstream}}, protocol)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- server.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return address.String()
}

// place is a server of dbtest as a user would name it.
func place(t *testing.T, s *dbtest.Server) demo.Place {
	t.Helper()
	dsn := s.DSN(s.Database(t))
	if s.Flavor != dbtest.FlavorPostgres {
		u := url.URL{Scheme: s.Flavor, User: url.UserPassword(s.User, s.Password), Host: s.Addr()}
		dsn = u.String()
	}
	p, err := demo.ParsePlace(dsn)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestStory(t *testing.T) {
	for flavor, get := range map[string]func(testing.TB) *dbtest.Server{
		"postgres": dbtest.Postgres, "mariadb": dbtest.MariaDB, "mysql": dbtest.MySQL,
	} {
		t.Run(flavor, func(t *testing.T) {
			server := get(t)
			at := place(t, server)
			client := rewriter(t, at.Dialect, demo.NoLimits())
			if err := demo.Load(t.Context(), at, client); err != nil {
				t.Fatal(err)
			}
			var exists *demo.ExistsError
			if err := demo.Load(t.Context(), at, client); !errors.As(err, &exists) || !strings.Contains(err.Error(), "DROP SCHEMA "+demo.Schema) {
				t.Errorf("a second Load: %v", err)
			}
			address := openDoor(t, at, rewrite.DefaultPolicy())
			var b strings.Builder
			story := demo.Story{Direct: at.DSN(demo.Schema), Through: at.By(address, demo.Schema), Server: at.String(), Door: address, Cap: 100, Client: client}
			if err := story.Tell(t.Context(), &b); err != nil {
				t.Fatalf("%v\n%s", err, b.String())
			}
			checkStory(t, b.String())

			wrong := openDoor(t, at, demo.NoLimits())
			story.Through = at.By(wrong, demo.Schema)
			if err := story.Tell(t.Context(), &b); err == nil || !strings.Contains(err.Error(), "1847 rows and 0 warnings") {
				t.Errorf("a rowcap that does not cap: %v", err)
			}

			if err := demo.Drop(t.Context(), at, client); err != nil {
				t.Fatal(err)
			}
			if got := schemas(t, server, at); got != "0" {
				t.Errorf("%s schemas are left", got)
			}
		})
	}
}

// checkStory holds a told story to what a reader must find in it, in order.
func checkStory(t *testing.T, text string) {
	t.Helper()
	rest := text
	for _, want := range []string{
		"120,000 invoices of 800 customers", "how many invoices are overdue?",
		"1. A client without a cap", "INV-2025-", "… 1,844 rows more …", "(1847 rows)", `Read as: "1,847 invoices are overdue"`, "Right.",
		"2. A silent cap", "LIMIT 100;", "… 97 rows more …", "(100 rows)", `Read as: "100 invoices are overdue"`, "Wrong by 1,747",
		"3. rowcap", "… 97 rows more …", "(100 rows)", "warning: ", "showing the first 100 rows; more rows exist",
		"cap 100 from the default limit", "add a LIMIT up to 1000", "count(*)", "1847", "(1 row)", "101 rows were sent",
	} {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Fatalf("%q is missing, or in the wrong place, in:\n%s", want, text)
		}
		rest = after
	}
	if n := strings.Count(text, "warning: "); n != 1 {
		t.Errorf("%d warnings in:\n%s", n, text)
	}
}

func TestTellWithoutServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	dsn := fmt.Sprintf("mysql://root@%s/x", l.Addr())
	story := demo.Story{Direct: dsn, Through: dsn, Client: rewriter(t, "mysql", demo.NoLimits())}
	if err := story.Tell(t.Context(), new(strings.Builder)); err == nil || !strings.Contains(err.Error(), l.Addr().String()) {
		t.Errorf("got %v", err)
	}
}

func TestPlace(t *testing.T) {
	for _, c := range []struct{ dsn, dialect, address, direct, by, shown string }{
		{"postgres://u:p%40@h/db?sslmode=require", "postgres", "h:5432",
			"postgres://u:p%40@h/db?search_path=s&sslmode=require", "postgres://u:p%40@door:1/db?search_path=s&sslmode=disable", "PostgreSQL at h:5432"},
		{"postgres://u@/db?host=/run/pg&port=5433", "postgres", "/run/pg/.s.PGSQL.5433",
			"postgres://u@/db?host=%2Frun%2Fpg&port=5433&search_path=s", "postgres://u@door:1/db?search_path=s&sslmode=disable", "PostgreSQL at /run/pg/.s.PGSQL.5433"},
		{"mysql://u:p@h:3307", "mysql", "h:3307", "mysql://u:p@h:3307/s", "mysql://u:p@door:1/s", "MySQL at h:3307"},
		{"mariadb://u@[::1]/old?tls=skip-verify", "mariadb", "[::1]:3306",
			"mariadb://u@[::1]/s?tls=skip-verify", "mariadb://u@door:1/s", "MariaDB at [::1]:3306"},
		{"mysql://u@/?unix_socket=/run/my.sock", "mysql", "/run/my.sock",
			"mysql://u@/s?unix_socket=/run/my.sock", "mysql://u@door:1/s", "MySQL at /run/my.sock"},
	} {
		p, err := demo.ParsePlace(c.dsn)
		if err != nil {
			t.Errorf("%s: %v", c.dsn, err)
			continue
		}
		for _, pair := range [][2]string{{p.Dialect, c.dialect}, {p.Address, c.address}, {p.DSN("s"), c.direct}, {p.By("door:1", "s"), c.by},
			{p.DSN(""), c.dsn}, {p.String(), c.shown}} {
			if pair[0] != pair[1] {
				t.Errorf("%s: got %s, want %s", c.dsn, pair[0], pair[1])
			}
		}
		if err := query.CheckDSN(p.DSN("s")); err != nil {
			t.Errorf("%s: %v", c.dsn, err)
		}
		if err := query.CheckDSN(p.By("door:1", "s")); err != nil {
			t.Errorf("%s: %v", c.dsn, err)
		}
	}
	for _, dsn := range []string{"", "h:1", "http://h", "postgres:///db", "mysql://u@", "postgres://u:secret%zz@h"} {
		if p, err := demo.ParsePlace(dsn); err == nil {
			t.Errorf("%q: got %s and no error", dsn, p)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error shows the password: %v", dsn, err)
		}
	}
}

func TestInvite(t *testing.T) {
	for dsn, wants := range map[string][]string{
		"postgres://u:secret@h/db": {`psql "host=127.0.0.1 port=6432 user=u dbname=db options=-csearch_path=s"`,
			"postgres://u@127.0.0.1:6432/db?search_path=s&sslmode=disable"},
		"mysql://u:secret@h/db": {"mariadb --show-warnings --host=127.0.0.1 --port=6432 --user=u --password s",
			"mysql://u@127.0.0.1:6432/s", "u@tcp(127.0.0.1:6432)/s"},
	} {
		p, err := demo.ParsePlace(dsn)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := p.Invite(&b, "127.0.0.1:6432", "s"); err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%q is missing in:\n%s", want, b.String())
			}
		}
		if strings.Contains(b.String(), "secret") {
			t.Errorf("the password is in:\n%s", b.String())
		}
	}
}
