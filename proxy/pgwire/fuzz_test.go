package pgwire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/rowcap/rowcap/dialect/postgres"
	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/rewrite"
)

// FuzzFrames relays arbitrary bytes in pieces of arbitrary size. What is
// forwarded must be the input up to its first impossible header, without the
// messages that are cut and without an incomplete one that fits the buffer.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("Q\x00\x00\x00\x0dSELECT 1\x00X\x00\x00\x00\x04"), byte('X'), uint16(3))
	f.Add([]byte("D\x00\x00\x00\x0b\x00\x01\x00\x00\x00\x01xC\x00\x00\x00\x0dSELECT 1\x00Z\x00\x00\x00\x05I"), byte('D'), uint16(1))
	f.Add(append([]byte("d\x00\x02\x00\x04"), bytes.Repeat([]byte("x"), 2<<16)...), byte('c'), uint16(5000))
	f.Add(append([]byte("D\x00\x02\x00\x04"), bytes.Repeat([]byte("y"), 2<<16)...), byte('D'), uint16(60000))
	f.Add([]byte("Q\x00\x00\x00\x03"), byte('Q'), uint16(2))
	f.Add([]byte("Q\xff\xff\xff\xff"), byte('Q'), uint16(1))
	f.Fuzz(func(t *testing.T, input []byte, drop byte, piece uint16) {
		var out, want bytes.Buffer
		rest := input
		for len(rest) >= headerSize {
			kind, size, err := header(rest)
			total := headerSize + size
			if err != nil || total <= largeBuffer && len(rest) < total || len(rest) < min(total, peekSize) {
				break
			}
			total = min(total, len(rest))
			if kind != drop {
				want.Write(rest[:total])
			}
			rest = rest[total:]
		}
		p := newPipe(&pieces{rest: input, size: int(piece) + 1}, &out)
		defer p.release()
		for p.fill() == nil {
			for {
				m, ok, err := p.next()
				if err != nil {
					p.cut()
					p.flush()
					compare(t, out.Bytes(), want.Bytes())
					return
				}
				if !ok {
					break
				}
				if m.kind == drop {
					p.cut()
				}
			}
			p.flush()
		}
		compare(t, out.Bytes(), want.Bytes())
	})
}

func compare(t *testing.T, got, want []byte) {
	if !bytes.Equal(got, want) {
		t.Fatalf("forwarded %d bytes %.100q, want %d %.100q", len(got), got, len(want), want)
	}
}

// pieces is a Reader that gives size bytes at a time.
type pieces struct {
	rest []byte
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.rest[:min(p.size, len(p.rest))])
	p.rest = p.rest[n:]
	return n, nil
}

// FuzzStartup reads arbitrary startup packets.
func FuzzStartup(f *testing.F) {
	for _, packet := range []string{
		"\x00\x00\x00\x08\x04\xd2\x16\x2f", "\x00\x00\x00\x08\x04\xd2\x16\x30",
		"\x00\x00\x00\x10\x04\xd2\x16\x2e\x00\x00\x00\x01\x00\x00\x00\x02",
		"\x00\x00\x00\x10\x00\x03\x00\x00user\x00a\x00\x00", "\x00\x00\x00\x1d\x00\x03\x00\x02user\x00a\x00replication\x00on\x00\x00",
		"\x00\x00\x00\x08\x00\x02\x00\x00", "GET / HTTP/1.1\r\n", "\x16\x03\x01\x02\x00\x01", "\x00\x00\x00\x00",
		"\x00\x00\x00\x38\x00\x03\x00\x00options\x00-c rowcap.default_limit=7 -c geqo=off\x00\x00",
		"\x00\x00\x00\x24\x00\x03\x00\x00rowcap.default_limit\x007\x00\x00",
	} {
		f.Add([]byte(packet))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		e := &entry{conn: readOnly{Reader: iotest.OneByteReader(bytes.NewReader(input))}}
		packet, err := e.packet()
		if err != nil {
			return
		}
		if !bytes.HasPrefix(input, packet) || len(packet) < startupMinimum {
			t.Fatalf("read %q of %q", packet, input)
		}
		first, err := readParameters(packet)
		if err != nil {
			return
		}
		sent := first.packet
		if packet[4] != 0 || packet[5] != 3 || packet[len(packet)-1] != 0 || len(sent) > len(packet) || int(binary.BigEndian.Uint32(sent)) != len(sent) {
			t.Fatalf("admitted %q as %q", packet, sent)
		}
		if again, err := readParameters(sent); err != nil || !bytes.Equal(again.packet, sent) || again.defaultLimit != 0 {
			t.Fatalf("sent %q: %+v, %v", sent, again, err)
		}
		if !bytes.Contains(bytes.ToLower(packet), []byte(ownPrefix)) && !bytes.ContainsAny(packet, "-\\") && !bytes.Equal(sent, packet) {
			t.Fatalf("sent %q for %q", sent, packet)
		}
	})
}

// readOnly is a connection of which only Read is used.
type readOnly struct {
	io.Reader
	net.Conn
}

