package mysqlwire_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

// capNames are the capabilities that scripts ask for.
var capNames = map[string]packet.Capabilities{
	"deprecate_eof": packet.DeprecateEOF, "multi_statements": packet.MultiStatements,
	"session_track": packet.SessionTrack, "cache_metadata": packet.MariaDBCacheMetadata,
	"bulk": packet.MariaDBBulkOperations, "extended_metadata": packet.MariaDBExtendedMetadata,
	"query_attributes": packet.QueryAttributes, "local_files": packet.LocalFiles,
	"progress": packet.MariaDBProgress, "optional_metadata": packet.OptionalResultsetMetadata, "found_rows": packet.FoundRows, "unit_results": packet.MariaDBBulkUnitResults,
}

// TestWireScripts runs every script twice, straight and through the door. What the
// two get must be equal, packet for packet and number for number, unless the
// step is marked capped; a step marked through runs only through the door. A script's settings stand in its first step:
//
//	connect [default=N] [max=N] [caps=(name,…)] [overflow]
func TestWireScripts(t *testing.T) {
	s := dbtest.MariaDB(t)
	datadriven.Walk(t, "testdata/wire", func(t *testing.T, path string) {
		if !strings.Contains(path, "mysql-") {
			runWireScript(t, s, path, true)
		}
	})
}

// TestWireScriptsMySQL does so on MySQL, where only the difference between the two
// ways counts where a script is for both: the servers' own words differ.
func TestWireScriptsMySQL(t *testing.T) {
	s := dbtest.MySQL(t)
	warmLogin(t, s)
	files, err := filepath.Glob("testdata/wire/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, path := range files {
		if !strings.Contains(path, "mariadb") {
			t.Run(filepath.Base(path), func(t *testing.T) { runWireScript(t, s, path, strings.Contains(path, "mysql-")) })
		}
	}
}

// warmLogin logs in with a client that can do the full authentication of
// caching_sha2_password, so that rawClient needs only the fast one.
func warmLogin(t *testing.T, s *dbtest.Server) {
	t.Helper()
	run := serve(t, s.Addr(), policy(3, 10))
	connect(t, s, "", run, nil)
}

// wirePair is one client straight at the server and one at the door.
type wirePair struct {
	straight, through *wireSide
}

type wireSide struct {
	*rawClient
	// cached are the types of each statement's columns, for binary rows.
	cached map[uint32][]packet.FieldType
	// ids are the server's ids of the statements, which scripts number from 1:
	// a server may begin anywhere.
	ids []uint32
	// opens reports that the command at hand opens a cursor if the status says so.
	opens bool
}

func newWireSide(c *rawClient) *wireSide {
	return &wireSide{rawClient: c, cached: map[uint32][]packet.FieldType{}}
}

func runWireScript(t *testing.T, s *dbtest.Server, path string, golden bool) {
	pair := wirePair{}
	databases := [2]string{s.Database(t), s.Database(t)}
	datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
		t.Helper()
		if d.Cmd == "setup" {
			for _, database := range databases {
				s.SQL(t, database, d.Input)
			}
			return ""
		}
		if d.Cmd == "connect" {
			def, most := uint64(3), uint64(0)
			d.MaybeScanArgs(t, "default", &def)
			d.MaybeScanArgs(t, "max", &most)
			var want packet.Capabilities
			for _, arg := range d.CmdArgs {
				for _, name := range arg.Vals {
					if arg.Key == "caps" {
						want |= capNames[name]
					}
				}
			}
			p := policy(def, most)
			if d.HasArg("overflow") {
				p.Overflow = rewrite.OverflowError
			}
			run := serve(t, s.Addr(), p)
			pair.straight = newWireSide(dialRaw(t, s, s.Addr(), databases[0], want))
			pair.through = newWireSide(dialRaw(t, s, run.addr, databases[1], want))
			if pair.straight.caps != pair.through.caps {
				t.Errorf("%s: capabilities are %x straight and %x through the door", d.Pos, pair.straight.caps, pair.through.caps)
			}
			return ""
		}
		if d.HasArg("through") {
			return pair.through.step(t, d)
		}
		straight := strings.ReplaceAll(pair.straight.step(t, d), databases[0], "DB")
		through := strings.ReplaceAll(pair.through.step(t, d), databases[1], "DB")
		capped := d.HasArg("capped")
		if straight != through && !capped {
			t.Errorf("%s: %s %s: the two ways differ\nstraight:\n%sthrough:\n%s", d.Pos, d.Cmd, d.Input, straight, through)
		}
		if straight == through && capped {
			t.Errorf("%s: %s %s: marked capped, but the two ways are equal", d.Pos, d.Cmd, d.Input)
		}
		if !golden {
			return d.Expected
		}
		return through
	})
}

