package pgwire_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

// TestWire runs the scripts of testdata/wire on two sessions step by step: one
// straight to the server and one through the door, each with a database of its
// own, emptied for each script. What they receive must be equal; where a script says "capped" it must not, and both
// are written down.
//
//	policy [default=N] [max=N] [unparsed=refuse] [copy-out=pass|cap] [push-down=off]
//	       [overflow=error] [observe=on] [catalogs=cap]
//	setup           SQL, run on both databases straight
//	send            messages as JSON, one a line, in one write
//	until [capped]  a message type on each line; receives up to it
//	last            prints rowcap.last, of which until shows only what is not complete
//	after           SQL that both databases answer straight
func TestWire(t *testing.T) { wire(t, dbtest.Postgres(t)) }

// TestWire18 runs the same scripts on PostgreSQL 18, whose answers are the same.
func TestWire18(t *testing.T) { wire(t, dbtest.PostgresVersion(t, 18)) }

func wire(t *testing.T, server *dbtest.Server) {
	databases := []string{server.Database(t), server.Database(t)}
	datadriven.Walk(t, filepath.Join("testdata", "wire"), func(t *testing.T, path string) {
		straight, through := &party{name: "straight"}, &party{name: "rowcap"}
		policy := capped(5, 0)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "policy":
				readPolicy(t, d, &policy)
				return ""
			case "setup":
				for i, p := range []*party{straight, through} {
					p.close()
					p.database = databases[i]
					server.SQL(t, p.database, "SET client_min_messages = error; DROP SCHEMA public CASCADE; CREATE SCHEMA public;"+d.Input)
				}
				straight.connect(t, server.DSN(straight.database))
				through.connect(t, open(t, server.Addr(), policy).through(server, through.database))
				t.Cleanup(straight.close)
				t.Cleanup(through.close)
				return ""
			case "send":
				for _, p := range []*party{straight, through} {
					p.send(t, d.Input)
				}
				return ""
			case "until":
				a, b := straight.until(d.Input), through.until(d.Input)
				marked := d.HasArg("capped")
				switch {
				case a == b && marked:
					d.Fatalf(t, "marked as capped, but both received\n%s", a)
				case a == b:
					return a
				case !marked:
					d.Fatalf(t, "straight:\n%s\nrowcap:\n%s", a, b)
				}
				return "straight:\n" + a + "rowcap:\n" + b
			case "last":
				return through.last + "\n"
			case "after":
				a, b := server.SQL(t, straight.database, d.Input), server.SQL(t, through.database, d.Input)
				if a != b {
					d.Fatalf(t, "straight:\n%s\nrowcap:\n%s", a, b)
				}
				return a
			}
			d.Fatalf(t, "unknown directive %q", d.Cmd)
			return ""
		})
	})
}

func readPolicy(t *testing.T, d *datadriven.TestData, p *rewrite.Policy) {
	for _, arg := range d.CmdArgs {
		n, err := strconv.ParseUint(arg.Vals[0], 10, 64)
		switch {
		case arg.Key == "default" && err == nil:
			p.DefaultLimit = n
		case arg.Key == "max" && err == nil:
			p.MaxLimit = n
		case arg.Key == "unparsed":
			p.Unparsed = rewrite.Unparsed(arg.Vals[0])
		case arg.Key == "copy-out":
			p.CopyOut = rewrite.CopyOut(arg.Vals[0])
		case arg.Key == "overflow":
			p.Overflow = rewrite.Overflow(arg.Vals[0])
		case arg.Key == "catalogs":
			p.Catalogs = rewrite.Catalogs(arg.Vals[0])
		case arg.Key == "observe":
			p.Observe = arg.Vals[0] == "on"
		case arg.Key == "push-down":
			p.PushDown = arg.Vals[0] == "on"
		default:
			d.Fatalf(t, "unknown knob %s", arg)
		}
	}
}

// party is one of the two sessions.
type party struct {
	name, database string
	conn           net.Conn
	front          *pgproto3.Frontend
	last           string
}

func (p *party) connect(t *testing.T, dsn string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	c, err := pgconn.Connect(ctx, dsn)
	if err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
	h, err := c.Hijack()
	if err != nil {
		t.Fatal(err)
	}
	p.conn, p.front = h.Conn, h.Frontend
}