func (r readOnly) Read(b []byte) (int, error) { return r.Reader.Read(b) }

// FuzzSession has a client and a server say arbitrary things to each other. The
// session must end without a panic, and what the client receives must be
// messages.
func FuzzSession(f *testing.F) {
	ready := "R\x00\x00\x00\x08\x00\x00\x00\x00Z\x00\x00\x00\x05I"
	f.Add([]byte("Q\x00\x00\x00\x0dSELECT 1\x00"), []byte(ready+"T\x00\x00\x00\x06\x00\x00D\x00\x00\x00\x06\x00\x00C\x00\x00\x00\x0dSELECT 1\x00Z\x00\x00\x00\x05I"))
	f.Add([]byte("P\x00\x00\x00\x10\x00SELECT 1\x00\x00\x00B\x00\x00\x00\x0c\x00\x00\x00\x00\x00\x00\x00\x00E\x00\x00\x00\x09\x00\x00\x00\x00\x00S\x00\x00\x00\x04"),
		[]byte(ready+"1\x00\x00\x00\x042\x00\x00\x00\x04D\x00\x00\x00\x06\x00\x00s\x00\x00\x00\x04Z\x00\x00\x00\x05T"))
	f.Add([]byte("Q\x00\x00\x00\x12COPY t TO STDOUT\x00X\x00\x00\x00\x04"), []byte(ready+"E\x00\x00\x00\x10VFATAL\x00C57P01\x00\x00"))
	f.Add([]byte("Q\x00\x00\x00\x16COPY t FROM STDIN\x00c\x00\x00\x00\x04S\x00\x00\x00\x04"), []byte(ready+"G\x00\x00\x00\x07\x00\x00\x00E\x00\x00\x00\x13VERROR\x00C42601\x00P9\x00\x00Z\x00\x00\x00\x05I"))
	f.Add([]byte("Q\x00\x00\x00\x22SET client_encoding = 'SJIS'; \x00Q\x00\x00\x00\x0dSELECT 1\x00P\x00\x00\x00\x16\x00SHOW rowcap.last\x00\x00\x00"),
		[]byte(ready+"C\x00\x00\x00\x08SET\x00Z\x00\x00\x00\x05IT\x00\x00\x00\x06\x00\x00"))
	f.Add([]byte("P\x00\x00\x00\x11\x00TABLE t;;\x00\x00\x00B\x00\x00\x00\x0c\x00\x00\x00\x00\x00\x00\x00\x00E\x00\x00\x00\x09\x00\x00\x00\x00\x00S\x00\x00\x00\x04"),
		[]byte(ready+"1\x00\x00\x00\x042\x00\x00\x00\x04D\x00\x00\x00\x06\x00\x00D\x00\x00\x00\x06\x00\x00C\x00\x00\x00\x0dSELECT 2\x00E\x00\x00\x00\x10VERROR\x00C42601\x00\x00Z\x00\x00\x00\x05I"))
	var doors []*Door
	for _, overflow := range []rewrite.Overflow{rewrite.OverflowTruncate, rewrite.OverflowError} {
		policy := rewrite.DefaultPolicy()
		policy.DefaultLimit, policy.Overflow, policy.CopyOut = 1, overflow, rewrite.CopyCap
		r, err := rewrite.New(postgres.New(), policy)
		if err != nil {
			f.Fatal(err)
		}
		doors = append(doors, New(proxy.Address{}, r, nil))
	}
	f.Fuzz(func(t *testing.T, fromClient, fromServer []byte) {
		for _, door := range doors {
			fuzzSession(t, door, fromClient, fromServer)
		}
	})
}

func fuzzSession(t *testing.T, door *Door, fromClient, fromServer []byte) {
	client, clientEnd := net.Pipe()
	server, serverEnd := net.Pipe()
	s := newSession(door, clientEnd)
	s.connect(serverEnd)
	var received bytes.Buffer
	var parties sync.WaitGroup
	parties.Go(func() { io.Copy(&received, client) })
	parties.Go(func() { io.Copy(io.Discard, server) })
	said := make(chan struct{})
	parties.Go(func() {
		client.Write(fromClient)
		client.Close()
		close(said)
	})
	parties.Go(func() {
		server.Write(fromServer)
		select {
		case <-said:
		case <-time.After(20 * time.Millisecond): // the session waits for an answer
		}
		server.Close()
	})
	err := s.run([]byte{0, 0, 0, 9, 0, 3, 0, 0, 0})
	clientEnd.Close()
	parties.Wait()
	s.up.release()
	s.down.release()
	if p := (*proxy.PanicError)(nil); errors.As(err, &p) {
		t.Fatalf("%v\n%s", p.Value, p.Stack)
	}
	for b := received.Bytes(); len(b) > 0; {
		if len(b) < headerSize {
			t.Fatalf("the client received %q", received.Bytes())
		}
		_, size, err := header(b)
		if err != nil || len(b) < headerSize+size && size < largeBuffer {
			t.Fatalf("the client received %q", received.Bytes())
		}
		b = b[min(len(b), headerSize+size):]
	}
}
