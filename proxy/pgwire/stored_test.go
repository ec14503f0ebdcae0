package pgwire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// largeText is a statement of which eight can be kept.
func largeText() string {
	return "SELECT n FROM parcels WHERE label <> '" + strings.Repeat("x", 1<<20-100) + "' ORDER BY n"
}

// TestTextsKept has more statements than texts can be kept: those beyond are counted
// from the start, and can be stored and read as cursors like the others.
func TestTextsKept(t *testing.T) {
	server := dbtest.Postgres(t)
	database := server.Database(t)
	server.SQL(t, database, parcels)
	c := dial(t, open(t, server.Addr(), capped(5, 0)).through(server, database))
	for i := range 9 {
		if _, err := c.Prepare(ctx(t), fmt.Sprint("s", i), largeText()); err != nil {
			t.Fatal(err)
		}
	}
	for i, name := range []string{"s8", "s3"} {
		if got, _ := c.numbers(name); fmt.Sprint(got) != "[1 2 3 4 5]" || len(c.notices) != i+1 {
			t.Errorf("%s: got %v, %d notices", name, got, len(c.notices))
		}
		table := "t" + name
		if _, err := c.Exec(ctx(t), "CREATE TABLE "+table+" AS EXECUTE "+name, pgx.QueryExecModeExec); err != nil {
			t.Error(err)
		}
		if got := server.SQL(t, database, "SELECT count(*) FROM "+table); got != "12" {
			t.Errorf("%s rows are stored in %s", got, table)
		}
	}
}

// TestStoredTextGone refuses what needs a statement's own text that is not kept: more
// came in one pipeline than can be.
func TestStoredTextGone(t *testing.T) {
	server := dbtest.Postgres(t)
	database := server.Database(t)
	server.SQL(t, database, parcels)
	r := enterRaw(t, server, database)
	for i := range 12 {
		r.send(&pgproto3.Parse{Name: fmt.Sprint("s", i), Query: largeText()})
	}
	r.send(&pgproto3.Sync{})
	r.types("Z")
	for _, m := range [][]pgproto3.FrontendMessage{
		{&pgproto3.Query{String: "CREATE TABLE t AS EXECUTE s11"}},
		{&pgproto3.Bind{DestinationPortal: "p", PreparedStatement: "s11"}, &pgproto3.Execute{Portal: "p"}, &pgproto3.Sync{}},
	} {
		r.send(m...)
		letters, e := r.types("Z")
		if letters != "EZ" || e.Code != "RC001" || !strings.Contains(e.Message, `"s11" has a row cap in its text`) {
			t.Errorf("got %q, %+v", letters, e)
		}
	}
	r.send(&pgproto3.Bind{DestinationPortal: "p", PreparedStatement: "s0"}, &pgproto3.Execute{Portal: "p"}, &pgproto3.Sync{})
	if letters, _ := r.types("Z"); letters != "2DDDDDNCZ" {
		t.Errorf("got %q", letters)
	}
}

// TestNamedPortalPipeline opens many portals with names in one write, of statements
// with and without a name, in one transaction and in many.
func TestNamedPortalPipeline(t *testing.T) {
	server := dbtest.Postgres(t)
	database := server.Database(t)
	server.SQL(t, database, parcels)
	for _, syncs := range []bool{false, true} {
		r := enterRaw(t, server, database)
		var messages []pgproto3.FrontendMessage
		want := ""
		for i := range 300 {
			name, portal := "", fmt.Sprint("p", i)
			if i%2 == 1 {
				name = fmt.Sprint("s", i%7)
				messages = append(messages, &pgproto3.Close{ObjectType: 'S', Name: name})
				want += "3"
			}
			messages = append(messages, &pgproto3.Parse{Name: name, Query: fmt.Sprintf("SELECT n FROM parcels WHERE n > %d ORDER BY n", i%5)},
				&pgproto3.Bind{DestinationPortal: portal, PreparedStatement: name},
				&pgproto3.Bind{DestinationPortal: portal + "again", PreparedStatement: name},
				&pgproto3.Execute{Portal: portal, MaxRows: 2}, &pgproto3.Execute{Portal: portal, MaxRows: 9},
				&pgproto3.Execute{Portal: portal + "again", MaxRows: 2})
			want += "122DDsDDDNCDDs"
			if syncs || i == 299 {
				messages = append(messages, &pgproto3.Sync{})
				want += "Z"
			}
		}
		var sent []byte
		for _, m := range messages {
			var err error
			if sent, err = m.Encode(sent); err != nil {
				t.Fatal(err)
			}
		}
		go r.Write(sent) // a failure shows in what is read
		got := ""
		for strings.Count(got, "Z") < strings.Count(want, "Z") {
			letters, e := r.types("Z")
			if got += letters; e != nil || strings.HasSuffix(letters, "-") {
				t.Fatalf("got %q, %+v", letters, e)
			}
		}
		if got != want {
			t.Errorf("syncs: %v: got\n%s\nwant\n%s", syncs, got, want)
		}
	}
}

// enterRaw opens a session through a door with a cap of 5 rows.
func enterRaw(t *testing.T, server *dbtest.Server, database string) *raw {
	t.Helper()
	r := dialRaw(t, open(t, server.Addr(), capped(5, 0)).addr)
	r.startup(3<<16, "user", server.User, "database", database)
	if letters, e := r.types("Z"); !strings.HasSuffix(letters, "Z") {
		t.Fatalf("got %q, %+v", letters, e)
	}
	return r
}
