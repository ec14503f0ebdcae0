package socket

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

// Vanished reports that the other side of c has ended the connection, also if there is
// data before its end that has not been read.
func Vanished(c net.Conn) bool {
	for layer, ok := c.(interface{ NetConn() net.Conn }); ok; layer, ok = c.(interface{ NetConn() net.Conn }) {
		c = layer.NetConn()
	}
	var control func(func(fd uintptr)) error
	switch s := c.(type) {
	case *Looped:
		control = s.control
	case syscall.Conn:
		raw, err := s.SyscallConn()
		if err != nil {
			return false
		}
		control = raw.Control
	default:
		return false
	}
	var p pollFd
	err := control(func(fd uintptr) {
		p = pollFd{fd: int32(fd), events: pollRdHup}
		var now syscall.Timespec
		syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&p)), 1, uintptr(unsafe.Pointer(&now)), 0, 0, 0)
	})
	return err == nil && p.revents&(pollErr|pollHup|pollRdHup) != 0
}
