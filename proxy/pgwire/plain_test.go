package pgwire

import (
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/rowcap/rowcap/dialect/postgres"
	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/socket"
	"github.com/rowcap/rowcap/rewrite"
)

// socketPair is the two ends of a connection.
func socketPair(t *testing.T, network, address string) (near, far net.Conn) {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if far, err = net.Dial(network, l.Addr().String()); err == nil {
		near, err = l.Accept()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close(); far.Close() })
	return near, far
}

// replies is the goroutine of the replies.
func (s *session) replies() error {
	s.down.failed, s.down.unread = s.down.carry(s.batch)
	return s.replied()
}

// TestEndWithData has data and the end of the stream there before the session
// begins to read. The poller told of both before, so the read that takes the data
// is the last one that it wakes anybody for.
func TestEndWithData(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // or a loop would be told of the end
	r, err := rewrite.New(postgres.New(), rewrite.DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ network, address string }{{"tcp", "127.0.0.1:0"}, {"unix", t.TempDir() + "/s"}} {
		for _, side := range []string{"client", "server"} {
			t.Run(c.network+"/"+side, func(t *testing.T) {
				client, clientEnd := socketPair(t, c.network, c.address)
				server, serverEnd := socketPair(t, c.network, c.address)
				s := newSession(New(proxy.Address{}, r, nil), client)
				s.connect(server)
				if s.up.socket == nil {
					t.Skip("sockets are read by the net package here")
				}
				s.started, s.running, s.down.check = true, true, nil
				s.up.eager, s.down.eager = false, false
				run := s.requests
				if side == "client" {
					clientEnd.Write([]byte("H\x00\x00\x00\x04"))
					clientEnd.Close()
				} else {
					run = s.replies
					serverEnd.Write([]byte("A\x00\x00\x00\x0a\x00\x00\x00\x01a\x00\x00"))
					serverEnd.Close()
				}
				time.Sleep(20 * time.Millisecond)
				done := make(chan error, 1)
				go func() { done <- run() }()
				select {
				case err := <-done:
					// The kernel may have told of it late.
					t.Logf("ended without a look: %v", err)
					return
				case <-time.After(100 * time.Millisecond):
				}
				socket.Watch(s)
				defer socket.Unwatch(s)
				select {
				case err := <-done:
					if side == "server" && err == nil || side == "client" && err != nil {
						t.Errorf("ended with %v", err)
					}
				case <-time.After(5 * time.Second):
					t.Error("the end of the stream was not seen")
				}
			})
		}
	}
}

// TestLookDisturbsNobody has a session looked at all the time while it waits, reads
// and takes leave.
func TestLookDisturbsNobody(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // or a loop would carry it
	r, err := rewrite.New(postgres.New(), rewrite.DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	client, clientEnd := socketPair(t, "tcp", "127.0.0.1:0")
	server, serverEnd := socketPair(t, "tcp", "127.0.0.1:0")
	s := newSession(New(proxy.Address{}, r, nil), client)
	s.connect(server)
	s.started, s.running, s.down.check = true, true, nil
	s.up.eager, s.down.eager = false, false
	replies, requests := make(chan error, 1), make(chan error, 1)
	go func() { replies <- s.replies() }()
	go func() { requests <- s.requests() }()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
			}
			s.up.waits.Store(true)
			s.down.waits.Store(true)
			s.Look()
			time.Sleep(50 * time.Microsecond)
		}
	}()
	answer := []byte("C\x00\x00\x00\x0dSELECT 1\x00Z\x00\x00\x00\x05I")
	b := make([]byte, 100)
	for range 3000 {
		if _, err := clientEnd.Write([]byte("Q\x00\x00\x00\x0dCOMMIT  \x00")); err != nil {
			t.Fatal(err)
		}
		if n, err := serverEnd.Read(b); err != nil || n != 14 {
			t.Fatalf("the server got %q, %v", b[:n], err)
		}
		serverEnd.Write(answer)
		for got := 0; got < len(answer); {
			n, err := clientEnd.Read(b)
			if err != nil {
				t.Fatal(err)
			}
			got += n
		}
	}
	clientEnd.Write([]byte("X\x00\x00\x00\x04"))
	if err := <-requests; err != nil {
		t.Errorf("requests ended with %v", err)
	}
	serverEnd.Close()
	if err := <-replies; err != nil {
		t.Errorf("replies ended with %v", err)
	}
	close(stop)
	<-stopped
}