func (p *party) close() {
	if p.conn != nil {
		p.conn.Write([]byte{'X', 0, 0, 0, 4})
		p.conn.Close()
		p.conn = nil
	}
}

// send writes one message for each line.
func (p *party) send(t *testing.T, lines string) {
	t.Helper()
	var b []byte
	for line := range strings.Lines(lines) {
		m, err := readMessage([]byte(line))
		if err == nil {
			b, err = m.Encode(b)
		}
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	if _, err := p.conn.Write(b); err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
}

func readMessage(line []byte) (pgproto3.FrontendMessage, error) {
	var typed struct{ Type string }
	if err := json.Unmarshal(line, &typed); err != nil {
		return nil, err
	}
	kinds := map[string]pgproto3.FrontendMessage{
		"Query": &pgproto3.Query{}, "Parse": &pgproto3.Parse{}, "Bind": &pgproto3.Bind{}, "Describe": &pgproto3.Describe{},
		"Execute": &pgproto3.Execute{}, "Close": &pgproto3.Close{}, "Sync": &pgproto3.Sync{}, "Flush": &pgproto3.Flush{},
		"CopyData": &pgproto3.CopyData{}, "CopyDone": &pgproto3.CopyDone{}, "CopyFail": &pgproto3.CopyFail{},
		"FunctionCall": &pgproto3.FunctionCall{}, "Terminate": &pgproto3.Terminate{},
	}
	m := kinds[typed.Type]
	if m == nil {
		return nil, fmt.Errorf("unknown message type %q", typed.Type)
	}
	if c, ok := m.(*pgproto3.CopyData); ok {
		var text struct{ Text string }
		err := json.Unmarshal(line, &text)
		c.Data = []byte(text.Text)
		return m, err
	}
	return m, json.Unmarshal(line, m)
}

// until receives up to a message of each of the types in turn and prints all.
func (p *party) until(types string) string {
	var b strings.Builder
	for want := range strings.FieldsSeq(types) {
		for {
			p.conn.SetReadDeadline(time.Now().Add(10 * time.Second))
			m, err := p.front.Receive()
			if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
				b.WriteString("end of the connection\n")
				return b.String()
			}
			if err != nil {
				fmt.Fprintf(&b, "%v\n", err)
				return b.String()
			}
			if s, ok := m.(*pgproto3.ParameterStatus); ok && s.Name == "rowcap.last" {
				if p.last = s.Value; strings.Contains(s.Value, `"completeness":"complete"`) {
					continue
				}
			}
			text, kind := printMessage(m)
			b.WriteString(text + "\n")
			if kind == want {
				break
			}
		}
	}
	return b.String()
}

// printMessage prints a message as JSON without what differs from run to run.
func printMessage(m pgproto3.BackendMessage) (text, kind string) {
	kind = strings.TrimPrefix(fmt.Sprintf("%T", m), "*pgproto3.")
	var v any = m
	switch m := m.(type) {
	case *pgproto3.RowDescription:
		type field struct {
			Name      string
			OfTable   bool
			Attribute uint16
			OID       uint32
			Format    int16
		}
		fields := []field{}
		for _, f := range m.Fields {
			fields = append(fields, field{string(f.Name), f.TableOID != 0, f.TableAttributeNumber, f.DataTypeOID, f.Format})
		}
		v = struct {
			Type   string
			Fields []field
		}{kind, fields}
	case *pgproto3.NotificationResponse:
		v = struct{ Type, Channel, Payload string }{kind, m.Channel, m.Payload}
	case *pgproto3.ErrorResponse:
		v = printError(kind, *m)
	case *pgproto3.NoticeResponse:
		v = printError(kind, pgproto3.ErrorResponse(*m))
	}
	out, err := json.Marshal(v)
	if err != nil {
		return err.Error(), kind
	}
	return string(out), kind
}

func printError(kind string, m pgproto3.ErrorResponse) any {
	return struct {
		Type, Severity, Code, Message string
		Detail                        string `json:",omitempty"`
		Hint                          string `json:",omitempty"`
		Position                      int32  `json:",omitempty"`
	}{kind, m.Severity + "/" + m.SeverityUnlocalized, m.Code, m.Message, m.Detail, m.Hint, m.Position}
}
