package mysqlwire_test

import (
	"encoding/binary"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// model is a MySQL session as far as a client sees it: what each command makes come
// back, in either framing. It knows the tables r0 to r9, which have so many rows, f0 to f9,
// which fail behind so many, and the procedure p, which shows r3 and r9. With a cap it is
// what a client sees through a door.
type model struct {
	*rawClient // the client's connection, by which it answers
	// most and most of a limit are the caps of statements without a limit and with one; 0
	// is none.
	most, max int
	modelSettings
	block    bool // a transaction is open
	told     int  // notices of the command at hand
	last     uint32
	prepared map[uint32]*modelPrepared
}

// modelText is a statement: its first word, and the rows of its table, its own limit, -1
// for none, and whether the table fails behind its rows.
type modelText struct {
	word        string
	rows, limit int
	fails       bool
	// guarded reports that a door cannot read it.
	guarded bool
}

// modelPrepared is a prepared SELECT with its cursor. at are the rows that the cursor
// has shown, and -1 if it is not open.
type modelPrepared struct {
	modelText
	at int
	// opened is the statement as its cursor was opened.
	opened modelText
}

// modelCaps are what every server of the model has.
const modelCaps = packet.LongFlag | packet.ConnectWithDB | packet.Protocol41 | packet.SecureConnection | packet.PluginAuth | packet.MultiResults | packet.PSMultiResults | packet.Transactions

func (m *model) read(text string) modelText {
	words := strings.Fields(text)
	st := modelText{word: words[0], limit: -1, guarded: m.guards}
	switch {
	case st.word == "SET":
		st.word = text
	case strings.Contains(text, "SLEEP"):
		st.word = "SLEEP"
	case strings.Contains(text, modelBackslash):
		st.rows = 9
		if !m.raw {
			st.limit = 2
		}
	case st.word == "SELECT":
		st.fails = words[3][0] == 'f'
		st.rows, _ = strconv.Atoi(words[3][1:])
		if len(words) > 5 {
			st.limit, _ = strconv.Atoi(words[5])
		}
	}
	return st
}

// bounded is a statement under the session's own bound.
func (m *model) bounded(st modelText) modelText {
	if st.limit < 0 && m.bound >= 0 {
		st.rows, st.limit, st.fails = min(st.rows, m.bound), -1, st.fails && m.bound > st.rows
	}
	return st
}

// cap is the cap of a statement, -1 for none.
func (m *model) cap(st modelText) int {
	switch {
	case m.most == 0:
		return -1
	case st.guarded || st.limit < 0:
		return m.most
	case st.limit > m.max:
		return m.max
	}
	return -1
}

// total is how many rows a statement has.
func (st modelText) total() int {
	if st.limit >= 0 {
		return min(st.rows, st.limit)
	}
	return st.rows
}

// broke reports that a statement fails behind its rows, under a cap or -1: a door has the
// server make one row more than the cap.
func (st modelText) broke(cap int) bool {
	return st.fails && (st.limit < 0 || st.limit > st.rows) && (cap < 0 || cap >= st.rows || st.guarded)
}

func (m *model) status() packet.Status {
	status := packet.StatusAutocommit
	if m.block {
		status |= packet.StatusInTransaction
	}
	if m.raw {
		status |= packet.StatusNoBackslashEscapes
	}
	return status
}

func (m *model) ok(affected uint64, more packet.Status) {
	m.write(packet.OK{AffectedRows: affected, Status: m.status() | more, Warnings: uint16(m.told)}.Append(nil, m.caps))
}

func (m *model) fail(code uint16, state string) {
	m.write((&packet.Err{Code: code, State: state, Message: "it failed"}).Append(nil))
}

// end ends columns or rows.
func (m *model) end(status packet.Status, warnings int, rows bool) {
	switch {
	case !m.caps.Has(packet.DeprecateEOF):
		m.write(packet.EOF{Status: m.status() | status, Warnings: uint16(warnings)}.Append(nil))
	case rows:
		m.write(packet.OK{Header: packet.EOFHeader, Status: m.status() | status, Warnings: uint16(warnings)}.Append(nil, m.caps))
	}
}

func (m *model) columns() {
	m.write(packet.ColumnCount{Columns: 1, Metadata: true}.Append(nil, m.caps))
	m.column("n")
}

func (m *model) column(name string) {
	m.write(packet.Column{Catalog: []byte("def"), Name: []byte(name), OrgName: []byte(name), Type: packet.TypeLong}.Append(nil, m.caps))
}

// rows shows the rows from from to to.
func (m *model) rows(from, to int, binaryRows bool) {
	for n := from + 1; n <= to; n++ {
		if binaryRows {
			m.write(packet.AppendBinaryRow(nil, packet.BinaryValue{Type: packet.TypeLong, Value: binary.LittleEndian.AppendUint32(nil, uint32(n))}))
		} else {
			m.write(packet.AppendTextRow(nil, strconv.AppendInt(nil, int64(n), 10)))
		}
	}
}

// result answers one statement and reports whether the answer goes on.
func (m *model) result(st modelText, more packet.Status, binaryRows bool) bool {
	switch st.word {
	case "SLEEP":
		m.write(packet.ColumnCount{Columns: 1, Metadata: true}.Append(nil, m.caps))
		m.column("MAX(n + SLEEP(30))")
		m.end(more, 0, false)
		m.fail(1317, "70100")
		return false
	case "broken":
		m.fail(1064, "42000")
		return false
	case "BEGIN", "COMMIT":
		m.block = st.word == "BEGIN"
		m.ok(0, more)
	case "DO":
		m.ok(0, more)
	case "CALL":
		m.rowsOf(modelText{word: "SELECT", rows: 3, limit: -1}, packet.StatusMoreResults, binaryRows)
		m.rowsOf(modelText{word: "SELECT", rows: 9, limit: -1}, packet.StatusMoreResults, binaryRows)
		m.ok(0, more)
	case "SELECT":
		return m.rowsOf(m.bounded(st), more, binaryRows)
	default:
		m.set(st.word)
		m.ok(0, more)
	}
	return true
}

// rowsOf answers a SELECT.
func (m *model) rowsOf(st modelText, more packet.Status, binaryRows bool) bool {
	cap := m.cap(st)
	shown := st.total()
	if cap >= 0 {
		shown = min(shown, cap)
	}
	m.columns()
	m.end(more, 0, false)
	m.rows(0, shown, binaryRows)
	if st.broke(cap) {
		m.fail(1690, "22003")
		return false
	}
	if shown < st.total() {
		m.told++
	}
	m.end(more, m.told, true)
	return true
}

// take answers one command.
func (m *model) take(command []byte) bool {
	m.told = 0
	kind, rest := packet.Command(command[0]), command[1:]
	switch kind {
	case packet.ComQuit:
		return false
	case packet.ComQuery:
		q, err := packet.DecodeQuery(command, m.caps)
		if err != nil {
			m.t.Errorf("the server got %x: %v", command, err)
			return false
		}
		m.query(string(q.Text))
	case packet.ComPing:
		m.ok(0, 0)
	case packet.ComSetOption:
		m.several = rest[0] == 0
		m.end(0, 0, true)
	case packet.ComResetConnection:
		m.block = false
		m.reset()
		clear(m.prepared)
		m.ok(0, 0)
	case packet.ComStmtPrepare:
		st := m.read(string(rest))
		if st.word == "broken" {
			m.fail(1064, "42000")
			break
		}
		m.last++
		m.prepared[m.last] = &modelPrepared{modelText: st, at: -1}
		m.write(packet.PrepareOK{StatementID: m.last, Columns: 1, Metadata: true}.Append(nil, m.caps))
		m.column("n")
		m.end(0, 0, false)
	case packet.ComStmtExecute, packet.ComStmtFetch, packet.ComStmtReset, packet.ComStmtClose:
		id := binary.LittleEndian.Uint32(rest)
		st := m.prepared[id]
		switch {
		case kind == packet.ComStmtClose:
			delete(m.prepared, id)
		case st == nil:
			m.fail(1243, "HY000")
		case kind == packet.ComStmtReset:
			st.at = -1
			m.ok(0, 0)
		case kind == packet.ComStmtFetch:
			m.page(st, int(binary.LittleEndian.Uint32(rest[4:])))
		case rest[4] == packet.CursorReadOnly:
			// The server makes all rows of a cursor at once, behind the columns.
			st.opened = m.bounded(st.modelText)
			if st.at = -1; st.opened.broke(m.cap(st.opened)) {
				m.columns()
				m.fail(1690, "22003")
				break
			}
			st.at = 0
			m.columns()
			m.end(packet.StatusCursorExists, 0, true)
		default:
			st.at = -1
			m.result(st.modelText, 0, true)
		}
	}
	return true
}

// query answers a text of one statement or several. A text of which one cannot be read is
// answered up to it.
func (m *model) query(text string) {
	parts := strings.Split(text, ";")
	if len(parts) > 1 && !m.several {
		m.fail(1064, "42000")
		return
	}
	unread := false // a statement before may have changed how the rest is read
	for i, part := range parts {
		more := packet.StatusMoreResults
		if i == len(parts)-1 {
			more = 0
		}
		st := m.read(part)
		st.guarded = st.guarded || unread
		if !m.result(st, more, false) {
			return
		}
		unread = unread || strings.HasPrefix(st.word, "SET ")
	}
}

// page answers a COM_STMT_FETCH. The cap counts over all pages, and the page in which rows
// turn out to be missing is the last one.
func (m *model) page(st *modelPrepared, n int) {
	if st.at < 0 {
		m.fail(1421, "HY000")
		return
	}
	cap, total := m.cap(st.opened), st.opened.total()
	to := min(total, st.at+n)
	cut := cap >= 0 && to > cap
	if cut {
		to = cap
	}
	m.rows(st.at, to, true)
	ends := !cut && to < st.at+n
	st.at = to
	switch {
	case cut:
		m.told++
		st.at = -1
		m.end(packet.StatusLastRowSent, 1, true)
	case ends:
		st.at = -1
		m.end(packet.StatusLastRowSent, 0, true)
	default:
		m.end(packet.StatusCursorExists, 0, true)
	}
}

// modelServer serves one connection as a model that has capabilities, and answers what a
// door asks for itself.
func modelServer(t *testing.T, m model, offers packet.Capabilities) *fakeServer {
	t.Helper()
	return fakeRaw(t, func(conn net.Conn) {
		defer func() { caught(recover()) }()
		m := m
		m.rawClient, m.prepared = &rawClient{t: cutOff{TB: t}, conn: conn}, map[uint32]*modelPrepared{}
		m.write(packet.Greeting{ServerVersion: "8.0.36", Capabilities: offers | modelCaps, AuthData: []byte("12345678901234567890"), AuthPlugin: "mysql_native_password"}.Append(nil))
		b, err := m.tryRead()
		if err != nil {
			return
		}
		login, err := packet.DecodeHandshakeResponse(b)
		if err != nil {
			return
		}
		if m.caps = login.Capabilities; m.caps&^(offers|modelCaps) != 0 {
			t.Errorf("the server has %x, and was asked for %x", offers|modelCaps, m.caps)
		}
		m.several = m.caps.Has(packet.MultiStatements)
		m.reset()
		m.ok(0, 0)
		for {
			m.seq = 0
			command, err := m.tryRead()
			if err != nil {
				return
			}
			if !m.learned(command) && !m.take(command) {
				return
			}
		}
	})
}

// modelTexts are the statements of a conversation.
func modelTexts() []string {
	texts := append([]string{"BEGIN", "COMMIT", "DO 1", "CALL p()", "broken SELECT"}, modelSets()...)
	for _, rows := range []int{0, 1, 2, 3, 4, 5, 6, 9} {
		texts = append(texts, fmt.Sprintf("SELECT n FROM r%d", rows), fmt.Sprintf("SELECT n FROM f%d", rows))
		for _, limit := range []int{0, 2, 3, 4, 5, 9} {
			texts = append(texts, fmt.Sprintf("SELECT n FROM r%d LIMIT %d", rows, limit), fmt.Sprintf("SELECT n FROM f%d LIMIT %d", rows, limit))
		}
	}
	return texts
}
