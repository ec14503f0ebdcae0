package pgwire_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
	"pgregory.net/rapid"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/internal/sqlgen"
)

// modelCaps are the caps of the tests of the model: of a statement without a limit, and
// of one with it.
const modelMost, modelMax = 5, 7

// fataler is what testing.T and rapid.T have in common.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// FuzzPortals has a client say anything that is a message, in pieces of any size, to a
// server that is the model without a cap. What the client gets through the door is what
// the model with the cap says: rows up to it, a notice before the end of an answer that
// lacks some, the same errors, and the same state at every ReadyForQuery.
func FuzzPortals(f *testing.F) {
	f.Add([]byte{0, 5, 0}, uint8(0))
	f.Add([]byte{0, 0, 0, 3, 1, 28, 5, 1, 1, 8, 1, 2, 8, 1, 2, 8, 1, 2, 8, 1, 2, 11, 0, 0, 8, 1, 0}, uint8(7))
	f.Add([]byte{3, 0, 29, 5, 0, 0, 7, 0, 3, 8, 0, 0, 8, 0, 0, 11, 0, 0, 0, 6, 0}, uint8(1))
	f.Add([]byte{2, 55, 60, 0, 3, 0, 4, 0, 4, 10, 0, 0, 0, 1, 0}, uint8(100))
	for i := range modelTexts() {
		f.Add([]byte{0, byte(i), 0, 0, 0, 0, 3, 1, byte(i), 5, 1, 1, 8, 1, 3, 8, 1, 3, 8, 1, 0, 10, 1, 3, 11, 0, 0, 8, 1, 0, 11, 0, 0, 0, 1, 0}, uint8(i))
	}
	door := open(f, upstream(f, modelBackend), capped(modelMost, modelMax))
	f.Fuzz(func(t *testing.T, said []byte, piece uint8) {
		r := dialRaw(t, door.addr)
		defer r.Close()
		r.startup(version3, "user", "a")
		r.types("Z")
		converse(t, r, conversation(said), int(piece), newModel(modelMost, modelMax))
		r.send(&pgproto3.Terminate{})
		if err := door.end(t); err != nil {
			t.Fatalf("Serve returned %v", err)
		}
	})
}

// modelBackend serves a connection as the model without a cap.
func modelBackend(b *pgproto3.Backend, _ net.Conn) {
	m := newModel(0, 0)
	for {
		message, err := b.Receive()
		if err != nil {
			return
		}
		m.out = nil
		m.take(message)
		for _, answer := range answers(m.out) {
			b.Send(answer)
		}
		if b.Flush() != nil {
			return
		}
	}
}

// converse has a client say messages, in pieces, and compares what comes back with what the
// model says. It waits for the answers before a segment that executes portals: where
// it is not known yet whether there is the portal, a door asks for no row more than the client
// does, and calls a portal suspended that is at its cap.
func converse(t fataler, r *raw, messages []pgproto3.FrontendMessage, piece int, m *model) {
	t.Helper()
	r.SetDeadline(time.Now().Add(20 * time.Second))
	var pending []pgproto3.FrontendMessage
	for i, message := range messages {
		if m.undefined(message) {
			continue
		}
		m.take(message)
		pending = append(pending, message)
		if answered := len(m.out) > 0 && m.out[len(m.out)-1][0] == 'Z'; answered && endsSegment(message) && (i == len(messages)-1 || executes(messages[i+1:])) {
			exchange(t, r, pending, piece, m.out)
			m.out, pending = nil, nil
		}
	}
}

func endsSegment(message pgproto3.FrontendMessage) bool {
	switch message.(type) {
	case *pgproto3.Query, *pgproto3.Sync:
		return true
	}
	return false
}

// executes reports that the first segment of messages has an Execute.
func executes(messages []pgproto3.FrontendMessage) bool {
	for _, message := range messages {
		if _, ok := message.(*pgproto3.Execute); ok {
			return true
		}
		if endsSegment(message) {
			return false
		}
	}
	return false
}

