package proxy

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/pires/go-proxyproto"
)

// whose is a Protocol that says whose connection it has, and then what comes on it.
type whose struct{}

func (whose) Name() string { return "whose" }

func (whose) Serve(ctx context.Context, client net.Conn) error {
	ends := EndsOf(ctx, client)
	fmt.Fprintln(client, ends.Client, ends.Called == nil)
	_, err := io.Copy(client, client)
	return err
}

func header2(t testing.TB, client, called string) string {
	t.Helper()
	var b strings.Builder
	from, err := net.ResolveTCPAddr("tcp", client)
	if err != nil {
		t.Fatal(err)
	}
	to, err := net.ResolveTCPAddr("tcp", called)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := proxyproto.HeaderProxyFromAddrs(2, from, to).WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestProxyProtocol sends what balancers and others may begin with, whole and by bytes.
func TestProxyProtocol(t *testing.T) {
	local := signature + "\x20\x00\x00\x00"
	extended := header2(t, "10.1.2.3:4000", "10.0.0.1:5432")
	extended = extended[:15] + string(extended[15]+7) + extended[16:] + "\x04\x00\x04more" // PP2_TYPE_NOOP
	for _, c := range []struct {
		name, sent string
		network    string // of the balancers; 127.0.0.0/8 if empty
		want       string // the client
		err        string
	}{
		{name: "version 1", sent: "PROXY TCP4 10.1.2.3 10.0.0.1 4000 5432\r\n", want: "10.1.2.3:4000"},
		{name: "version 1 of IPv6", sent: "PROXY TCP6 2001:db8::7 2001:db8::1 4000 5432\r\n", want: "[2001:db8::7]:4000"},
		{name: "version 1 that does not know", sent: "PROXY UNKNOWN\r\n", want: "self"},
		{name: "version 2", sent: header2(t, "10.1.2.3:4000", "10.0.0.1:5432"), want: "10.1.2.3:4000"},
		{name: "version 2 of IPv6", sent: header2(t, "[2001:db8::7]:4000", "[2001:db8::1]:5432"), want: "[2001:db8::7]:4000"},
		{name: "version 2 with more in it", sent: extended, want: "10.1.2.3:4000"},
		{name: "version 2 of the balancer itself", sent: local, want: "self"},
		{name: "no balancer", network: "10.0.0.0/8", want: "self"},
		{name: "no balancer, with a header", network: "10.0.0.0/8", sent: "PROXY TCP4 10.1.2.3 10.0.0.1 4000 5432\r\n", want: "self"},
		{name: "none", sent: "\x00\x00\x00\x08\x04\xd2\x16\x2f", err: "began with something else"},
		{name: "nothing", err: "none"},
		{name: "cut short", sent: "PROXY TCP4 10.1", err: "closed the connection amid it"},
		{name: "version 2 cut short", sent: extended[:20], err: "closed the connection amid it"},
		{name: "without an end", sent: "PROXY TCP4 " + strings.Repeat("1", 200), err: "cannot be read"},
		{name: "no address", sent: "PROXY TCP4 10.1.2 10.0.0.1 4000 5432\r\n", err: "cannot be read"},
		{name: "another signature", sent: "\r\n\r\n\x00\rhello, hello", err: "began with something else"},
		{name: "version 3", sent: signature + "\x31\x11\x00\x0c123456789012", err: "cannot be read"},
	} {
		for _, whole := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, whole %v", c.name, whole), func(t *testing.T) {
				network := "127.0.0.0/8"
				if c.network != "" {
					network = c.network
				}
				server := serve(t, anyPort, whose{}, 0, network)
				conn, err := net.Dial("tcp", server.addr.String())
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				var sent io.Reader = strings.NewReader(c.sent + "and more\n")
				if c.err != "" {
					sent = strings.NewReader(c.sent)
				}
				if !whole {
					sent = iotest.OneByteReader(sent)
				}
				if _, err := io.Copy(struct{ io.Writer }{conn}, sent); err != nil && c.err == "" {
					t.Fatal(err)
				}
				conn.(*net.TCPConn).CloseWrite()
				said, _ := io.ReadAll(conn)
				server.end(t)
				failed := server.ends.get()
				if c.err != "" {
					switch {
					case len(said) != 0, len(failed) != 1:
						t.Errorf("said %q, ended %v", said, failed)
					case c.err == "none" && failed[0] != nil:
						t.Errorf("ended with %v", failed)
					case c.err != "none" && (failed[0] == nil || !strings.Contains(failed[0].Error(), c.err) || !strings.Contains(failed[0].Error(), "--proxy-protocol")):
						t.Errorf("ended with %v, want %s", failed, c.err)
					}
					return
				}
				want := c.want
				if want == "self" {
					want = conn.LocalAddr().String()
				}
				rest := "and more\n"
				if c.network != "" {
					rest = c.sent + rest
				}
				if string(said) != want+" false\n"+rest {
					t.Errorf("said %q, want %s", said, want)
				}
				if len(failed) != 1 || failed[0] != nil {
					t.Errorf("ended with %v", failed)
				}
			})
		}
	}
}

// TestProxyProtocolLate has a balancer say nothing: its connection ends in time, and at
// once when the server does.
func TestProxyProtocolLate(t *testing.T) {
	server := serve(t, anyPort, whose{}, 0, "127.0.0.1")
	var err error
	var conns [2]net.Conn
	for i := range conns {
		if conns[i], err = net.Dial("tcp", server.addr.String()); err != nil {
			t.Fatal(err)
		}
		defer conns[i].Close()
		if i == 0 {
			conns[0].SetReadDeadline(time.Now().Add(4 * headerPatience))
			if _, err := bufio.NewReader(conns[0]).ReadByte(); err != io.EOF {
				t.Errorf("got %v", err)
			}
		}
	}
	for server.ends.started.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	server.end(t)
	got := server.ends.get()
	if len(got) != 2 || got[0] == nil || !strings.Contains(got[0].Error(), "sent none within 5s") || got[1] != nil {
		t.Errorf("ended with %v", got)
	}
}

// TestBalancers reads networks.
func TestBalancers(t *testing.T) {
	b, err := ParseBalancers([]string{"10.0.0.0/8", "::1", "2001:db8::/32"})
	if err != nil {
		t.Fatal(err)
	}
	for addr, want := range map[string]bool{"10.9.9.9:1": true, "[::ffff:10.9.9.9]:1": true, "11.0.0.1:1": false, "[::1]:1": true, "[::2]:1": false, "[2001:db8::2]:1": true} {
		tcp, err := net.ResolveTCPAddr("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.have(tcp); got != want {
			t.Errorf("%s: got %v", addr, got)
		}
	}
	if b.have(&net.UnixAddr{Name: "/run/s"}) {
		t.Error("a unix socket is no balancer")
	}
	for _, bad := range []string{"", "host", "10.0.0.0/33", "10.0.0"} {
		if _, err := ParseBalancers([]string{bad}); err == nil || !strings.Contains(err.Error(), "10.0.0.0/8") {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}
