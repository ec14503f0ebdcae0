package corpus

import (
	"bufio"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

// mysqlTimeout bounds the wait for one packet. The servers themselves give up before.
const mysqlTimeout = 30 * time.Second

// mysqlSession speaks the protocol packet by packet, to see all that is said of a
// column.
type mysqlSession struct {
	conn   net.Conn
	reader *bufio.Reader
	caps   packet.Capabilities
	id     uint32
	seq    byte
	// broken is why the connection is of no use any more.
	broken error
}

var errLocalFile = errors.New("the server asks for a file")

func dialMySQL(s *dbtest.Server) (*mysqlSession, error) {
	conn, err := net.Dial("tcp", s.Addr())
	if err != nil {
		return nil, err
	}
	c := &mysqlSession{conn: conn, reader: newReader(conn)}
	if err := c.login(s); err != nil {
		conn.Close()
		return nil, err
	}
	return c, nil
}

func (c *mysqlSession) login(s *dbtest.Server) error {
	b, err := c.read()
	if err != nil {
		return err
	}
	g, err := packet.DecodeGreeting(b)
	if err != nil {
		return err
	}
	c.id = g.ConnectionID
	c.caps = (packet.LongFlag | packet.Protocol41 | packet.Transactions | packet.SecureConnection | packet.PluginAuth |
		packet.MultiResults | packet.LongPassword) & g.Capabilities
	c.write(packet.HandshakeResponse{Capabilities: c.caps, MaxPacketSize: 1 << 24, Collation: 45, User: []byte(s.User),
		Auth: scramble(g.AuthPlugin, s.Password, g.AuthData), AuthPlugin: []byte(g.AuthPlugin)}.Append(nil))
	for {
		b, err := c.read()
		if err != nil {
			return err
		}
		switch b[0] {
		case packet.OKHeader:
			return nil
		case packet.AuthSwitchHeader:
			a, err := packet.DecodeAuthSwitch(b)
			if err != nil {
				return err
			}
			c.write(scramble(a.Plugin, s.Password, a.Data))
		case packet.AuthMoreHeader:
			if len(b) != 2 || b[1] != 3 {
				return errors.New("the server wants more than a cached login")
			}
		default:
			e, _ := packet.DecodeErr(b)
			return e
		}
	}
}

// scramble proves the knowledge of a password (mysql_native_password,
// caching_sha2_password).
func scramble(plugin, password string, seed []byte) []byte {
	seed = seed[:20]
	mix := func(one, three []byte) []byte {
		for i := range one {
			one[i] ^= three[i]
		}
		return one
	}
	if plugin == "caching_sha2_password" {
		one := sha256.Sum256([]byte(password))
		two := sha256.Sum256(one[:])
		three := sha256.Sum256(append(append([]byte(nil), two[:]...), seed...))
		return mix(one[:], three[:])
	}
	one := sha1.Sum([]byte(password))
	two := sha1.Sum(one[:])
	three := sha1.Sum(append(append([]byte(nil), seed...), two[:]...))
	return mix(one[:], three[:])
}

func (c *mysqlSession) read() ([]byte, error) {
	c.conn.SetReadDeadline(time.Now().Add(mysqlTimeout))
	var all []byte
	for {
		var head [packet.HeaderSize]byte
		if _, err := io.ReadFull(c.reader, head[:]); err != nil {
			c.broken = err
			return nil, err
		}
		h := packet.DecodeHeader(head[:])
		c.seq = h.Seq + 1
		b := make([]byte, h.Length)
		if _, err := io.ReadFull(c.reader, b); err != nil {
			c.broken = err
			return nil, err
		}
		if all = append(all, b...); h.Length < packet.MaxPayload {
			if len(all) == 0 {
				c.broken = errors.New("an empty packet came")
				return nil, c.broken
			}
			return all, nil
		}
	}
}

func (c *mysqlSession) write(payload []byte) {
	var b []byte
	b, c.seq = packet.Append(nil, c.seq, payload)
	if _, err := c.conn.Write(b); err != nil {
		c.broken = err
	}
}

// command sends a command, which begins a new exchange.
func (c *mysqlSession) command(code byte, rest []byte) error {
	if c.broken != nil {
		return c.broken
	}
	c.seq = 0
	c.write(append([]byte{code}, rest...))
	return c.broken
}

// The commands (my_command.h).
const (
	comQuery       = 3
	comStmtPrepare = 22
	comStmtClose   = 25
)

func (c *mysqlSession) run(sql string) (answer, error) {
	if err := c.command(comQuery, []byte(sql)); err != nil {
		return answer{}, err
	}
	var a answer
	for {
		status, err := c.result(&a)
		if err != nil || !status.Has(packet.StatusMoreResults) {
			return a, err
		}
	}
}

// result reads one result of possibly several and returns the status at its end.
func (c *mysqlSession) result(a *answer) (packet.Status, error) {
	b, err := c.read()
	if err != nil {
		return 0, err
	}
	switch b[0] {
	case packet.OKHeader:
		ok, err := packet.DecodeOK(b, c.caps)
		return ok.Status, err
	case packet.ErrHeader:
		e, _ := packet.DecodeErr(b)
		return 0, e
	case 0xfb: // LOCAL INFILE
		c.write(nil)
		if _, err := c.read(); err != nil {
			return 0, err
		}
		return 0, errLocalFile
	}
	count, err := packet.DecodeColumnCount(b, c.caps)
	if err != nil {
		c.broken = err
		return 0, err
	}
	if a.columns, err = c.columns(int(count.Columns)); err != nil {
		return 0, err
	}
	for {
		b, err := c.read()
		switch {
		case err != nil:
			return 0, err
		case packet.EndsRows(len(b), b[0], false):
			end, err := packet.DecodeEOF(b)
			return end.Status, err
		case b[0] == packet.ErrHeader:
			e, _ := packet.DecodeErr(b)
			return 0, e
		}
		if a.count++; a.count <= keptRows {
			a.rows = append(a.rows, string(b))
		}
	}
}

// typeFlags are the flags of a column that belong to its type: NOT_NULL, BLOB,
// UNSIGNED, ZEROFILL, ENUM and SET (mysql_com.h). The others speak of keys and of
// temporary tables, as the server's plan has them; that a string is binary, its
// collation says.
const typeFlags = 1 | 16 | 32 | 64 | 256 | 2048

// isText reports types whose decimals mean nothing: VARCHAR and the types from ENUM
// to GEOMETRY (field_types.h).
func isText(t packet.FieldType) bool { return t == 15 || t >= 247 }

// columns reads n definitions and the packet behind them, and prints labels and types.
func (c *mysqlSession) columns(n int) (string, error) {
	var text strings.Builder
	for range n {
		b, err := c.read()
		if err != nil {
			return "", err
		}
		col, err := packet.DecodeColumn(b, c.caps)
		if err != nil {
			c.broken = err
			return "", err
		}
		fmt.Fprintf(&text, "%q of %q type %d collation %d length %d flags %x", col.Name, col.Table, col.Type, col.Collation, col.Length, col.Flags&typeFlags)
		if col.Decimals < 31 && !isText(col.Type) {
			fmt.Fprintf(&text, " decimals %d", col.Decimals)
		}
		text.WriteString(", ")
	}
	_, err := c.read()
	return strings.TrimSuffix(text.String(), ", "), err
}

func (c *mysqlSession) prepare(sql string) (string, error) {
	if err := c.command(comStmtPrepare, []byte(sql)); err != nil {
		return "", err
	}
	b, err := c.read()
	if err != nil {
		return "", err
	}
	if b[0] == packet.ErrHeader {
		e, _ := packet.DecodeErr(b)
		return "", e
	}
	p, err := packet.DecodePrepareOK(b, c.caps)
	if err != nil {
		c.broken = err
		return "", err
	}
	if p.Params > 0 {
		if _, err := c.columns(int(p.Params)); err != nil {
			return "", err
		}
	}
	columns := ""
	if p.Columns > 0 {
		if columns, err = c.columns(int(p.Columns)); err != nil {
			return "", err
		}
	}
	id := p.StatementID
	return columns, c.command(comStmtClose, []byte{byte(id), byte(id >> 8), byte(id >> 16), byte(id >> 24)})
}

// tied has the server cut the untouched text itself: where the same rows come, they
// are its own choice of the first ones. Where the statement has a limit of its own,
// their ranks tell whether the rows are among equals, or FETCH FIRST … WITH TIES.
func (c *mysqlSession) tied(p rewrite.Plan, got answer) bool {
	if p.Statement.Limit.Form != rewrite.LimitNone {
		if c.ranks(p, got) {
			return true
		}
		text := strings.ToUpper(strings.Join(strings.Fields(rewritten(p)), " "))
		if !strings.HasSuffix(text, " ONLY") || strings.ContainsAny(text, "'\"`") {
			return false
		}
		// The rows before an offset may be equals too.
		offset := p.Statement.Limit.Offset
		text = strings.Replace(text, fmt.Sprintf(" OFFSET %d ROWS", offset), "", 1)
		text = strings.Replace(text, fmt.Sprintf(" FIRST %d ", got.count), fmt.Sprintf(" FIRST %d ", uint64(got.count)+offset), 1)
		ties, err := c.run(strings.ToLower(strings.TrimSuffix(text, "ONLY") + "WITH TIES"))
		return err == nil && subset(got.rows, ties.rows)
	}
	cut, err := c.cut(p.Statement.Text, got.count)
	return err == nil && sameRows(cut.rows, got.rows)
}

func (c *mysqlSession) cut(original string, rows int) (answer, error) {
	if _, err := c.run(fmt.Sprintf("SET @rowcap_corpus = @@sql_select_limit, sql_select_limit = %d", rows)); err != nil {
		return answer{}, err
	}
	a, err := c.run(original)
	if _, resetErr := c.run("SET sql_select_limit = @rowcap_corpus"); resetErr != nil {
		c.broken = resetErr
	}
	return a, err
}

func (c *mysqlSession) dependsOnPlan(original string, whole answer) bool { return false }

// textRow returns the values of a row; NULL is empty.
func textRow(row string) []string {
	values, _ := packet.DecodeTextRow([]byte(row))
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return texts
}
