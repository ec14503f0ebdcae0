package pgwire_test

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// model is a PostgreSQL session as far as a client sees it: what each message makes come
// back. It knows the tables r0 to r9, which have so many rows, f0 to f9, which fail behind
// so many, and w, which takes any. With a cap it is what a client sees through a door.
type model struct {
	// most and max are the caps of statements without a limit and with one; 0 is none.
	most, max  int
	status     byte
	skip       bool // until a Sync
	statements map[string]*modelStatement
	portals    map[string]*modelPortal
	out        []string
}

func newModel(most, max int) *model {
	return &model{most: most, max: max, status: 'I', statements: map[string]*modelStatement{}, portals: map[string]*modelPortal{}}
}

// modelStatement is a statement: BEGIN, COMMIT, ROLLBACK, SELECT, INSERT, or another word for one
// that cannot be read. rows are what it has, limit its own or -1.
type modelStatement struct {
	word        string
	rows, limit int
	fails       bool
	// own reports that a door has the server prepare the text without a cap in it, as
	// SQL can read a portal with a name as a cursor.
	own bool
}

// modelPortal is a statement that is run: cap is -1 if there is none. at are the rows that
// were delivered.
type modelPortal struct {
	*modelStatement
	cap, at int
	done    bool
	// beyond are the rows behind the cap that a door has had the server make, -1 if it
	// can make none because the cap stands in its text.
	beyond int
}

// readModel reads a text of the model.
func readModel(text string) *modelStatement {
	words := strings.Fields(text)
	st := &modelStatement{word: words[0], limit: -1}
	switch {
	case st.word == "SELECT" && len(words) > 3 && words[3] != "nowhere":
		st.fails = words[3][0] == 'f'
		st.rows, _ = strconv.Atoi(words[3][1:])
		if len(words) > 5 {
			st.limit, _ = strconv.Atoi(words[5])
		}
	case st.word == "INSERT":
		st.rows, _ = strconv.Atoi(words[6][1:])
	case st.word == "SELECT":
		st.word = "nowhere"
	}
	return st
}

func (st *modelStatement) ends() bool { return st.word == "COMMIT" || st.word == "ROLLBACK" }

func (m *model) say(format string, args ...any) { m.out = append(m.out, fmt.Sprintf(format, args...)) }

// fail is the server's error. In a block of the client's portals stay until it is over.
func (m *model) fail(code string) {
	m.say("E %s", code)
	if m.skip = true; m.status == 'T' {
		m.status = 'E'
	} else if m.status == 'I' {
		clear(m.portals)
	}
}

// refused reports that a statement is not to be run in a block that has failed.
func (m *model) refused(st *modelStatement) bool {
	if m.status != 'E' || st.ends() {
		return false
	}
	m.fail("25P02")
	return true
}

// unreadable reports that a text cannot be read.
func (m *model) unreadable(st *modelStatement) bool {
	if st.word == "broken" {
		m.fail("42601")
		return true
	}
	if m.refused(st) {
		return true
	}
	if st.word == "nowhere" {
		m.fail("42P01")
		return true
	}
	return false
}

func (m *model) portal(st *modelStatement) *modelPortal {
	p := &modelPortal{modelStatement: st, cap: -1}
	if !st.own {
		p.beyond = -1
	}
	switch {
	case st.word != "SELECT" && st.word != "INSERT" || m.most == 0:
	case st.limit < 0:
		p.cap = m.most
	case st.limit > m.max:
		p.cap = m.max
	}
	return p
}

// undefined reports a message whose answer no one knows: behind a Query that failed in
// a block PostgreSQL still has the unnamed portal, with statements whose memory it has
// given back (exec_simple_query in src/backend/tcop/postgres.c).
func (m *model) undefined(message pgproto3.FrontendMessage) bool {
	unnamed := false
	switch msg := message.(type) {
	case *pgproto3.Execute:
		unnamed = msg.Portal == ""
	case *pgproto3.Describe:
		unnamed = msg.ObjectType == 'P' && msg.Name == ""
	}
	return unnamed && m.status == 'E' && m.portals[""] == nil
}

// take is what one message makes come back.
func (m *model) take(message pgproto3.FrontendMessage) {
	if _, sync := message.(*pgproto3.Sync); m.skip && !sync {
		return
	}
	switch msg := message.(type) {
	case *pgproto3.Query:
		m.query(msg.String)
	case *pgproto3.Parse:
		st := readModel(msg.Query)
		if msg.Name == "" {
			delete(m.statements, "") // also if the text cannot be read
		}
		if m.unreadable(st) {
			return
		}
		if msg.Name != "" && m.statements[msg.Name] != nil {
			m.fail("42P05")
			return
		}
		m.statements[msg.Name] = st
		m.say("1")
	case *pgproto3.Bind:
		st := m.statements[msg.PreparedStatement]
		switch {
		case st == nil:
			m.fail("26000")
		case m.refused(st):
		case msg.DestinationPortal != "" && m.portals[msg.DestinationPortal] != nil:
			m.fail("42P03")
		default:
			st.own = st.own || msg.DestinationPortal != ""
			m.portals[msg.DestinationPortal] = m.portal(st)
			m.say("2")
		}
	case *pgproto3.Describe:
		m.describe(msg)
	case *pgproto3.Execute:
		p := m.portals[msg.Portal]
		switch {
		case p == nil:
			m.fail("34000")
		case m.refused(p.modelStatement):
		default:
			m.execute(p, int(msg.MaxRows))
		}
	case *pgproto3.Close:
		if msg.ObjectType == 'S' {
			delete(m.statements, msg.Name)
		} else {
			delete(m.portals, msg.Name)
		}
		m.say("3")
	case *pgproto3.Sync:
		m.ready()
	}
}

