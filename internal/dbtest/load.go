package dbtest

import (
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Setting returns what the script that runs a benchmark says in ROWCAP_BENCH_ and the
// name, and skips a benchmark that no script runs.
func Setting(b *testing.B, name string) string {
	b.Helper()
	v := os.Getenv("ROWCAP_BENCH_" + name)
	if v == "" {
		b.Skipf("ROWCAP_BENCH_%s is not set: the scripts of make bench-postgres and bench-mysql set it", name)
	}
	return v
}

// Idle measures what a process takes in memory for each session that has run a
// statement and now waits. The process serves ADDR before the server that Idle is at
// LISTEN, has the number PID and gets as many sessions as SESSIONS says. Open opens the
// n-th and runs its statement; serve is the server's side of one, and closes it.
func Idle(b *testing.B, open func(addr string, n int) net.Conn, serve func(net.Conn)) {
	pid, addr := Setting(b, "PID"), Setting(b, "ADDR")
	sessions, err := strconv.Atoi(Setting(b, "SESSIONS"))
	if err != nil {
		b.Fatal(err)
	}
	l, err := net.Listen("tcp", Setting(b, "LISTEN"))
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
			serving.Go(func() { serve(c) })
		}
	})
	defer func() {
		l.Close()
		for c := range accepted {
			c.Close()
		}
		serving.Wait()
	}()
	var opened []net.Conn
	defer func() {
		for _, c := range opened {
			c.Close()
		}
	}()
	run := func(n int) {
		for range n {
			opened = append(opened, open(addr, len(opened)))
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
