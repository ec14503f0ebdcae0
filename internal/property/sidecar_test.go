package property

import (
	"context"
	"database/sql"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/rowcap/rowcap/dialect/mysql"
	"github.com/rowcap/rowcap/dialect/postgres"
	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/internal/sqlgen"
	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/mysqlwire"
	"github.com/rowcap/rowcap/proxy/pgwire"
	"github.com/rowcap/rowcap/rewrite"
)

func TestPostgresSidecar(t *testing.T) { checkSidecar(t, openPostgres(t, dbtest.Postgres(t))...) }

func TestPostgres18Sidecar(t *testing.T) {
	checkSidecar(t, openPostgres(t, dbtest.PostgresVersion(t, 18))...)
}

func TestMariaDBSidecar(t *testing.T) { checkSidecar(t, openMySQL(t, dbtest.StartMariaDB(t))...) }

func TestMySQLSidecar(t *testing.T) { checkSidecar(t, openMySQL(t, dbtest.StartMySQL(t))...) }

// checkSidecar draws statements and runs each straight, and through a door under a drawn
// policy: the answers are equal but for the rows beyond the cap, a notice is there exactly
// for an answer that is not said to be complete, errors are equal and point to the same
// place, and the connection is in step after each.
func checkSidecar(t *testing.T, sessions ...session) {
	counts := &tally{}
	var last *drawn
	defer func() { report(t, counts, last) }()
	sqlgen.Check(t, budget/3, func(t *rapid.T) {
		s := sessions[rapid.IntRange(0, len(sessions)-1).Draw(t, "session")]
		c := draw(t, s, sqlgen.Statements(s.target()).Draw(t, "statement"), counts)
		if c == nil {
			return
		}
		c.through = true
		c.ask.Limit = 0 // asked for with a request, of which there is none
		if why := c.fails(counts); why != "" {
			last = c
			t.Fatal(why)
		}
	})
	if cut, all := counts.counts["cut by the door"], counts.counts["statements"]; all > 100 && cut*10 < all {
		t.Errorf("only %d answers to %d statements were cut", cut, all)
	}
}

// sidecar is a session through a door.
type sidecar struct {
	session
	close func()
	// notices are the notices that the client was given.
	notices func() int
}

// through opens the way through a door that is at addr.
func (p *postgresSession) through(t fataler, addr, upstream string) sidecar {
	q := *p
	q.dsn, q.notices = strings.Replace(p.dsn, upstream, addr, 1), new(int)
	q.connect(t)
	return sidecar{&q, q.close, func() int { return *q.notices }}
}

func (m *mysqlSession) through(t fataler, addr, upstream string) sidecar {
	n := *m
	n.dsn, n.conn = strings.Replace(m.dsn, upstream, addr, 1), nil
	n.open(t)
	notices := 0
	n.looks = func(t fataler, conn *sql.Conn) {
		rows, err := conn.QueryContext(context.Background(), "SHOW WARNINGS")
		if err != nil {
			t.Fatalf("%v", err)
		}
		defer rows.Close()
		for rows.Next() {
			var level, text string
			var code int
			if err := rows.Scan(&level, &code, &text); err != nil {
				t.Fatalf("%v", err)
			}
			if code == mysqlwire.CodeNotice && !strings.HasPrefix(text, "of this list: ") { // SHOW WARNINGS itself is not observed
				notices++
			}
		}
	}
	return sidecar{&n, n.close, func() int { return notices }}
}

// outcomes is an Observer that keeps the outcomes of statements that return rows, and
// are not the test's own.
type outcomes struct {
	proxy.NoObserver
	mu  sync.Mutex
	all []rewrite.Outcome
}

func (o *outcomes) Answered(_ string, one rewrite.Outcome) {
	if one.Plan.Statement.ReturnsRows && one.Plan.Statement.Text != "SHOW WARNINGS" {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.all = append(o.all, one)
	}
}

// runThrough runs the caller's own text through a door.
func (c *drawn) runThrough(t fataler, counts *tally) ([]answer, *failure) {
	var d rewrite.Dialect = mysql.New()
	if isPostgres(c.session) {
		d = postgres.New()
	}
	r, err := rewrite.New(d, c.policy)
	if err != nil {
		t.Fatalf("%v", err)
	}
	seen := &outcomes{}
	var side sidecar
	open := func(upstream string, door func(proxy.Address) proxy.Protocol) (addr string, shut func()) {
		at, err := proxy.ParseAddress(upstream)
		if err != nil {
			t.Fatalf("%v", err)
		}
		return listen(t, door(at))
	}
	var shut func()
	switch s := c.session.(type) {
	case *postgresSession:
		upstream := s.server
		addr, end := open(upstream, func(at proxy.Address) proxy.Protocol { return pgwire.New(at, r, seen) })
		side, shut = s.through(t, addr, upstream), end
	case *mysqlSession:
		upstream := s.server.Addr()
		addr, end := open(upstream, func(at proxy.Address) proxy.Protocol { return mysqlwire.New(at, r, seen) })
		side, shut = s.through(t, addr, upstream), end
	}
	defer shut()
	defer side.close()
	got, failed := side.run(t, c.statement.Text(), c.ask.Session)
	seen.mu.Lock()
	defer seen.mu.Unlock()
	incomplete := 0
	for _, o := range seen.all {
		if o.Completeness != rewrite.Complete {
			incomplete++
		}
	}
	if n := side.notices(); failed == nil && n != incomplete {
		t.Fatalf("%d notices came, %d answers were not complete: %+v", n, incomplete, seen.all)
	}
	if incomplete > 0 {
		counts.count("cut by the door")
	}
	return got, failed
}

// listen has a door accept clients until shut is called, which waits for its sessions.
func listen(t fataler, door proxy.Protocol) (addr string, shut func()) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var sessions sync.WaitGroup
	sessions.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			sessions.Go(func() { door.Serve(ctx, client) })
		}
	})
	return l.Addr().String(), func() {
		l.Close()
		cancel()
		sessions.Wait()
	}
}

// checkDelivered is checkAnswer for what came through a door. Where the door could not
// read a text of several statements under what it knows of the session, it has held the
// answer to the cap guarded, whatever the statement's own limit is.
func checkDelivered(t fataler, st sqlgen.Statement, p rewrite.Plan, guarded rewrite.Cap, got, whole answer, reference *answer) {
	if !slices.Equal(got.columns, whole.columns) {
		t.Fatalf("columns\n%q, of the original\n%q", got.columns, whole.columns)
	}
	if got.columns == nil {
		if got.tag != whole.tag {
			t.Fatalf("the server did %q, with the original %q", got.tag, whole.tag)
		}
		return
	}
	rows, total := uint64(len(got.rows)), uint64(len(whole.rows))
	if p.Metered() && rows > p.Cap.Rows {
		t.Fatalf("%d rows are delivered under a cap of %v", rows, p.Cap)
	}
	if st.Examined || !st.Settled && len(p.Edits) == 0 {
		return
	}
	if p.Metered() {
		total = min(total, p.Cap.Rows)
	}
	if rows != total && rows != min(total, guarded.Rows) {
		t.Fatalf("%d rows are delivered of %d under a cap of %v", rows, len(whole.rows), p.Cap)
	}
	if st.Settled {
		all := whole
		if reference != nil {
			all = *reference
		}
		checkRows(t, st, got.rows, whole.rows, all.rows)
	}
}
