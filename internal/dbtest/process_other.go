//go:build !linux

package dbtest

import (
	"errors"
	"os"
	"syscall"
)

// errOnlyLinux says that private servers are started on Linux only; elsewhere
// tests use given ones.
var errOnlyLinux = errors.New("private servers are started on Linux only")

func attributes(*account, string) *syscall.SysProcAttr { return nil }

func (in *running) kill() error { return errOnlyLinux }

func (in *running) quit() error { return errOnlyLinux }

func (in *running) freeze() error { return errOnlyLinux }

func (in *running) thaw() error { return errOnlyLinux }

func (in *running) frozen() bool { return false }

func lockFile(string, bool) (*os.File, error) { return nil, errOnlyLinux }
