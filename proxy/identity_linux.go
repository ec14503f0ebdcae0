package proxy

import (
	"net"
	"os"
	"syscall"
)

// SameOSUser reports that the process at the other end of a unix socket runs as the same
// user of the operating system as this one.
func SameOSUser(conn net.Conn) bool {
	c, ok := conn.(*net.UnixConn)
	if !ok {
		return false
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	same := false
	err = raw.Control(func(fd uintptr) {
		peer, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
		same = err == nil && int(peer.Uid) == os.Geteuid()
	})
	return err == nil && same
}
