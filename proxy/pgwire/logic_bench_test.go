package pgwire

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/rowcap/rowcap/dialect/postgres"
	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/rewrite"
)

// BenchmarkLogic has what is done with the messages of one transaction, without the
// system calls and without the waiting: the texts come again, as in pgbench -S.
func BenchmarkLogic(b *testing.B) {
	text := func(i int) string { return fmt.Sprintf("SELECT abalance FROM pgbench_accounts WHERE aid = %d;", i) }
	row := []pgproto3.BackendMessage{
		&pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{{Name: []byte("abalance"), DataTypeOID: 23}}},
		&pgproto3.DataRow{Values: [][]byte{[]byte("0")}}, &pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")},
		&pgproto3.ReadyForQuery{TxStatus: 'I'},
	}
	bound := append([]pgproto3.BackendMessage{&pgproto3.BindComplete{}}, row...)
	for _, c := range []struct {
		name    string
		request func(i int) []pgproto3.FrontendMessage
		answer  []pgproto3.BackendMessage
	}{
		{"simple", func(i int) []pgproto3.FrontendMessage {
			return []pgproto3.FrontendMessage{&pgproto3.Query{String: text(i)}}
		}, row},
		{"extended", func(i int) []pgproto3.FrontendMessage {
			return []pgproto3.FrontendMessage{&pgproto3.Parse{Query: "SELECT abalance FROM pgbench_accounts WHERE aid = $1;"},
				&pgproto3.Bind{Parameters: [][]byte{[]byte("1")}}, &pgproto3.Describe{ObjectType: 'P'}, &pgproto3.Execute{}, &pgproto3.Sync{}}
		}, append([]pgproto3.BackendMessage{&pgproto3.ParseComplete{}}, bound...)},
		{"prepared", func(i int) []pgproto3.FrontendMessage {
			return []pgproto3.FrontendMessage{&pgproto3.Bind{PreparedStatement: "P0_1", Parameters: [][]byte{[]byte("1")}},
				&pgproto3.Describe{ObjectType: 'P'}, &pgproto3.Execute{}, &pgproto3.Sync{}}
		}, bound},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := benchSession(b)
			if c.name == "prepared" {
				s.carryOnce(b, encodeFront(b, &pgproto3.Parse{Name: "P0_1", Query: "SELECT abalance FROM pgbench_accounts WHERE aid = $1;"}, &pgproto3.Sync{}),
					encodeBack(b, &pgproto3.ParseComplete{}, &pgproto3.ReadyForQuery{TxStatus: 'I'}))
			}
			requests := make([][]byte, 100)
			for i := range requests {
				requests[i] = encodeFront(b, c.request(i)...)
			}
			answer := encodeBack(b, c.answer...)
			for range 2 {
				for _, r := range requests {
					s.carryOnce(b, r, answer)
				}
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				s.carryOnce(b, requests[i%len(requests)], answer)
			}
		})
	}
}

// benchSession is a session that has started, without connections.
func benchSession(b *testing.B) *session {
	b.Helper()
	policy := rewrite.DefaultPolicy()
	policy.DefaultLimit = 1000
	r, err := rewrite.New(postgres.New(), policy)
	if err != nil {
		b.Fatal(err)
	}
	client, server := net.Pipe()
	s := newSession(New(proxy.Address{}, r, nil), client)
	s.connect(server)
	s.started, s.running = true, true
	s.down.check = nil
	s.up.out, s.down.out = io.Discard, io.Discard
	return s
}

// carryOnce has the session handle a request and its answer.
func (s *session) carryOnce(b *testing.B, request, answer []byte) {
	for _, c := range []struct {
		p    *pipe
		read []byte
		step func() error
	}{{s.up, request, s.asked}, {s.down, answer, s.batch}} {
		c.p.in = nil
		c.p.take()
		c.p.w += copy(c.p.buf[c.p.w:], c.read)
		if err := c.step(); err != nil {
			b.Fatal(err)
		}
		c.p.keep()
	}
	if s.queue.len() > 0 {
		b.Fatal("the answer was not complete")
	}
}

func encodeFront(b *testing.B, messages ...pgproto3.FrontendMessage) []byte {
	b.Helper()
	var buf bytes.Buffer
	f := pgproto3.NewFrontend(nil, &buf)
	for _, m := range messages {
		f.Send(m)
	}
	if err := f.Flush(); err != nil {
		b.Fatal(err)
	}
	return buf.Bytes()
}

func encodeBack(b *testing.B, messages ...pgproto3.BackendMessage) []byte {
	b.Helper()
	var buf bytes.Buffer
	f := pgproto3.NewBackend(nil, &buf)
	for _, m := range messages {
		f.Send(m)
	}
	if err := f.Flush(); err != nil {
		b.Fatal(err)
	}
	return buf.Bytes()
}
