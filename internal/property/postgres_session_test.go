package property

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rowcap/rowcap/dialect/postgres"
	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/internal/sqlgen"
	"github.com/rowcap/rowcap/rewrite"
)

type postgresSession struct {
	conn    *pgconn.PgConn
	t       sqlgen.Target
	d       rewrite.Dialect
	server  string // its address
	dsn     string
	setup   string
	notices *int // of rowcap's, as far as they were counted
}

// openPostgres makes the schema in a database of its own and connects to it, as the
// server does by default and with backslashes that escape. The default stands twice, as it
// is to be drawn more often.
func openPostgres(t *testing.T, s *dbtest.Server) []session {
	t.Helper()
	plain := openPostgresWith(t, s, "on")
	return []session{plain, plain, openPostgresWith(t, s, "off")}
}

func openPostgresWith(t *testing.T, s *dbtest.Server, conforming string) *postgresSession {
	t.Helper()
	var major, minor int
	fmt.Sscanf(s.Version, "%d.%d", &major, &minor)
	p := &postgresSession{t: sqlgen.Target{Dialect: sqlgen.Postgres, Version: major*10000 + minor, NoBackslash: conforming == "on"},
		d: postgres.New().With("standard_conforming_strings", conforming), server: s.Addr(), dsn: s.DSN(s.Database(t)), notices: new(int),
		setup: "SET standard_conforming_strings = " + conforming + "; SET escape_string_warning = off; SET statement_timeout = '20s'; SET jit = off; SET max_parallel_workers_per_gather = 0"}
	p.connect(t)
	t.Cleanup(p.close)
	for _, sql := range sqlgen.Schema(p.t) {
		p.must(t, sql)
	}
	return p
}

func (p *postgresSession) connect(t fataler) {
	config, err := pgconn.ParseConfig(p.dsn)
	if err != nil {
		t.Fatalf("%v", err)
	}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		if n.Code == "01RC1" {
			*p.notices++
		}
	}
	if p.conn, err = pgconn.ConnectConfig(context.Background(), config); err != nil {
		t.Fatalf("%v", err)
	}
	p.must(t, p.setup)
}

func (p *postgresSession) close() { p.conn.Close(context.Background()) }

func (p *postgresSession) target() sqlgen.Target    { return p.t }
func (p *postgresSession) dialect() rewrite.Dialect { return p.d }

func (p *postgresSession) must(t fataler, sql string) {
	if _, err := p.conn.Exec(context.Background(), sql).ReadAll(); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func (p *postgresSession) run(t fataler, sql string, _ *uint64) ([]answer, *failure) {
	ctx := context.Background()
	p.must(t, "BEGIN")
	defer p.must(t, "ROLLBACK; DEALLOCATE ALL")
	var results []*pgconn.Result
	var err error
	reader := p.conn.Exec(ctx, sql)
	for reader.NextResult() {
		r := reader.ResultReader()
		one := &pgconn.Result{FieldDescriptions: r.FieldDescriptions()}
		for r.NextRow() {
			row := make([][]byte, len(r.Values()))
			for i, v := range r.Values() {
				if v != nil {
					row[i] = append([]byte{}, v...)
				}
			}
			one.Rows = append(one.Rows, row)
		}
		if one.CommandTag, err = r.Close(); err == nil {
			results = append(results, one)
		}
	}
	err = reader.Close()
	var out []answer
	for _, r := range results {
		out = append(out, postgresAnswer(r))
	}
	if err == nil {
		return out, nil
	}
	return out, p.failure(t, sql, err)
}

// failure is the server's error to sql.
func (p *postgresSession) failure(t fataler, sql string, err error) *failure {
	var pe *pgconn.PgError
	if !errors.As(err, &pe) {
		t.Fatalf("%q: %v", sql, err)
	}
	if pe.Code == "57014" {
		pe.Code = tooLong
	}
	return &failure{pe.Code, byteOffset(sql, int(pe.Position)), pe.Message}
}

// byteOffset turns a position, which counts characters from 1, into an offset.
func byteOffset(sql string, position int) int {
	if position == 0 {
		return -1
	}
	offset := 0
	for range position - 1 {
		_, size := utf8.DecodeRuneInString(sql[offset:])
		offset += size
	}
	return offset
}

// late: data exceptions and cardinality violations.
func (p *postgresSession) late(code string) bool {
	return strings.HasPrefix(code, "22") || code == "21000"
}
