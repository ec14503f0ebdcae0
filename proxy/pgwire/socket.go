package pgwire

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
)

// socket is a connection that is read and written by system calls of its own,
// without a layer such as TLS above it. The calls never block: where the
// kernel has nothing to give or no room, the goroutine waits in the runtime's
// poller, under the deadlines of conn.
type socket struct {
	conn net.Conn
	raw  syscall.RawConn

	// What follows belongs to Write.
	rest []byte
	err  error
	send func(fd uintptr) bool // s.sendRest; a method value made once takes no memory later
}

// errWait says that nothing is there to be read.
var errWait = errors.New("nothing to read")

// plainSocket returns the socket of a connection, nil if it has layers.
func plainSocket(conn net.Conn) *socket {
	if !plainSockets {
		return nil
	}
	s := &socket{conn: conn}
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

// Write writes all of b.
func (s *socket) Write(b []byte) (int, error) {
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
func (s *socket) sendRest(fd uintptr) (done bool) {
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

// read reads once. The error is errWait if nothing is there.
func (s *socket) read(fd uintptr, b []byte) (int, error) {
	n, err := readOnce(fd, b)
	switch {
	case err == syscall.EAGAIN:
		return 0, errWait
	case err != 0:
		return 0, os.NewSyscallError("read", err)
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// pending says whether a read would return something: data, the end of the stream
// or an error. The goroutine that reads may be at it.
func (s *socket) pending() (is bool) {
	err := s.raw.Control(func(fd uintptr) { is = peekOnce(fd) != syscall.EAGAIN })
	return err == nil && is
}

// failed returns err as the net package words it.
func (s *socket) failed(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	if e := (*net.OpError)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return &net.OpError{Op: op, Net: s.conn.LocalAddr().Network(), Source: s.conn.LocalAddr(), Addr: s.conn.RemoteAddr(), Err: err}
}
