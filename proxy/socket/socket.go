// Package socket reads and writes connections by system calls of its own, where
// no layer such as TLS stands above them: one read for what has come, and none to
// learn that nothing more has.
//
// A Loop waits for many sockets in one goroutine; what it waits for is a Looped
// connection, and what is done when something has come is its Work. Where there are
// no loops, a Socket is waited for in the runtime's poller.
package socket

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"time"
)

// Socket is a connection without a layer above it. The calls never block: where the
// kernel has nothing to give or no room, the goroutine waits in the runtime's
// poller, under the connection's deadlines.
type Socket struct {
	conn net.Conn
	raw  syscall.RawConn

	// What follows belongs to Write.
	rest []byte
	err  error
	send func(fd uintptr) bool // s.sendRest; a method value made once takes no memory later
}

// ErrWait says that nothing is there to be read.
var ErrWait = errors.New("nothing to read")

// Of returns the socket of a connection, nil if it has layers or the system is not
// one that this package knows.
func Of(conn net.Conn) *Socket {
	if !known {
		return nil
	}
	s := &Socket{conn: conn}
	var err error
	switch c := conn.(type) {
	case *net.TCPConn:
		s.raw, err = c.SyscallConn()
	case *net.UnixConn:
		s.raw, err = c.SyscallConn()
	default:
		return nil
	}
	if err != nil {
		return nil
	}
	s.send = s.sendRest
	return s
}

// Wait calls ready, and again each time that there may be something to read, until
// it returns true. ready may call Read, and must not close the connection. The
// error is that of waiting: a deadline that has passed, a connection that was closed.
//
// The poller tells of changes only, and Wait forgets those from before it was
// called: ready has to read once before it returns false, unless the other side says
// nothing before it hears something that ready writes.
func (s *Socket) Wait(ready func(fd uintptr) (done bool)) error {
	return s.failed("read", s.raw.Read(ready))
}

// ReadOnce reads once. The error is ErrWait if nothing is there.
func (s *Socket) ReadOnce(fd uintptr, b []byte) (int, error) {
	n, err := receive(fd, b)
	return n, s.failed("read", err)
}

// receive reads once. The error is ErrWait if nothing is there.
func receive(fd uintptr, b []byte) (int, error) {
	n, err := readOnce(fd, b)
	switch {
	case err == syscall.EAGAIN:
		return 0, ErrWait
	case err != 0:
		return 0, os.NewSyscallError("read", err)
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// SetReadDeadline sets until when a Wait waits.
func (s *Socket) SetReadDeadline(t time.Time) error { return s.conn.SetReadDeadline(t) }

// Write writes all of b.
func (s *Socket) Write(b []byte) (int, error) {
	s.rest, s.err = b, nil
	err := s.raw.Write(s.send)
	if err == nil {
		err = s.err
	}
	n := len(b) - len(s.rest)
	s.rest = nil
	return n, s.failed("write", err)
}

// sendRest writes until all is written or the kernel has no room left.
func (s *Socket) sendRest(fd uintptr) (done bool) {
	for len(s.rest) > 0 {
		n, err := writeOnce(fd, s.rest)
		switch err {
		case 0:
			s.rest = s.rest[n:]
		case syscall.EAGAIN:
			return false
		default:
			s.err = os.NewSyscallError("write", err)
			return true
		}
	}
	return true
}

// Pending says whether a read would return something: data, the end of the stream
// or an error. The goroutine that reads may be at it.
func (s *Socket) Pending() (is bool) {
	err := s.raw.Control(func(fd uintptr) { is = peekOnce(fd) != syscall.EAGAIN })
	return err == nil && is
}

func (s *Socket) failed(op string, err error) error {
	return failed(op, s.conn.LocalAddr(), s.conn.RemoteAddr(), err)
}

// failed returns err as the net package words it.
func failed(op string, local, remote net.Addr, err error) error {
	if err == nil || err == io.EOF || err == ErrWait {
		return err
	}
	if e := (*net.OpError)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return &net.OpError{Op: op, Net: local.Network(), Source: local, Addr: remote, Err: err}
}
