package mysqlwire_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

// TestDumpSessions asks as a program that writes dumps does, under each policy for
// copies.
func TestDumpSessions(t *testing.T) {
	s := dbtest.MariaDB(t)
	database := s.Database(t)
	s.SQL(t, database, parcels+"CREATE TABLE few (n INT); INSERT INTO few VALUES (1), (2), (3); CREATE TABLE t1 (n INT); CREATE TABLE t4 (n INT);")
	const all, few = "SELECT /*!40001 SQL_NO_CACHE */ `n` FROM `parcels`", "SELECT /*!40001 SQL_NO_CACHE */ `n` FROM `few`"
	for _, test := range []struct {
		copies  rewrite.CopyOut
		program string
		want    string
		lists   bool
	}{
		{rewrite.CopyRefuse, "mariadb-dump", "err 61004 RC002", true},
		{rewrite.CopyRefuse, "mysqldump", "err 61004 RC002", true},
		{rewrite.CopyRefuse, "mysql", "warnings=1", false},
		{rewrite.CopyCap, "mysqldump", "warnings=1", false},
		{rewrite.CopyPass, "mysqldump", "row 12\n16 eof warnings=0", true},
		{rewrite.CopyPass, "mysql", "warnings=1", false},
	} {
		t.Run(string(test.copies)+" "+test.program, func(t *testing.T) {
			p := policy(3, 10)
			p.CopyOut = test.copies
			run := serve(t, s.Addr(), p)
			c := newWireSide(dialProgram(t, s, run.addr, database, 0, test.program))
			ask(c.rawClient, all)
			if got := c.answer(0); !strings.Contains(got, test.want) {
				t.Errorf("all rows: %s", got)
			}
			ask(c.rawClient, few)
			want(t, c.answer(0), "1 columns 1: n\n3 eof warnings=0\n4 row 1\n5 row 2\n6 row 3\n7 eof warnings=0\n")
			// A list of what there is to dump is whole.
			ask(c.rawClient, "SHOW TABLES")
			if got := c.answer(0); strings.Contains(got, "row t4") != test.lists {
				t.Errorf("the tables: %s", got)
			}
			// The definition of a table is never cut.
			ask(c.rawClient, "SHOW CREATE TABLE `parcels`")
			if got := c.answer(0); !strings.Contains(got, "row parcels CREATE TABLE") {
				t.Errorf("got %s", got)
			}
		})
	}
}

// TestDumpProgram runs the program itself, where it is installed: its dump is whole, or
// it fails.
func TestDumpProgram(t *testing.T) {
	path, err := exec.LookPath("mariadb-dump")
	if err != nil {
		t.Skip("mariadb-dump is not installed; TestDumpSessions asks as it does")
	}
	s := dbtest.MariaDB(t)
	database := s.Database(t)
	s.SQL(t, database, parcels+"CREATE TABLE few (n INT); INSERT INTO few VALUES (1), (2), (3);")
	for copies, whole := range map[rewrite.CopyOut]bool{rewrite.CopyRefuse: false, rewrite.CopyPass: true} {
		p := policy(3, 10)
		p.CopyOut = copies
		run := serve(t, s.Addr(), p)
		host, port, _ := strings.Cut(run.addr, ":")
		dump := func(args ...string) (string, error) {
			cmd := exec.Command(path, append([]string{"--no-defaults", "--skip-ssl", "-h", host, "-P", port, "-u", s.User, "-p" + s.Password, database}, args...)...)
			out, err := cmd.CombinedOutput()
			return string(out), err
		}
		out, err := dump()
		if whole && (err != nil || !strings.Contains(out, "(12,'parcel 12')") || !strings.Contains(out, "Dump completed")) {
			t.Errorf("%s: %v: %s", copies, err, out)
		}
		if !whole && (err == nil || !strings.Contains(out, "61004") || strings.Contains(out, "Dump completed")) {
			t.Errorf("%s: %v: %s", copies, err, out)
		}
		for _, args := range [][]string{{"few"}, {"--no-data"}} {
			if out, err := dump(args...); err != nil || !strings.Contains(out, "Dump completed") {
				t.Errorf("%s %v: %v: %s", copies, args, err, out)
			}
		}
	}
}

// TestProgramName reads the attributes of a login, and those that end too early.
func TestProgramName(t *testing.T) {
	r := packet.HandshakeResponse{Attributes: []byte("\x03_os\x05linux\x0cprogram_name\x09mysqldump")}
	want(t, r.Attribute("program_name")+r.Attribute("_os")+r.Attribute("os"), "mysqldumplinux")
	r.Attributes = []byte("\x03_os\x05linux\x0cprogram_name\x0amysqldump")
	want(t, r.Attribute("program_name"), "")
}
