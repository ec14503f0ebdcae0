package corpus

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/rowcap/rowcap/rewrite"
)

// replyTimeout bounds the wait for one message of the server.
const replyTimeout = 2 * time.Minute

// postgresSession is the server's side of a session, message by message.
type postgresSession struct {
	conn   net.Conn
	reader *bufio.Reader
	// status is the transaction's, of the last ReadyForQuery: I, T or E.
	status  byte
	setting func(name, value string)
	// broken is why the connection is of no use any more.
	broken error
}

func newReader(conn net.Conn) *bufio.Reader { return bufio.NewReaderSize(conn, 1<<16) }

func (s *postgresSession) read() (message, error) {
	s.conn.SetReadDeadline(time.Now().Add(replyTimeout))
	m, err := readMessage(s.reader, true)
	switch {
	case err != nil:
		s.broken = err
	case m.kind == 'S':
		if name, rest, ok := strings.Cut(string(m.body), "\x00"); ok {
			s.setting(name, strings.TrimSuffix(rest, "\x00"))
		}
	case m.kind == 'Z':
		s.status = m.body[0]
	}
	return m, err
}

// seen is what passed by in one exchange.
type seen struct {
	failed, columns bool
	rows            int
}

// relay passes the server's messages on until it is ready, and the client's copy
// data when the server asks for it.
func (s *postgresSession) relay(client net.Conn) (seen seen, err error) {
	to := bufio.NewWriterSize(client, 1<<16)
	for {
		m, err := s.read()
		if err != nil {
			to.Flush()
			return seen, err
		}
		if _, err := to.Write(m.append(nil)); err != nil {
			return seen, err
		}
		switch m.kind {
		case 'T':
			seen.columns, seen.rows = true, 0
		case 'D':
			seen.rows++
		case 'E':
			seen.failed = true
		case 'G', 'R':
			if m.kind == 'R' && binary.BigEndian.Uint32(m.body) == 0 {
				continue
			}
			if err := to.Flush(); err != nil {
				return seen, err
			}
			if err := s.copyIn(client); err != nil {
				return seen, err
			}
		case 'Z':
			return seen, to.Flush()
		}
	}
}

// copyIn passes the client's data on until it says that there is no more.
func (s *postgresSession) copyIn(client net.Conn) error {
	for {
		m, err := readMessage(client, true)
		if err != nil {
			return err
		}
		if _, err := s.conn.Write(m.append(nil)); err != nil {
			return err
		}
		if m.kind == 'c' || m.kind == 'f' || m.kind == 'p' {
			return nil
		}
	}
}

// exchange sends messages and collects the answer until the server is ready. The
// error is the server's own, or that of the connection.
func (s *postgresSession) exchange(messages ...message) (a answer, err error) {
	if s.broken != nil {
		return a, s.broken
	}
	var b []byte
	for _, m := range messages {
		b = m.append(b)
	}
	if _, err := s.conn.Write(b); err != nil {
		s.broken = err
		return a, err
	}
	for {
		m, readErr := s.read()
		if readErr != nil {
			return a, readErr
		}
		switch m.kind {
		case 'T':
			a.columns = columns(m.body)
		case 'D':
			if a.count++; a.count <= keptRows {
				a.rows = append(a.rows, string(m.body))
			}
		case 'E':
			err = errors.New(errorText(m.body))
		case 'G':
			s.conn.Write(message{'f', []byte("no data\x00")}.append(nil))
		case 'Z':
			return a, err
		}
	}
}

func query(sql string) message { return message{'Q', append([]byte(sql), 0)} }

// undone runs f in a transaction, or in a part of the open one, that is rolled back.
func (s *postgresSession) undone(f func() error) error {
	begin, end := "BEGIN", "ROLLBACK"
	if s.status == 'T' {
		begin, end = "SAVEPOINT rowcap_corpus", "ROLLBACK TO SAVEPOINT rowcap_corpus; RELEASE SAVEPOINT rowcap_corpus"
	}
	if _, err := s.exchange(query(begin)); err != nil {
		return err
	}
	err := f()
	if _, undoErr := s.exchange(query(end)); undoErr != nil {
		s.broken = fmt.Errorf("the check could not be undone: %w", undoErr)
		return s.broken
	}
	return err
}

