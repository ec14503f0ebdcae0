//go:build unix

package pgwire_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// The benchmarks of this file are the client's side, and where no server is wanted
// the server's, of scripts/bench-postgres, which runs what they measure and says
// where it is in the environment.

// begin connects and logs in as a user that needs no password.
func begin(b *testing.B, addr string) net.Conn {
	b.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	c.SetDeadline(time.Now().Add(10 * time.Minute))
	if _, err := c.Write(startupPacket(version3, "user", "postgres", "database", "postgres")); err != nil {
		b.Fatal(err)
	}
	finish(b, c, make([]byte, 8<<10))
	return c
}

// ready is a ReadyForQuery outside a transaction.
var ready = []byte{'Z', 0, 0, 0, 5, 'I'}

// finish reads up to a ReadyForQuery that ends what was sent so far, and returns
// the number of bytes.
func finish(b *testing.B, c net.Conn, buffer []byte) (total int) {
	b.Helper()
	var tail []byte
	for {
		n, err := c.Read(buffer)
		if err != nil {
			b.Fatalf("after %d bytes that end in %q: %v", total, tail, err)
		}
		total += n
		tail = append(tail, buffer[max(0, n-len(ready)):n]...)
		tail = tail[max(0, len(tail)-len(ready)):]
		if bytes.Equal(tail, ready) {
			return total
		}
	}
}

func queryMessage(sql string) []byte {
	b := binary.BigEndian.AppendUint32([]byte{'Q'}, uint32(len(sql)+5))
	return append(append(b, sql...), 0)
}

// BenchmarkResult reads one large result and drops it.
func BenchmarkResult(b *testing.B) {
	c := begin(b, dbtest.Setting(b, "ADDR"))
	defer c.Close()
	query, buffer := queryMessage(dbtest.Setting(b, "QUERY")), make([]byte, 256<<10)
	for b.Loop() {
		c.Write(query)
		b.SetBytes(int64(finish(b, c, buffer)))
	}
}

// BenchmarkIdle opens sessions that run a statement each and then wait, and reports
// the memory that a process takes for each of them.
func BenchmarkIdle(b *testing.B) {
	dbtest.Idle(b, func(addr string, n int) net.Conn {
		c := begin(b, addr)
		c.Write(queryMessage(fmt.Sprintf("SELECT abalance FROM pgbench_accounts WHERE aid = %d", n)))
		finish(b, c, make([]byte, 1<<10))
		return c
	}, answerAll)
}

// answerAll is a server that lets everybody in and answers every statement with a row.
func answerAll(c net.Conn) {
	defer c.Close()
	head := make([]byte, 5)
	for {
		if _, err := io.ReadFull(c, head[:4]); err != nil {
			return
		}
		size := int64(binary.BigEndian.Uint32(head)) - 4
		io.CopyN(io.Discard, c, size)
		if size > 4 {
			break
		}
		c.Write([]byte("N")) // a request for encryption
	}
	in := []byte("R\x00\x00\x00\x08\x00\x00\x00\x00")
	for name, value := range map[string]string{"server_version": "15.0", "client_encoding": "UTF8", "standard_conforming_strings": "on",
		"server_encoding": "UTF8", "DateStyle": "ISO, MDY", "TimeZone": "UTC", "integer_datetimes": "on", "IntervalStyle": "postgres"} {
		in = binary.BigEndian.AppendUint32(append(in, 'S'), uint32(len(name)+len(value)+6))
		in = append(append(append(append(in, name...), 0), value...), 0)
	}
	in = append(in, "K\x00\x00\x00\x0c\x00\x00\x00\x01\x00\x00\x00\x02"...)
	c.Write(append(in, ready...))
	answer := append([]byte("T\x00\x00\x00\x1a\x00\x01a\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x17\x00\x04\xff\xff\xff\xff\x00\x00"+
		"D\x00\x00\x00\x0b\x00\x01\x00\x00\x00\x010C\x00\x00\x00\x0dSELECT 1\x00"), ready...)
	for {
		if _, err := io.ReadFull(c, head); err != nil {
			return
		}
		io.CopyN(io.Discard, c, int64(binary.BigEndian.Uint32(head[1:]))-4)
		if head[0] == 'Q' {
			c.Write(answer)
		}
	}
}

// counter counts the bytes that are written to it.
type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// BenchmarkPsql has psql print a result, and reports the bytes printed and the
// most memory that psql took.
func BenchmarkPsql(b *testing.B) {
	host, port, err := net.SplitHostPort(dbtest.Setting(b, "ADDR"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		var printed counter
		cmd := exec.Command("psql", "-X", "-q", "-h", host, "-p", port, "-U", "postgres", "-d", "postgres", "-At", "-c", dbtest.Setting(b, "QUERY"))
		cmd.Stdout = &printed
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(printed), "printed-bytes")
		b.ReportMetric(float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss), "psql-KiB")
	}
}
