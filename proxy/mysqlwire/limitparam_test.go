package mysqlwire_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// bound is a value for LIMIT in the binary encoding.
type bound struct {
	name string
	packet.Param
	// long is what was sent ahead.
	long string
}

// bounds are values of every type that a client can send.
func bounds() []bound {
	var all []bound
	add := func(name string, t packet.FieldType, unsigned bool, value []byte) {
		all = append(all, bound{name: name, Param: packet.Param{ParamType: packet.ParamType{Type: t, Unsigned: unsigned}, Value: value}})
	}
	for _, n := range []int64{0, 2, 5, 12, 100, -1, -128} {
		for _, unsigned := range []bool{false, true} {
			add(fmt.Sprintf("tiny %d %v", n, unsigned), packet.TypeTiny, unsigned, []byte{byte(n)})
			add(fmt.Sprintf("short %d %v", n, unsigned), packet.TypeShort, unsigned, binary.LittleEndian.AppendUint16(nil, uint16(n)))
			add(fmt.Sprintf("year %d %v", n, unsigned), packet.TypeYear, unsigned, binary.LittleEndian.AppendUint16(nil, uint16(n)))
			add(fmt.Sprintf("long %d %v", n, unsigned), packet.TypeLong, unsigned, binary.LittleEndian.AppendUint32(nil, uint32(n)))
			add(fmt.Sprintf("int24 %d %v", n, unsigned), packet.TypeInt24, unsigned, binary.LittleEndian.AppendUint32(nil, uint32(n)))
			add(fmt.Sprintf("longlong %d %v", n, unsigned), packet.TypeLongLong, unsigned, binary.LittleEndian.AppendUint64(nil, uint64(n)))
		}
	}
	for _, f := range []float64{0, 2, 2.4, 2.5, 2.6, 5, 11.4, 11.5, -1, -0.4, 1e18, 1e30, math.NaN(), math.Inf(1)} {
		add(fmt.Sprintf("double %v", f), packet.TypeDouble, false, binary.LittleEndian.AppendUint64(nil, math.Float64bits(f)))
		add(fmt.Sprintf("float %v", f), packet.TypeFloat, false, binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(f))))
	}
	for _, text := range []string{"", "0", "2", "02", "0012", " 2", " 12", "+12", "2 ", "12 ", "2x", "12x", "12.5", "12e0", "x", "2.4", "2.5", "2e0", "1e3", "+2", "-1", "-0", "0x2", "18446744073709551615", "18446744073709551616", "99999999999999999999999", "9223372036854775808"} {
		for _, t := range []packet.FieldType{packet.TypeString, packet.TypeVarString, packet.TypeVarchar, packet.TypeDecimal, packet.TypeNewDecimal, packet.TypeBlob, packet.TypeTinyBlob,
			packet.TypeMediumBlob, packet.TypeLongBlob, packet.TypeEnum, packet.TypeSet, packet.TypeJSON, packet.TypeBit, packet.TypeGeometry} {
			add(fmt.Sprintf("type %02x %q", byte(t), text), t, false, packet.AppendLenencString(nil, text))
		}
		add(fmt.Sprintf("unsigned %q", text), packet.TypeVarString, true, packet.AppendLenencString(nil, text))
		all = append(all, bound{name: fmt.Sprintf("sent ahead %q", text), Param: packet.Param{ParamType: packet.ParamType{Type: packet.TypeBlob}, Long: true}, long: text})
	}
	add("date", packet.TypeDate, false, []byte{4, 0xe8, 7, 1, 2})
	add("time", packet.TypeTime, false, []byte{0})
	add("datetime", packet.TypeDatetime, false, []byte{0})
	all = append(all, bound{name: "null", Param: packet.Param{ParamType: packet.ParamType{Type: packet.TypeNull}, Null: true}},
		bound{name: "null long", Param: packet.Param{ParamType: packet.ParamType{Type: packet.TypeLong}, Null: true}})
	return all
}

// bindOutcome is what came of a statement with one value for its limit.
type bindOutcome struct {
	rows, warnings int
	// failed is the error's code, and said the rows of SHOW WARNINGS, without ours, as many
	// as the lowest cap lets pass.
	failed, said string
}

// outcome runs a statement with one value for its limit.
func (c *wireSide) outcome(id uint32, b bound) (o bindOutcome) {
	if b.Long {
		l := packet.LongData{StatementID: id}.Append(nil)
		c.command(append(l, b.long...))
	}
	c.command(packet.Execute{StatementID: id, Iterations: 1, Params: []packet.Param{b.Param}}.Append(nil, c.caps))
	text := c.answer(id)
	if at := strings.Index(text, " err "); at >= 0 {
		o.failed = strings.Fields(text[at:])[1]
	}
	if at := strings.LastIndex(text, "warnings="); at >= 0 {
		fmt.Sscanf(text[at:], "warnings=%d", &o.warnings)
	}
	o.rows = strings.Count(text, " row ")
	c.command(packet.Query{Text: []byte("SHOW WARNINGS")}.Append(nil))
	said := 0
	for line := range strings.Lines(c.answer(0)) {
		if _, row, found := strings.Cut(line, " row "); found && !strings.Contains(row, "61001") && said < 3 {
			o.said += row
			said++
		}
	}
	return o
}

// TestLimitParameter binds values of every type. Through the door the answer is the one
// that the server itself gives for the value: its rows as long as they are within the cap,
// and never more than the cap, its error and its warnings. MariaDB reads the values in
// another way where it logs all statements.
func TestLimitParameter(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server) {
		if s.Flavor == dbtest.FlavorMySQL {
			warmLogin(t, s)
		}
		database := s.Database(t)
		s.SQL(t, database, parcels)
		wide, narrow := serve(t, s.Addr(), policy(50, 50)), serve(t, s.Addr(), policy(3, 4))
		side := func(addr string) (*wireSide, uint32) {
			c := newWireSide(dialRaw(t, s, addr, database, 0))
			c.command(append([]byte{byte(packet.ComStmtPrepare)}, "SELECT n FROM parcels ORDER BY n LIMIT ?"...))
			c.prepared()
			return c, c.ids[0]
		}
		defer s.SQL(t, database, "SET GLOBAL general_log = 0")
		for _, logged := range []int{0, 1} {
			s.SQL(t, database, fmt.Sprintf("SET GLOBAL general_log = %d", logged))
			straight, at := side(s.Addr())
			through, in := side(wide.addr)
			capped, under := side(narrow.addr)
			for _, b := range bounds() {
				direct, got, few := straight.outcome(at, b), through.outcome(in, b), capped.outcome(under, b)
				if got != direct {
					t.Errorf("log %d, %s: %+v, and %+v straight", logged, b.name, got, direct)
				}
				if direct.rows > 4 {
					direct.rows, direct.warnings = 4, direct.warnings+1
				}
				if few != direct {
					t.Errorf("log %d, %s under a cap of 4: %+v, want %+v", logged, b.name, few, direct)
				}
			}
		}
	})
}