// prepare parses the statement and has it described.
func (s *postgresSession) prepare(sql string) (columns string, err error) {
	err = s.undone(func() error {
		a, err := s.exchange(message{'P', append(append([]byte{0}, sql...), 0, 0, 0)},
			message{'D', []byte{'S', 0}}, message{'S', nil})
		columns = a.columns
		return err
	})
	return columns, err
}

func (s *postgresSession) run(sql string) (a answer, err error) {
	err = s.undone(func() error {
		if _, err := s.exchange(query("SET LOCAL statement_timeout = '10s'")); err != nil {
			return err
		}
		a, err = s.exchange(query(sql))
		return err
	})
	return a, err
}

// tied asks for the first rows WITH TIES, in place of the limit that was inserted:
// the rows got must all be among them.
func (s *postgresSession) tied(p rewrite.Plan, got answer) bool {
	if len(p.Edits) != 1 || !strings.HasPrefix(p.Edits[0].Text, " LIMIT ") {
		return false
	}
	e := p.Edits[0]
	e.Text = fmt.Sprintf(" FETCH FIRST %d ROWS WITH TIES", len(got.rows))
	p.Edits = []rewrite.Edit{e}
	ties, err := s.run(rewritten(p))
	return err == nil && subset(got.rows, ties.rows)
}

// cut is not known: the number of rows in Execute ends an answer and changes no plan.
func (s *postgresSession) cut(string, int) (answer, error) {
	return answer{}, errors.New("the server has no bound of its own")
}

// otherPlans are settings that keep the planner from what it likes best.
var otherPlans = []string{
	"enable_seqscan=off", "enable_indexscan=off;enable_indexonlyscan=off;enable_bitmapscan=off", "enable_hashagg=off;enable_hashjoin=off",
	"enable_sort=off;enable_incremental_sort=off", "enable_mergejoin=off;enable_nestloop=off", "enable_hashjoin=off;enable_mergejoin=off",
	"enable_seqscan=off;enable_bitmapscan=off", "enable_bitmapscan=off", "enable_sort=off;enable_hashagg=off;enable_seqscan=off",
	"cursor_tuple_fraction=0.0001;max_parallel_workers_per_gather=0", "enable_parallel_append=off;max_parallel_workers_per_gather=0",
}

func (s *postgresSession) dependsOnPlan(original string, whole answer) bool {
	for _, settings := range otherPlans {
		var other answer
		err := s.undone(func() (err error) {
			for _, setting := range strings.Split(settings, ";") {
				if _, err := s.exchange(query("SET LOCAL " + setting)); err != nil {
					return err
				}
			}
			other, err = s.exchange(query(original))
			return err
		})
		if err == nil && !sameRows(other.rows, whole.rows) {
			return true
		}
	}
	return false
}

// columns prints names and types of a RowDescription.
func columns(body []byte) string {
	var b strings.Builder
	n := int(binary.BigEndian.Uint16(body))
	body = body[2:]
	for range n {
		name, rest, _ := strings.Cut(string(body), "\x00")
		body = []byte(rest)
		fmt.Fprintf(&b, "%q", name)
		// table, attribute, type, size, modifier
		fmt.Fprintf(&b, " %x, ", body[:16])
		body = body[18:]
	}
	if n == 0 {
		return "no column"
	}
	return strings.TrimSuffix(b.String(), ", ")
}

func errorText(body []byte) string {
	var code, text string
	for _, field := range strings.Split(string(body), "\x00") {
		switch {
		case strings.HasPrefix(field, "C"):
			code = field[1:]
		case strings.HasPrefix(field, "M"):
			text = field[1:]
		}
	}
	return code + " " + text
}