func (m *model) describe(msg *pgproto3.Describe) {
	var st *modelStatement
	if msg.ObjectType == 'S' {
		if st = m.statements[msg.Name]; st == nil {
			m.fail("26000")
			return
		}
	} else if p := m.portals[msg.Name]; p == nil {
		m.fail("34000")
		return
	} else {
		st = p.modelStatement
	}
	rows := st.word == "SELECT" || st.word == "INSERT"
	if rows && m.refused(st) {
		return
	}
	if msg.ObjectType == 'S' {
		m.say("t")
	}
	if rows {
		m.say("T")
	} else {
		m.say("n")
	}
}

// ready ends what Sync or a Query ends.
func (m *model) ready() {
	if m.skip = false; m.status == 'I' {
		clear(m.portals)
	}
	m.say("Z %c", m.status)
}

func (m *model) query(text string) {
	delete(m.statements, "")
	delete(m.portals, "")
	parts := strings.Split(text, ";")
	for _, part := range parts {
		if readModel(part).word == "broken" {
			m.fail("42601")
			m.ready()
			return
		}
	}
	for _, part := range parts {
		st := readModel(part)
		if m.unreadable(st) {
			break
		}
		if st.word == "SELECT" || st.word == "INSERT" {
			m.say("T")
		}
		if m.execute(m.portal(st), 0); m.skip {
			break
		}
	}
	m.ready()
}

// execute runs a portal for n rows, 0 for all.
func (m *model) execute(p *modelPortal, n int) {
	switch p.word {
	case "BEGIN":
		if p.done {
			m.fail("55000") // the portal cannot be run again
			return
		}
		p.done = true
		if m.status == 'T' {
			m.say("N 25001")
		}
		m.status = 'T'
		m.say("C BEGIN")
		return
	case "COMMIT", "ROLLBACK":
		tag := p.word
		if m.status == 'I' {
			m.say("N 25P01")
		} else if m.status == 'E' {
			tag = "ROLLBACK"
		}
		m.status = 'I'
		clear(m.portals)
		m.say("C %s", tag)
		return
	}
	total := p.rows
	if p.limit >= 0 {
		total = min(total, p.limit)
	}
	left := total - p.at
	capped := p.cap >= 0 && n >= p.cap-p.at || p.cap >= 0 && n == 0
	if capped { // all that there is to come, and a look at what is behind it
		left = min(left, p.cap-p.at)
	}
	sent := left
	if n > 0 && !capped {
		sent = min(left, n)
	}
	if p.done {
		sent = 0
	}
	for range sent {
		p.at++
		m.say("D %d", p.at)
	}
	whole := capped || n == 0 || sent < n
	if p.fails && whole && !p.done && p.at == p.rows && (p.limit < 0 || p.limit > p.rows) && (!capped || p.rows <= p.cap) {
		m.fail("22012")
		return
	}
	if !whole {
		m.say("s")
		return
	}
	if capped && total > p.cap {
		if p.beyond >= 0 && p.word == "SELECT" {
			if p.fails && p.cap+p.beyond == p.rows { // a portal that was at its end is run on
				m.fail("22012")
				return
			}
			p.beyond++
		}
		m.say("N 01RC1")
	}
	p.done = true
	if p.word == "INSERT" {
		m.say("C INSERT 0 %d", p.rows)
	} else {
		m.say("C SELECT %d", sent)
	}
}

// answers turns what the model says into messages, for a server that is one.
func answers(lines []string) (all []pgproto3.BackendMessage) {
	for _, line := range lines {
		kind, rest, _ := strings.Cut(line, " ")
		switch kind {
		case "1":
			all = append(all, &pgproto3.ParseComplete{})
		case "2":
			all = append(all, &pgproto3.BindComplete{})
		case "3":
			all = append(all, &pgproto3.CloseComplete{})
		case "t":
			all = append(all, &pgproto3.ParameterDescription{})
		case "n":
			all = append(all, &pgproto3.NoData{})
		case "s":
			all = append(all, &pgproto3.PortalSuspended{})
		case "T":
			all = append(all, &pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{{Name: []byte("n"), DataTypeOID: 23, DataTypeSize: 4, TypeModifier: -1}}})
		case "D":
			all = append(all, &pgproto3.DataRow{Values: [][]byte{[]byte(rest)}})
		case "C":
			all = append(all, &pgproto3.CommandComplete{CommandTag: []byte(rest)})
		case "E":
			all = append(all, &pgproto3.ErrorResponse{Severity: "ERROR", SeverityUnlocalized: "ERROR", Code: rest, Message: "failed"})
		case "N":
			all = append(all, &pgproto3.NoticeResponse{Severity: "WARNING", SeverityUnlocalized: "WARNING", Code: rest, Message: "told"})
		case "Z":
			all = append(all, &pgproto3.ReadyForQuery{TxStatus: rest[0]})
		}
	}
	return all
}
