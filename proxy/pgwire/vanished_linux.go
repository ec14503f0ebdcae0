package pgwire

import (
	"net"
	"syscall"
	"unsafe"
)

// Events of ppoll(2).
const (
	pollErr   = 0x0008
	pollHup   = 0x0010
	pollRdHup = 0x2000
)

// pollFd is an argument of ppoll(2).
type pollFd struct {
	fd              int32
	events, revents int16
}

// vanished reports that the other side of c has ended the connection, also if there is
// data before its end that has not been read.
func vanished(c net.Conn) bool {
	for layer, ok := c.(interface{ NetConn() net.Conn }); ok; layer, ok = c.(interface{ NetConn() net.Conn }) {
		c = layer.NetConn()
	}
	s, ok := c.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return false
	}
	var p pollFd
	err = raw.Control(func(fd uintptr) {
		p = pollFd{fd: int32(fd), events: pollRdHup}
		var now syscall.Timespec
		syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&p)), 1, uintptr(unsafe.Pointer(&now)), 0, 0, 0)
	})
	return err == nil && p.revents&(pollErr|pollHup|pollRdHup) != 0
}
