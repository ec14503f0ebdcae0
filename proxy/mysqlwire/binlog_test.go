package mysqlwire_test

import (
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

// replicate is the policy that passes replication.
func replicate() rewrite.Policy {
	p := policy(3, 10)
	p.Replication = rewrite.ReplicationPass
	return p
}

// binlogDump is COM_BINLOG_DUMP from the beginning of a file.
func binlogDump(flags uint16, file string) []byte {
	b := binary.LittleEndian.AppendUint32([]byte{byte(packet.ComBinlogDump)}, 4)
	b = binary.LittleEndian.AppendUint16(b, flags)
	return append(binary.LittleEndian.AppendUint32(b, 99), file...)
}

// TestBinlog reads the binary log straight and through the door.
func TestBinlog(t *testing.T) {
	s := dbtest.StartMariaDB(t, "--log-bin=binlog", "--server-id=7")
	database := s.Database(t)
	s.SQL(t, database, parcels+strings.Repeat("INSERT INTO parcels SELECT n + (SELECT MAX(n) FROM parcels), REPEAT('x', 40) FROM parcels;", 6))
	read := func(c *rawClient) (events []string) {
		c.command(binlogDump(1, "binlog.000001"))
		for {
			b := c.read()
			if packet.EndsRows(len(b), b[0], false) {
				return events
			}
			if b[0] != packet.OKHeader {
				t.Fatalf("event %d is %q", len(events), b)
			}
			events = append(events, string(b))
		}
	}
	run := serve(t, s.Addr(), replicate())
	straight, through := dialRaw(t, s, s.Addr(), "", 0), dialRaw(t, s, run.addr, "", 0)
	for _, c := range []*rawClient{straight, through} {
		ask(c, "SET @master_binlog_checksum = 'NONE', @mariadb_slave_capability = 4")
		want(t, newWireSide(c).answer(0), "1 ok rows=0 warnings=0\n")
	}
	direct, got := read(straight), read(through)
	if len(direct) < 20 || len(direct) != len(got) {
		t.Fatalf("%d events straight and %d through the door", len(direct), len(got))
	}
	for i := range direct {
		if direct[i] != got[i] {
			t.Errorf("event %d differs", i)
		}
	}
	// The server ends the session behind the last event, and behind an error.
	wantClosed(t, through)
	c := dialRaw(t, s, run.addr, "", 0)
	c.command(binlogDump(1, "nothing"))
	wantErr(t, c, 1236)
	// What waits for more events ends at once when rowcap does.
	c = dialRaw(t, s, run.addr, "", 0)
	ask(c, "SET @master_binlog_checksum = 'NONE', @mariadb_slave_capability = 4")
	want(t, newWireSide(c).answer(0), "1 ok rows=0 warnings=0\n")
	c.command(binlogDump(0, "binlog.000001"))
	for range got {
		c.read()
	}
	begun := time.Now()
	run.stop()
	wantErr(t, c, 1053)
	wantClosed(t, c)
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestBinlogRefused(t *testing.T) {
	s := dbtest.MariaDB(t)
	run := serve(t, s.Addr(), policy(3, 10))
	c := newWireSide(dialRaw(t, s, run.addr, "", 0))
	for _, command := range []packet.Command{packet.ComBinlogDump, packet.ComBinlogDumpGTID, packet.ComRegisterReplica} {
		c.command([]byte{byte(command), 1, 2, 3})
		if e := wantErr(t, c.rawClient, 61002); !strings.Contains(e.Message, command.String()+" is refused") || !strings.Contains(e.Message, "--replication=pass") {
			t.Errorf("error is %v", e)
		}
	}
	ask(c.rawClient, "SELECT 7")
	want(t, c.answer(0), "1 columns 1: 7\n3 eof warnings=0\n4 row 7\n5 eof warnings=0\n")
}

// TestReplicaSpeaks has a replica say what it has received while it is sent more.
func TestReplicaSpeaks(t *testing.T) {
	f := fake(t, func(c *rawClient, command []byte) bool {
		if command[0] == byte(packet.ComRegisterReplica) {
			c.write(packet.OK{}.Append(nil, 0))
			return true
		}
		for i := range 600 {
			c.write([]byte{packet.OKHeader, byte(i), byte(i >> 8)})
			if i%200 == 0 {
				at := c.seq
				c.seq = 0 // as semi-synchronous replicas number it
				if b, err := c.tryRead(); err != nil || string(b) != "\xefreceived" {
					t.Errorf("the server gets %q, %v", b, err)
				}
				c.seq = at
			}
		}
		c.write(packet.EOF{}.Append(nil))
		return true
	})
	run := serve(t, f.addr, replicate())
	c := dialFake(t, run)
	c.command([]byte{byte(packet.ComRegisterReplica), 1})
	if b := c.read(); b[0] != packet.OKHeader {
		t.Fatalf("got %x", b)
	}
	c.command(binlogDump(0, "x"))
	for i := range 600 {
		if b := c.read(); len(b) != 3 || b[1] != byte(i) {
			t.Fatalf("event %d is %x", i, b)
		}
		if i%200 == 0 {
			at := c.seq
			c.seq = 0
			c.write([]byte("\xefreceived"))
			c.seq = at
		}
	}
	if b := c.read(); b[0] != packet.EOFHeader {
		t.Errorf("got %x", b)
	}
}
