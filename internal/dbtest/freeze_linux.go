package dbtest

import (
	"fmt"
	"os/exec"
	"strings"
	"syscall"
)

// freeze stops the server's process, so that it starts no more children, and
// then its children.
func (in *running) freeze() error {
	if !in.alive() || in.frozen() {
		return fmt.Errorf("it does not run")
	}
	if err := syscall.Kill(in.process.Pid, syscall.SIGSTOP); err != nil {
		return err
	}
	if err := in.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	return in.watchFrozen()
}

// thaw lets it go on.
func (in *running) thaw() error {
	if !in.frozen() {
		return fmt.Errorf("it is not frozen")
	}
	if err := in.signal(syscall.SIGCONT); err != nil {
		return err
	}
	in.unwatch()
	return nil
}

// frozen says whether the server is stopped.
func (in *running) frozen() bool { return in.watch != nil }

// watchFrozen starts a shell that kills the server when this process ends,
// because a frozen process takes no other signal. It ends by unwatch.
func (in *running) watchFrozen() error {
	pids := strings.Trim(fmt.Sprint(in.pids()), "[]")
	cmd := exec.Command("/bin/sh", "-c", "read line || kill -KILL "+pids)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	in.watch, in.watcher = pipe, cmd
	return nil
}

// unwatch ends the shell of watchFrozen without a kill.
func (in *running) unwatch() {
	if in.watch == nil {
		return
	}
	fmt.Fprintln(in.watch)
	in.watch.Close()
	in.watcher.Wait()
	in.watch, in.watcher = nil, nil
}
