//go:build unix

package main

import (
	"os"
	"syscall"
)

// standardError returns a duplicate of standard error: PostgreSQL's parser points
// file descriptor 2 elsewhere while it works, and lines written there would be lost.
func standardError() *os.File {
	fd, err := syscall.Dup(2)
	if err != nil {
		return os.Stderr
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), os.Stderr.Name())
}
