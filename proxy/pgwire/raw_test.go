package pgwire_test

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// raw is a client that writes bytes as they are.
type raw struct {
	net.Conn
	t     testing.TB
	front *pgproto3.Frontend
}

func dialRaw(t testing.TB, addr string) *raw {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(30 * time.Second))
	return &raw{Conn: c, t: t, front: pgproto3.NewFrontend(c, c)}
}

// startup writes a startup packet.
func (r *raw) startup(version uint32, parameters ...string) {
	r.t.Helper()
	r.write(startupPacket(version, parameters...))
}

func startupPacket(version uint32, parameters ...string) []byte {
	b := binary.BigEndian.AppendUint32([]byte{0, 0, 0, 0}, version)
	for _, p := range parameters {
		b = append(append(b, p...), 0)
	}
	b = append(b, 0)
	binary.BigEndian.PutUint32(b, uint32(len(b)))
	return b
}

func (r *raw) write(b []byte) {
	r.t.Helper()
	if _, err := r.Write(b); err != nil {
		r.t.Fatal(err)
	}
}

func (r *raw) send(messages ...pgproto3.FrontendMessage) {
	r.t.Helper()
	var b []byte
	for _, m := range messages {
		var err error
		if b, err = m.Encode(b); err != nil {
			r.t.Fatal(err)
		}
	}
	r.write(b)
}

// types receives up to a message of the given type, or to the end, and returns
// one letter for each message and the last error message.
func (r *raw) types(until string) (letters string, last *pgproto3.ErrorResponse) {
	r.t.Helper()
	for {
		m, err := r.front.Receive()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return letters + "-", last
		}
		if err != nil {
			r.t.Fatalf("after %q: %v", letters, err)
		}
		letter := ""
		switch m := m.(type) {
		case *pgproto3.ErrorResponse:
			copied := *m
			letter, last = "E", &copied
		case *pgproto3.ReadyForQuery:
			letter = "Z"
		case *pgproto3.DataRow:
			letter = "D"
		case *pgproto3.CommandComplete:
			letter = "C"
		case *pgproto3.RowDescription:
			letter = "T"
		case *pgproto3.NoticeResponse:
			letter = "N"
		case *pgproto3.NegotiateProtocolVersion:
			letter = "v"
		case *pgproto3.AuthenticationOk:
			letter = "R"
		case *pgproto3.ParseComplete:
			letter = "1"
		case *pgproto3.BindComplete:
			letter = "2"
		case *pgproto3.CloseComplete:
			letter = "3"
		case *pgproto3.PortalSuspended:
			letter = "s"
		case *pgproto3.ParameterStatus, *pgproto3.BackendKeyData:
			continue
		default:
			letter = "?"
		}
		letters += letter
		if letter == until {
			return letters, last
		}
	}
}

// fails expects the connection to end with one fatal error.
func (r *raw) fails(before, code, message string) {
	r.t.Helper()
	got, e := r.types("-")
	r.Close()
	if got != before+"E-" || e == nil || e.Severity != "FATAL" || e.SeverityUnlocalized != "FATAL" || e.Code != code || !strings.Contains(e.Message, message) {
		r.t.Errorf("got %q, %+v; want %q and FATAL %s: %s", got, e, before+"E-", code, message)
	}
}

// upstream is a fake server: it accepts connections, reads the startup packet,
// says that it is ready, and hands over.
func upstream(t testing.TB, serve func(*pgproto3.Backend, net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.SetDeadline(time.Now().Add(20 * time.Second))
			b := pgproto3.NewBackend(c, c)
			if _, err := b.ReceiveStartupMessage(); err == nil {
				b.Send(&pgproto3.AuthenticationOk{})
				b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
				if b.Flush() == nil {
					serve(b, c)
				}
			}
			c.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return l.Addr().String()
}
