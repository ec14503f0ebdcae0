package corpus

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/rowcap/rowcap/dialect/postgres"
	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

// recorder stands between psql and the server. It stops each Query message, has
// it checked on the same connection, in a transaction that is rolled back, and
// then lets it go on.
type recorder struct {
	t        testing.TB
	server   *dbtest.Server
	tally    *tally
	file     string
	listener net.Listener
	sessions sync.WaitGroup
	mu       sync.Mutex // one statement at a time: the tally has no lock
}

func (r *recorder) serve() {
	for {
		client, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.sessions.Add(1)
		go func() {
			defer r.sessions.Done()
			defer client.Close()
			if err := r.session(client); err != nil && err != io.EOF {
				r.t.Logf("%s: %v", r.file, err)
			}
		}()
	}
}

func (r *recorder) close() {
	r.listener.Close()
	r.sessions.Wait()
}

// message is one message of the protocol (protocol-message-formats.html); kind is
// 0 in the first one of a client.
type message struct {
	kind byte
	body []byte
}

func readMessage(from io.Reader, typed bool) (m message, err error) {
	head := make([]byte, 5)
	if !typed {
		head = head[:4]
	}
	if _, err := io.ReadFull(from, head); err != nil {
		return m, err
	}
	if typed {
		m.kind = head[0]
	}
	m.body = make([]byte, binary.BigEndian.Uint32(head[len(head)-4:])-4)
	_, err = io.ReadFull(from, m.body)
	return m, err
}

func (m message) append(b []byte) []byte {
	if m.kind != 0 {
		b = append(b, m.kind)
	}
	b = binary.BigEndian.AppendUint32(b, uint32(len(m.body)+4))
	return append(b, m.body...)
}

func (r *recorder) session(client net.Conn) error {
	first, err := readMessage(client, false)
	if err != nil {
		return err
	}
	conn, err := net.Dial("tcp", r.server.Addr())
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.Write(first.append(nil)); err != nil {
		return err
	}
	if binary.BigEndian.Uint32(first.body) == 80877102 { // CancelRequest
		_, err := io.Copy(io.Discard, conn)
		return err
	}
	planner, err := rewrite.New(postgres.New(), capOne(1))
	if err != nil {
		return err
	}
	s := &postgresSession{conn: conn, reader: newReader(conn)}
	c := &checker{tally: r.tally, server: s, rewriter: planner, file: r.file}
	s.setting = func(name, value string) { c.rewriter = c.rewriter.With(name, value) }
	if _, err := s.relay(client); err != nil {
		return err
	}
	for {
		m, err := readMessage(client, true)
		if err != nil {
			return err
		}
		switch m.kind {
		case 'Q':
			err = r.query(s, c, client, m)
		case 'S', 'F': // Sync, FunctionCall: the server answers and is ready
			if _, err = conn.Write(m.append(nil)); err == nil {
				_, err = s.relay(client)
			}
		default:
			if _, err = conn.Write(m.append(nil)); m.kind == 'X' {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
}

// query checks one Query message and lets it go on.
func (r *recorder) query(s *postgresSession, c *checker, client net.Conn, m message) error {
	r.mu.Lock()
	text := strings.TrimSuffix(string(m.body), "\x00")
	var plans []rewrite.Plan
	if s.status != 'E' {
		c.check(text)
		plans = c.rewriter.Script(text, rewrite.Ask{}).Plans
	}
	r.tally.statements++
	r.mu.Unlock()
	if s.broken != nil {
		return fmt.Errorf("after %q: %w", text, s.broken)
	}
	if _, err := s.conn.Write(m.append(nil)); err != nil {
		return err
	}
	seen, err := s.relay(client)
	r.mu.Lock()
	defer r.mu.Unlock()
	if !seen.failed {
		r.tally.accepted++
	}
	if len(plans) == 1 && seen.columns && !plans[0].Statement.ReturnsRows {
		switch plans[0].Statement.Kind {
		case rewrite.KindInsert, rewrite.KindUpdate, rewrite.KindDelete:
			r.tally.ruleRows++ // nothing else makes rows of them
		default:
			c.found("class", plans[0], "the statement counts as one without rows, and rows came")
		}
	}
	if len(plans) == 1 && plans[0].Statement.AtMostOneRow && seen.rows > 1 {
		c.found("verdict", plans[0], fmt.Sprintf("at most one row was foretold, and %d came", seen.rows))
	}
	return err
}