// step runs one step of a script and prints the answer, a line for each packet.
func (c *wireSide) step(t *testing.T, d *datadriven.TestData) string {
	t.Helper()
	number, id := 1, uint32(packet.LastPrepared)
	if d.MaybeScanArgs(t, "id", &number); number > 0 && number <= len(c.ids) {
		id = c.ids[number-1]
	}
	head := func(cmd packet.Command) []byte {
		return binary.LittleEndian.AppendUint32([]byte{byte(cmd)}, id)
	}
	switch d.Cmd {
	case "query":
		c.opens = false
		c.command(packet.Query{Attributes: packet.NoAttributes(c.caps), Text: []byte(d.Input)}.Append(nil))
		return c.answer(0)
	case "query-attributes":
		p := packet.Param{ParamType: packet.ParamType{Type: packet.TypeLongLong, Name: []byte("trace")}, Value: make([]byte, 8)}
		e := packet.Execute{Params: []packet.Param{p}, Flags: packet.ParameterCountAvailable}.Append(nil, packet.QueryAttributes)
		attributes := append([]byte{1, 1}, e[11:]...)
		if !c.caps.Has(packet.QueryAttributes) {
			attributes = nil // a server without them
		}
		c.command(packet.Query{Attributes: attributes, Text: []byte(d.Input)}.Append(nil))
		return c.answer(0)
	case "prepare":
		c.command(append([]byte{byte(packet.ComStmtPrepare)}, d.Input...))
		return c.prepared()
	case "execute":
		flags, params, long := 0, 0, -1
		d.MaybeScanArgs(t, "flags", &flags)
		c.opens = flags != 0 && !d.HasArg("call")
		e := packet.Execute{StatementID: id, Flags: byte(flags), Iterations: 1}
		for _, arg := range d.CmdArgs {
			if arg.Key == "param" {
				e.Params = append(e.Params, scriptParam(t, arg.Vals))
				params++
			}
		}
		d.MaybeScanArgs(t, "long", &long)
		b := e.Append(nil, c.caps)
		if d.HasArg("sametypes") {
			b = dropTypes(b, params)
		}
		c.command(b)
		return c.answer(id)
	case "bulk":
		// Rows of a number and a text, each with its indicator (MariaDB,
		// COM_STMT_BULK_EXECUTE with STMT_BULK_FLAG_CLIENT_SEND_TYPES).
		b := append(head(packet.ComStmtBulkExecute), 128, 0, byte(packet.TypeLong), 0, byte(packet.TypeVarString), 0)
		for _, text := range strings.Fields(d.Input) {
			n, _ := strconv.Atoi(text)
			b = binary.LittleEndian.AppendUint32(append(b, 0), uint32(n))
			b = packet.AppendLenencString(append(b, 0), text)
		}
		c.command(b)
		return c.answer(id)
	case "fetch":
		var rows uint32
		d.ScanArgs(t, "rows", &rows)
		c.command(binary.LittleEndian.AppendUint32(head(packet.ComStmtFetch), rows))
		var b strings.Builder
		c.rows(&b, c.cached[id], id)
		return b.String()
	case "long-data":
		var param uint16
		d.ScanArgs(t, "param", &param)
		b := binary.LittleEndian.AppendUint16(head(packet.ComStmtSendLong), param)
		c.command(append(b, d.Input...))
		return ""
	case "close":
		c.command(head(packet.ComStmtClose))
		return ""
	case "reset":
		c.command(head(packet.ComStmtReset))
		return c.answer(0)
	case "init-db":
		c.command(append([]byte{byte(packet.ComInitDB)}, d.Input...))
		return c.answer(0)
	case "field-list":
		c.command(append([]byte{byte(packet.ComFieldList)}, d.Input+"\x00"...))
		return c.fields()
	case "send":
		b, err := hex.DecodeString(strings.TrimSpace(d.Input))
		if err != nil {
			t.Fatal(err)
		}
		c.command(b)
		if d.HasArg("text") {
			n := c.seq
			return fmt.Sprintf("%d text %v\n", n, len(c.read()) > 0)
		}
		return c.answer(0)
	case "file":
		c.write([]byte(d.Input + "\n"))
		c.write(nil)
		return c.answer(0)
	}
	t.Fatalf("%s: no step %s", d.Pos, d.Cmd)
	return ""
}

// scriptParam reads param=(type,value).
func scriptParam(t *testing.T, vals []string) packet.Param {
	t.Helper()
	kind, text := vals[0], vals[len(vals)-1]
	p := packet.Param{}
	n, _ := strconv.ParseInt(text, 10, 64)
	switch kind {
	case "null":
		p.Type, p.Null = packet.TypeNull, true
	case "tiny":
		p.Type, p.Value = packet.TypeTiny, []byte{byte(n)}
	case "long":
		p.Type, p.Value = packet.TypeLong, binary.LittleEndian.AppendUint32(nil, uint32(n))
	case "longlong":
		p.Type, p.Value = packet.TypeLongLong, binary.LittleEndian.AppendUint64(nil, uint64(n))
	case "string":
		p.Type, p.Value = packet.TypeVarString, packet.AppendLenencString(nil, text)
	case "repeat":
		times, _ := strconv.Atoi(text)
		p.Type, p.Value = packet.TypeVarString, packet.AppendLenencString(nil, strings.Repeat(vals[1], times))
	case "sent":
		p.Type, p.Long = packet.TypeBlob, true
	default:
		t.Fatalf("no parameter type %s", kind)
	}
	return p
}

// dropTypes takes the parameters' types out of a COM_STMT_EXECUTE, as clients do
// from the second execution on.
func dropTypes(b []byte, params int) []byte {
	flag := 10 + (params+7)/8
	out := append([]byte(nil), b[:flag]...)
	out = append(out, 0)
	return append(out, b[flag+1+2*params:]...)
}
