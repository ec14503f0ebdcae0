package mysqlwire

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/rowcap/rowcap/dialect/mysql"
	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

const (
	fuzzServerCaps = packet.LongPassword | packet.Protocol41 | packet.SecureConnection | packet.PluginAuth |
		packet.MultiStatements | packet.MultiResults | packet.PSMultiResults | packet.LocalFiles
	fuzzNewCaps = fuzzServerCaps | packet.DeprecateEOF | packet.SessionTrack | packet.QueryAttributes
)

// packets frames payloads, each in a way that begins an exchange.
func packets(payloads ...string) []byte {
	var b []byte
	for i, p := range payloads {
		b, _ = packet.Append(b, byte(i), []byte(p))
	}
	return b
}

// FuzzSession gives a session whatever bytes from both sides. It may not panic, and
// it has to end when they do.
func FuzzSession(f *testing.F) {
	eof := string(packet.EOF{}.Append(nil))
	column := string(packet.Column{Catalog: []byte("def"), Name: []byte("n"), Type: packet.TypeLong}.Append(nil, 0))
	settings := []string{"\x04", column, column, column, column, eof, "\x00\x07utf8mb4\x0218\xfb", eof}
	rows := append(append([]string{}, settings...), "\x01", column, eof, "\x011", "\x012", "\x013", eof)
	f.Add(packets("\x03SELECT n FROM t"), packets(rows...), false)
	f.Add(packets("\x16SELECT n FROM t LIMIT ?", "\x17\x01\x00\x00\x00\x00\x01\x00\x00\x00\x00\x01\x03\x00\x09\x00\x00\x00"),
		packets(append(settings, "\x00\x01\x00\x00\x00\x01\x00\x01\x00\x00\x00\x00", column, eof, column, eof, "\x01", column, eof, "\x00\x00\x01\x00\x00\x00", eof)...), false)
	f.Add(packets("\x03LOAD DATA LOCAL INFILE 'x' INTO TABLE t", "data", ""), packets(append(settings, "\xfbx", "\x00\x00\x00\x02\x00\x00\x00")...), false)
	f.Add(packets("\x03\x00\x01SHOW WARNINGS", "\x0e", "\x09", "\x1f", "\x04t\x00", "\x1b\x00\x00"), packets("\x03", column, column, column, "\xfe\x00\x00\x02\x00\x00\x00", "\x00\x00\x00\x02\x00\x00\x00"), true)
	f.Add(packets("\x03SELECT 1"), packets("\xfe\xff\xff\xff\xff\xff\xff\xff\xff", column), false)
	f.Add([]byte("\xff\xff\xff\x00\x03SELECT"), []byte("\xff\xff\xff\x01"), true)
	p := rewrite.DefaultPolicy()
	p.DefaultLimit, p.MaxLimit = 1, 2
	r, err := rewrite.New(mysql.New(), p)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, fromClient, fromServer []byte, modern bool) {
		caps := fuzzServerCaps
		if modern {
			caps = fuzzNewCaps
		}
		client, clientDoor := net.Pipe()
		server, serverDoor := net.Pipe()
		door := New(proxy.Address{Network: "unix", Addr: "/fuzz"}, r, proxy.NoObserver{})
		greeting := packet.Greeting{ServerVersion: "8.0.1", Capabilities: caps, AuthData: make([]byte, 20), AuthPlugin: "x"}.Append(nil)
		greeting, _ = packet.Append(nil, 0, greeting)
		ok, _ := packet.Append(nil, 2, packet.OK{}.Append(nil, caps))
		login, _ := packet.Append(nil, 1, packet.HandshakeResponse{Capabilities: caps, User: []byte("u"), AuthPlugin: []byte("x")}.Append(nil))
		var all sync.WaitGroup
		side := func(conn net.Conn, chunks ...[]byte) {
			all.Go(func() { io.Copy(io.Discard, conn) })
			all.Go(func() {
				for _, chunk := range chunks {
					if _, err := conn.Write(chunk); err != nil {
						return
					}
				}
				time.Sleep(time.Millisecond)
				conn.Close()
			})
		}
		side(client, login, fromClient)
		side(server, greeting, ok, fromServer)
		done := make(chan struct{})
		go func() {
			defer close(done)
			s := newSession(door, clientDoor, serverDoor, proxy.Address{Network: "tcp", Addr: "fuzz:3306"})
			if over, _ := s.opens(context.Background()); !over {
				s.run()
			}
		}()
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			t.Fatal("the session does not end")
		}
		clientDoor.Close()
		serverDoor.Close()
		all.Wait()
	})
}
