package mysql

import (
	"strconv"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

func TestWith(t *testing.T) {
	d := New()
	for _, same := range []struct{ setting, value string }{
		{"sql_mode", ""}, {"sql_mode", "STRICT_TRANS_TABLES,NO_ZERO_DATE"}, {"sql_mode", "0"}, {"character_set_client", "utf8mb4"}, {"CHARACTER_SET_CLIENT", "UTF8MB4"},
		{"server_version", "9.7.0"}, {"server_version", "nonsense"}, {"server_version", "9"}, {"database", ""}, {"autocommit", "0"},
	} {
		if d.With(same.setting, same.value) != d {
			t.Errorf("With(%q, %q) made another dialect", same.setting, same.value)
		}
	}
	for _, other := range []struct{ setting, value string }{
		{"sql_mode", "ANSI_QUOTES"}, {"sql_mode", "ansi"}, {"sql_mode", " no_backslash_escapes "}, {"sql_mode", "1048576"}, {"sql_mode", "ORACLE"},
		{"character_set_client", "latin1"}, {"character_set_client", "gbk"}, {"server_version", "8.0.36"}, {"server_version", "8.4.6-Vitess"}, {"database", "shop"},
	} {
		changed := d.With(other.setting, other.value)
		if changed == d {
			t.Errorf("With(%q, %q) changed nothing", other.setting, other.value)
		}
		if changed.With(other.setting, other.value) != changed {
			t.Errorf("With(%q, %q) for the second time made another dialect", other.setting, other.value)
		}
	}
}

func TestVersion(t *testing.T) {
	for _, c := range []struct {
		text    string
		name    string
		version int
		foreign bool
	}{
		{"9.7.4", "mysql", 90704, false},
		{"8.0.36", "mysql", 80036, false},
		{"8.0.36-0ubuntu0.22.04.1", "mysql", 80036, false},
		{"5.7.44-log", "mysql", 50744, false},
		{"10.11.19-MariaDB", "mariadb", 101119, false},
		{"5.5.5-10.11.19-MariaDB-0+deb12u1", "mariadb", 101119, false},
		{"11.4.2-MariaDB-log", "mariadb", 110402, false},
		{"8.0.11-TiDB-v8.5.0", "mysql", 80011, true},
		{"8.4.6-Vitess", "mysql", 80406, true},
		{"99999999999999999999.1.1", "mysql", 90700, false},
		{"", "mysql", 90700, false},
	} {
		d := New().With("server_version", c.text)
		s := d.(dialect).settings
		if d.Name() != c.name || s.version != c.version || s.foreign != c.foreign {
			t.Errorf("%q: %s %d foreign %t; want %s %d foreign %t", c.text, d.Name(), s.version, s.foreign, c.name, c.version, c.foreign)
		}
	}
}

// TestSetLimitOfForeignStatement asks for limits in statements that no reading
// gave out.
func TestSetLimitOfForeignStatement(t *testing.T) {
	for _, st := range []rewrite.Statement{
		{}, {Limitable: true}, {Limitable: true, Text: "SELECT 1; SELECT 2"}, {Limitable: true, Text: " SELECT a FROM t"}, {Limitable: true, Text: "SELECT a FROM t;"},
		{Limitable: true, Text: "SELECT 'a"}, {Limitable: true, Text: "SELECT a FROM t LIMIT ?"}, {Limitable: true, Text: "DROP TABLE t"}, {Limitable: true, Text: "WITH x AS (SELECT 1) DELETE FROM t"},
	} {
		if edits, err := New().SetLimit(st, 5); err == nil || edits != nil {
			t.Errorf("%+v: edits %v, error %v", st, edits, err)
		}
	}
}

// TestBytewiseOnServers holds the character sets that are read byte by byte to what
// the servers do: no byte of a string takes the quote or the backslash behind it.
func TestBytewiseOnServers(t *testing.T) {
	var text strings.Builder
	text.WriteString("SELECT octet_length('")
	for b := 0x80; b <= 0xFF; b++ {
		text.Write([]byte{byte(b), '\\', '\'', byte(b), '\'', '\''})
	}
	text.WriteString("'), '-- ' AS x")
	const bytes = 128 * 4
	for _, s := range []*dbtest.Server{dbtest.MariaDB(t), dbtest.MySQL(t)} {
		c := connect(t, s)
		for _, charset := range bytewise {
			if a := c.ask("SET NAMES " + charset); a.err != nil {
				t.Errorf("%s: %v", charset, a.err)
				continue
			}
			if a := c.ask(text.String()); a.err != nil || len(a.rows) != 1 || !strings.Contains(a.rows[0], strconv.Itoa(bytes)) {
				t.Errorf("%s, %s: %v", s.Flavor, charset, a)
			}
			d := c.dialect.With("character_set_client", charset)
			if got, err := d.Parse(text.String() + "; SELECT 1"); err != nil || len(got) != 2 {
				t.Errorf("%s: read as %d statements, %v", charset, len(got), err)
			}
		}
	}
}
