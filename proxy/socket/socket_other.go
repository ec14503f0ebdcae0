//go:build !linux

package socket

import "syscall"

// known: elsewhere than on Linux the net package reads and writes.
const known = false

func readOnce(uintptr, []byte) (int, syscall.Errno) { return 0, syscall.EINVAL }

func writeOnce(uintptr, []byte) (int, syscall.Errno) { return 0, syscall.EINVAL }

func duplicate(uintptr) (uintptr, error) { return 0, syscall.EINVAL }

func closeOnce(uintptr) {}

func endOnce(uintptr) error { return syscall.EINVAL }

func peekOnce(uintptr) syscall.Errno { return syscall.EINVAL }
