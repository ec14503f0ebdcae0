package mysqlwire

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/rowcap/rowcap/dialect/mysql"
	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

// ends is the two ends of a connection.
func ends(t *testing.T) (near, far net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if far, err = net.Dial("tcp", l.Addr().String()); err == nil {
		near, err = l.Accept()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close(); far.Close() })
	return near, far
}

// TestLookDisturbsNobody has a session looked at all the time while commands and
// answers pass.
func TestLookDisturbsNobody(t *testing.T) {
	r, err := rewrite.New(mysql.NewMariaDB(), rewrite.DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	client, clientEnd := ends(t)
	up, upEnd := ends(t)
	s := newSession(New(proxy.Address{}, r, proxy.NoObserver{}), client, up, proxy.Address{})
	s.loggedIn, s.carries = true, s.client.in.socket != nil
	commands, answers := make(chan error, 1), make(chan struct{})
	go func() {
		var err error
		for err == nil {
			if s.carries {
				err = s.carry()
			} else if h, e := s.client.in.header(); e != nil {
				err = e
			} else {
				err = s.act(h)
				s.carries = s.carriable()
			}
		}
		commands <- err
	}()
	go func() {
		defer close(answers)
		s.upstreamLoop()
	}()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
			}
			s.client.in.waits.Store(true)
			s.up.in.waits.Store(true)
			s.Look()
			time.Sleep(50 * time.Microsecond)
		}
	}()
	for _, end := range []net.Conn{clientEnd, upEnd} {
		end.SetDeadline(time.Now().Add(60 * time.Second))
	}
	ping, ok := []byte{1, 0, 0, 0, byte(packet.ComPing)}, []byte{7, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0}
	b := make([]byte, len(ok))
	for i := range 3000 {
		if _, err := clientEnd.Write(ping); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(upEnd, b[:len(ping)]); err != nil {
			t.Fatalf("command %d: %v", i, err)
		}
		upEnd.Write(ok)
		if _, err := io.ReadFull(clientEnd, b); err != nil {
			t.Fatalf("answer %d: %v", i, err)
		}
	}
	clientEnd.Write([]byte{1, 0, 0, 0, byte(packet.ComQuit)})
	if err := <-commands; err != errOver {
		t.Errorf("the client's side ended with %v", err)
	}
	s.end(nil)
	<-answers
	close(stop)
	<-stopped
}
