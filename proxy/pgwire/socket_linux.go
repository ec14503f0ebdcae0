package pgwire

import (
	"syscall"
	"unsafe"
)

// plainSockets says that sockets are read and written by the calls below.
const plainSockets = true

func readOnce(fd uintptr, b []byte) (int, syscall.Errno) { return transfer(syscall.SYS_READ, fd, b) }

func writeOnce(fd uintptr, b []byte) (int, syscall.Errno) { return transfer(syscall.SYS_WRITE, fd, b) }

// transfer reads or writes once. The descriptor does not block, so that the
// scheduler needs not be told of the call. The conversion of the pointer stands
// in the call, as the rules of package unsafe have it.
func transfer(call, fd uintptr, b []byte) (int, syscall.Errno) {
	for {
		n, _, err := syscall.RawSyscall(call, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
		if err != syscall.EINTR {
			return int(n), err
		}
	}
}

// peekOnce reads a byte and leaves it there.
func peekOnce(fd uintptr) syscall.Errno {
	var b [1]byte
	for {
		_, _, err := syscall.RawSyscall6(syscall.SYS_RECVFROM, fd, uintptr(unsafe.Pointer(&b[0])), 1,
			syscall.MSG_PEEK|syscall.MSG_DONTWAIT, 0, 0)
		if err != syscall.EINTR {
			return err
		}
	}
}
