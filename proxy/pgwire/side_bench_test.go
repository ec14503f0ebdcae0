//go:build unix

package pgwire_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The benchmarks of this file are the client's side, and where no server is wanted
// the server's, of scripts/bench-postgres, which runs what they measure and says
// where it is in the environment.

func setting(b *testing.B, name string) string {
	b.Helper()
	v := os.Getenv("ROWCAP_BENCH_" + name)
	if v == "" {
		b.Skipf("ROWCAP_BENCH_%s is not set: scripts/bench-postgres sets it", name)
	}
	return v
}

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
	c := begin(b, setting(b, "ADDR"))
	defer c.Close()
	query, buffer := queryMessage(setting(b, "QUERY")), make([]byte, 256<<10)
	for b.Loop() {
		c.Write(query)
		b.SetBytes(int64(finish(b, c, buffer)))
	}
}

// BenchmarkIdle opens sessions that run a statement each and then wait, and reports
// the memory that a process takes for each of them.
func BenchmarkIdle(b *testing.B) {
	pid, addr := setting(b, "PID"), setting(b, "ADDR")
	sessions, err := strconv.Atoi(setting(b, "SESSIONS"))
	if err != nil {
		b.Fatal(err)
	}
	l, err := net.Listen("tcp", setting(b, "LISTEN"))
	if err != nil {
		b.Fatal(err)
	}
	var serving sync.WaitGroup
	accepted := make(chan net.Conn, sessions+1000)
	serving.Go(func() {
		defer close(accepted)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- c
			serving.Go(func() { answerAll(c) })
		}
	})
	defer func() {
		l.Close()
		for c := range accepted {
			c.Close()
		}
		serving.Wait()
	}()
	open := make([]net.Conn, 0, sessions)
	defer func() {
		for _, c := range open {
			c.Close()
		}
	}()
	run := func(n int) {
		for range n {
			c := begin(b, addr)
			open = append(open, c)
			c.Write(queryMessage(fmt.Sprintf("SELECT abalance FROM pgbench_accounts WHERE aid = %d", len(open))))
			finish(b, c, make([]byte, 1<<10))
		}
	}
	run(100) // what is there once
	before := resident(b, pid)
	for b.Loop() {
		run(sessions)
	}
	time.Sleep(2 * time.Second)
	b.ReportMetric(float64(resident(b, pid)-before)/float64(sessions), "KiB/session")
	if settle, err := time.ParseDuration(os.Getenv("ROWCAP_BENCH_SETTLE")); err == nil {
		time.Sleep(settle)
		b.ReportMetric(float64(resident(b, pid)-before)/float64(sessions), "settled-KiB/session")
	}
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

// resident is the memory of a process in KiB.
func resident(b *testing.B, pid string) int {
	b.Helper()
	status, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			if n, err := strconv.Atoi(strings.Fields(rest)[0]); err == nil {
				return n
			}
		}
	}
	b.Fatal("no VmRSS")
	return 0
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
	host, port, err := net.SplitHostPort(setting(b, "ADDR"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		var printed counter
		cmd := exec.Command("psql", "-X", "-q", "-h", host, "-p", port, "-U", "postgres", "-d", "postgres", "-At", "-c", setting(b, "QUERY"))
		cmd.Stdout = &printed
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(printed), "printed-bytes")
		b.ReportMetric(float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss), "psql-KiB")
	}
}
