package mysqlwire_test

import (
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy/mysqlwire"
)

// TestFrozenServer stops a server's processes. A session that is logged in waits, as it would
// without the door, and gets its answer when the server goes on. A new one is told what
// is the matter, and what to do.
func TestFrozenServer(t *testing.T) {
	s := dbtest.StartMariaDB(t)
	run := serve(t, s.Addr(), policy(3, 10), func(d *mysqlwire.Door) { d.ConnectTimeout, d.LoginTimeout = time.Second, time.Second })
	waiting := newWireSide(dialRaw(t, s, run.addr, "", 0))
	ask(waiting.rawClient, "SELECT 1")
	waiting.answer(0)
	s.Freeze(t)
	ask(waiting.rawClient, "SELECT 7")
	e := firstPacket(t, run)
	if want := "reached the upstream at " + s.Addr() + ", but it sent no MySQL greeting within 1s; check that it is a MySQL or MariaDB server, and that it is not stopped or overloaded"; e.Message != want {
		t.Errorf("message is %q, want %q", e.Message, want)
	}
	s.Thaw(t)
	if got := waiting.answer(0); !strings.Contains(got, " row 7\n") {
		t.Errorf("the session that waited got %s", got)
	}
}

// TestFullQueue dials a server that takes no connections and whose queue of them is full,
// as that of a frozen one is after a while.
func TestFullQueue(t *testing.T) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(fd), "listener")
	defer file.Close()
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	l, err := net.FileListener(file)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	addr := l.Addr().String()
	for {
		c, err := net.DialTimeout("tcp", addr, 300*time.Millisecond)
		if err != nil {
			break
		}
		defer c.Close()
	}
	run := serve(t, addr, policy(3, 10), func(d *mysqlwire.Door) { d.ConnectTimeout = time.Second })
	want := "cannot reach the upstream at " + addr + ": it did not accept the connection within 1s; " +
		"check the address, firewalls on the way to it, and that the server is not stopped or overloaded"
	if e := firstPacket(t, run); e.Message != want {
		t.Errorf("message is %q, want %q", e.Message, want)
	}
}
