//go:build linux

package socket

import (
	"net"
	"testing"
	"time"
)

// layer is a connection above another one.
type layer struct{ net.Conn }

func (l layer) NetConn() net.Conn { return l.Conn }

// TestVanished tells connections whose other side is gone, also with data before the
// end and under other layers.
func TestVanished(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	layered := layer{c}
	client.Write([]byte("not read"))
	time.Sleep(50 * time.Millisecond)
	if Vanished(c) || Vanished(layered) {
		t.Error("a client that has sent something is taken for gone")
	}
	client.Close()
	for until := time.Now().Add(5 * time.Second); !Vanished(layered); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("the client's end goes unseen")
		}
	}
	c.Close()
	if pipe, other := net.Pipe(); Vanished(pipe) {
		t.Error("what cannot be told is taken for gone")
	} else {
		pipe.Close()
		other.Close()
	}
}
