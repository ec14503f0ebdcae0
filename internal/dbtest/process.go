package dbtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// running is a private server's process and the folder it runs in.
type running struct {
	recipe   *recipe
	programs programs
	account  *account
	dir      string
	lock     *os.File // held as long as dir is in use
	port     int
	args     []string // added to the recipe's

	process *os.Process
	ended   chan struct{}  // closed when process has been waited for
	watch   io.WriteCloser // ends watcher in peace
	watcher *exec.Cmd      // kills a frozen server if this process ends
}

// launch starts the server on port and waits until it answers.
func (in *running) launch() error {
	logPath := filepath.Join(in.dir, "log")
	log, err := os.OpenFile(logPath, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(in.programs.server, append(in.recipe.command(in.programs, in.dir, in.port), in.args...)...)
	cmd.Dir, cmd.Env = in.dir, serverEnv(in.dir)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = attributes(in.account, in.recipe.flavor)
	started := make(chan error, 1)
	ended := make(chan struct{})
	go func() {
		// The death of the thread that starts a child counts as the death of the
		// parent, so this thread stays until the child is gone.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			cmd.Wait()
		}
		close(ended)
	}()
	if err := <-started; err != nil {
		return err
	}
	in.process, in.ended = cmd.Process, ended
	deadline := time.Now().Add(startTimeout)
	for !in.recipe.ready(in) {
		select {
		case <-ended:
			return in.startError(logPath, "ended before it answered")
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			in.kill()
			return in.startError(logPath, fmt.Sprintf("did not answer within %v", startTimeout))
		}
	}
	return nil
}

// startError tells why a server did not start, with the end of its log.
func (in *running) startError(logPath, what string) error {
	log, _ := os.ReadFile(logPath)
	if len(log) > 4000 {
		log = log[len(log)-4000:]
	}
	err := fmt.Errorf("%s %s %s; the end of its log:\n%s", in.recipe.flavor, in.programs.version, what, log)
	text := strings.ToLower(string(log))
	if strings.Contains(text, "address already in use") || strings.Contains(text, "bind on tcp/ip port") {
		return errors.Join(errPortTaken, err)
	}
	return err
}

// answers says whether the process is there and not frozen.
func (in *running) answers() bool { return in.alive() && !in.frozen() }

// alive says whether the process is there.
func (in *running) alive() bool {
	select {
	case <-in.ended:
		return false
	default:
		return in.process != nil
	}
}

// remove ends the server and removes its folder.
func (in *running) remove() {
	if in.process != nil {
		in.quit()
	}
	os.RemoveAll(in.dir)
	in.lock.Close()
}

// prepareCommand runs a program that makes a data folder, as a.
func prepareCommand(dir string, a *account, stdin, name string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, serverEnv(dir)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.SysProcAttr = attributes(a, "")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %v:\n%s", name, err, out)
	}
	return nil
}

// serverEnv is the whole environment of a server.
func serverEnv(home string) []string {
	return []string{"HOME=" + home, "TMPDIR=" + home, "LC_ALL=C", "TZ=UTC", "PATH=/usr/sbin:/usr/bin:/sbin:/bin:" + os.Getenv("PATH")}
}
