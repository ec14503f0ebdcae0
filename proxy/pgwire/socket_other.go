//go:build !linux

package pgwire

import "syscall"

// plainSockets: elsewhere than on Linux the net package reads and writes.
const plainSockets = false

func readOnce(uintptr, []byte) (int, syscall.Errno) { return 0, syscall.EINVAL }

func writeOnce(uintptr, []byte) (int, syscall.Errno) { return 0, syscall.EINVAL }

func peekOnce(uintptr) syscall.Errno { return syscall.EINVAL }
