package socket

import (
	"os"
	"syscall"
	"unsafe"
)

// known: sockets are read and written by the calls below.
const known = true

func readOnce(fd uintptr, b []byte) (int, syscall.Errno) {
	return transfer(syscall.SYS_RECVFROM, fd, b, 0)
}

func writeOnce(fd uintptr, b []byte) (int, syscall.Errno) {
	return transfer(syscall.SYS_SENDTO, fd, b, syscall.MSG_NOSIGNAL)
}

// transfer receives or sends once, which takes less than read and write, that are for
// files of all kinds. The descriptor does not block, so that the
// scheduler needs not be told of the call. The conversion of the pointer stands
// in the call, as the rules of package unsafe have it.
func transfer(call, fd uintptr, b []byte, flags uintptr) (int, syscall.Errno) {
	for {
		n, _, err := syscall.RawSyscall6(call, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), flags, 0, 0)
		if err != syscall.EINTR {
			return int(n), err
		}
	}
}

// duplicate returns one more descriptor of the same socket.
func duplicate(fd uintptr) (uintptr, error) {
	other, _, err := syscall.RawSyscall(syscall.SYS_FCNTL, fd, syscall.F_DUPFD_CLOEXEC, 0)
	if err != 0 {
		return 0, os.NewSyscallError("fcntl", err)
	}
	return other, nil
}

// closeOnce closes a descriptor.
func closeOnce(fd uintptr) { syscall.Close(int(fd)) }

// endOnce ends what is sent.
func endOnce(fd uintptr) error {
	return os.NewSyscallError("shutdown", syscall.Shutdown(int(fd), syscall.SHUT_WR))
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
