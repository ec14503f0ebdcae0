package dbtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// attributes make a child run as a, apart from the terminal's signals, and end
// when this process does. PostgreSQL is told to quit at once, which makes it end
// its own children too; the others have none.
func attributes(a *account, flavor string) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if flavor == FlavorPostgres {
		attr.Pdeathsig = syscall.SIGQUIT
	}
	if a != nil {
		attr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return attr
}

// signal sends sig to the server and to its children, which have process groups
// of their own.
func (in *running) signal(sig syscall.Signal) error {
	var failed error
	for _, pid := range in.pids() {
		if err := syscall.Kill(pid, sig); err != nil && err != syscall.ESRCH {
			failed = fmt.Errorf("signal %v to process %d: %w", sig, pid, err)
		}
	}
	return failed
}

// pids returns the server's process and its children.
func (in *running) pids() []int {
	all := []int{in.process.Pid}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		// The command's name stands in brackets and may itself hold some.
		_, rest, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
		fields := strings.Fields(rest)
		if len(fields) < 2 || fields[1] != strconv.Itoa(in.process.Pid) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			all = append(all, pid)
		}
	}
	return all
}

// quitTimeout is how long PostgreSQL may take to end its children.
const quitTimeout = 5 * time.Second

// quit ends the server without leaving children behind for others to reap.
func (in *running) quit() error {
	if in.recipe.flavor == FlavorPostgres && in.answers() {
		syscall.Kill(in.process.Pid, syscall.SIGQUIT)
		select {
		case <-in.ended:
			return nil
		case <-time.After(quitTimeout):
		}
	}
	return in.kill()
}

// kill ends the server and its children at once and waits for the end.
func (in *running) kill() error {
	if !in.alive() {
		return nil
	}
	err := in.signal(syscall.SIGKILL)
	<-in.ended
	in.unwatch()
	return err
}

// lockFile opens path and locks it for as long as it is open: at once or, if
// wait is set, when its owner is gone.
func lockFile(path string, wait bool) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	for {
		if err = syscall.Flock(int(f.Fd()), how); err != syscall.EINTR {
			break
		}
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return f, nil
}