// exchange says messages at once and compares the answers with those that are wanted.
func exchange(t fataler, r *raw, messages []pgproto3.FrontendMessage, piece int, want []string) {
	t.Helper()
	var b []byte
	for _, message := range messages {
		var err error
		if b, err = message.Encode(b); err != nil {
			t.Fatalf("%v", err)
		}
	}
	ends := 0
	for _, line := range want {
		if line[0] == 'Z' {
			ends++
		}
	}
	if piece == 0 {
		piece = len(b)
	}
	written := make(chan error, 1)
	go func() {
		for chunk := range slices.Chunk(b, piece) {
			if _, err := r.Write(chunk); err != nil {
				written <- err
				return
			}
		}
		written <- nil
	}()
	var got []string
	for ends > 0 {
		line, err := r.line()
		if err != nil {
			got = append(got, err.Error())
			break
		}
		if line != "" {
			got = append(got, line)
		}
		if line != "" && line[0] == 'Z' {
			ends--
		}
	}
	if err := <-written; err != nil || !slices.Equal(got, want) {
		t.Fatalf("%v %s\ngot  %s\nwant %s", err, said(messages), strings.Join(got, ", "), strings.Join(want, ", "))
	}
}

func said(messages []pgproto3.FrontendMessage) string {
	var lines []string
	for _, m := range messages {
		lines = append(lines, fmt.Sprintf("%T %+v", m, m))
	}
	return strings.Join(lines, "\n")
}

// line receives a message and returns it in the model's words, "" for one that the model
// says nothing of.
func (r *raw) line() (string, error) {
	m, err := r.front.Receive()
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return "", errors.New("end of the connection")
		}
		return "", err
	}
	switch m := m.(type) {
	case *pgproto3.ParseComplete:
		return "1", nil
	case *pgproto3.BindComplete:
		return "2", nil
	case *pgproto3.CloseComplete:
		return "3", nil
	case *pgproto3.ParameterDescription:
		return "t", nil
	case *pgproto3.NoData:
		return "n", nil
	case *pgproto3.PortalSuspended:
		return "s", nil
	case *pgproto3.RowDescription:
		return "T", nil
	case *pgproto3.DataRow:
		return "D " + string(m.Values[0]), nil
	case *pgproto3.CommandComplete:
		return "C " + string(m.CommandTag), nil
	case *pgproto3.ErrorResponse:
		return "E " + m.Code, nil
	case *pgproto3.NoticeResponse:
		if m.Code == "01000" { // the server's own, of portals that were opened in a block that had failed
			return "", nil
		}
		return "N " + m.Code, nil
	case *pgproto3.ReadyForQuery:
		return fmt.Sprintf("Z %c", m.TxStatus), nil
	}
	return "", nil
}

// modelSchema makes the tables of the model.
func modelSchema() string {
	sql := "CREATE TABLE w (n int);"
	for rows := range 10 {
		sql += fmt.Sprintf("CREATE TABLE r%d (n int); INSERT INTO r%[1]d SELECT generate_series(1, %[1]d);"+
			"CREATE TABLE b%[1]d (n int); INSERT INTO b%[1]d SELECT generate_series(1, %[1]d + 5);"+
			"CREATE VIEW f%[1]d AS SELECT CASE WHEN n > %[1]d THEN n / (n - n) ELSE n END AS n FROM b%[1]d;", rows)
	}
	return sql
}

// TestModel draws conversations with a real server: straight it says what the model says
// without a cap, so that the model is one of PostgreSQL, and through the door what the model
// says with it. A session goes on after each, so that it has to be in step.
func TestModel(t *testing.T) {
	server := dbtest.Postgres(t)
	database := server.Database(t)
	server.SQL(t, database, modelSchema())
	door := open(t, server.Addr(), capped(modelMost, modelMax))
	watch, err := pgx.Connect(t.Context(), server.DSN(database))
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close(t.Context())
	for _, side := range []struct {
		name, addr string
		most, max  int
	}{{"straight", server.Addr(), 0, 0}, {"through the door", door.addr, modelMost, modelMax}} {
		t.Run(side.name, func(t *testing.T) {
			sqlgen.Check(t, 5*time.Second, func(rt *rapid.T) {
				r := dialRaw(t, side.addr)
				defer r.Close()
				r.startup(version3, "user", server.User, "database", database)
				step := modelStep{r: r, addr: side.addr, watch: watch}
				step.login(rt)
				m := newModel(side.most, side.max)
				for range rapid.IntRange(1, 3).Draw(rt, "rounds") {
					said := rapid.SliceOfN(rapid.Byte(), 3, 60).Draw(rt, "said")
					converse(rt, r, conversation(said), rapid.IntRange(0, 40).Draw(rt, "piece"), m)
					step.take(rt, m)
				}
				r.send(&pgproto3.Terminate{})
			})
		})
	}
}
