package proxy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"
	"time"
)

// ListenError says why a listener could not be opened and what to do about it.
type ListenError struct {
	Listen Address
	// Cause is the fact, Next the next step, both in plain words.
	Cause string
	Next  string
	// Err is the system's own error, nil if there is none.
	Err error
}

func (e *ListenError) Error() string {
	return fmt.Sprintf("cannot listen on %s: %s; %s", e.Listen, e.Cause, e.Next)
}

func (e *ListenError) Unwrap() error { return e.Err }

// Listen opens a listener with the usual keep-alive. A socket file that nobody
// answers is replaced. The error is a *ListenError.
func Listen(a Address) (net.Listener, error) { return listen(a, 0) }

// listen is Listen with a keep-alive time as keepAlive takes it.
func listen(a Address, idle time.Duration) (net.Listener, error) {
	if a.Network == "unix" {
		return listenUnix(a)
	}
	probe := keepAlive(idle)
	config := net.ListenConfig{KeepAliveConfig: probe}
	if !probe.Enable {
		config.KeepAlive = -1
	}
	l, err := config.Listen(context.Background(), a.Network, a.Addr)
	if err != nil {
		return nil, explainListen(a, err)
	}
	return l, nil
}

func listenUnix(a Address) (net.Listener, error) {
	l, err := net.Listen(a.Network, a.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		if err := removeStale(a); err != nil {
			return nil, err
		}
		l, err = net.Listen(a.Network, a.Addr)
	}
	if err != nil {
		return nil, explainListen(a, err)
	}
	ul := l.(*net.UnixListener)
	ul.SetUnlinkOnClose(false)
	made, err := os.Lstat(a.Addr)
	if err != nil {
		ul.Close()
		return nil, explainListen(a, err)
	}
	// Who may log in is the upstream's to say, as on the servers' own sockets; the
	// folder's rights can keep users away.
	if err := os.Chmod(a.Addr, 0o777); err != nil {
		ul.Close()
		return nil, explainListen(a, err)
	}
	return &unixListener{UnixListener: ul, path: a.Addr, made: made}, nil
}

// removeStale removes the socket file that a program left behind, once sure
// that nobody listens on it.
func removeStale(a Address) error {
	info, err := os.Lstat(a.Addr)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // its owner has just removed it
	case err != nil:
		return explainListen(a, err)
	case info.Mode().Type() != fs.ModeSocket:
		return &ListenError{Listen: a, Cause: "the file exists and is no socket", Next: "move it away or choose another path"}
	}
	conn, err := net.DialTimeout("unix", a.Addr, time.Second)
	switch {
	case err == nil:
		conn.Close()
		return &ListenError{Listen: a, Cause: "another program answers on the socket", Next: "stop it or choose another path"}
	case errors.Is(err, syscall.ECONNREFUSED):
		if err := os.Remove(a.Addr); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return explainListen(a, err)
		}
		return nil
	}
	return &ListenError{Listen: a, Cause: "the socket exists and may be in use (" + reason(err) + ")", Next: "stop the program that owns it or choose another path", Err: err}
}

// explainListen puts the system's refusal to listen into words.
func explainListen(a Address, err error) error {
	e := &ListenError{Listen: a, Cause: reason(err), Next: "choose another address", Err: err}
	host, _, _ := net.SplitHostPort(a.Addr)
	var dns *net.DNSError
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		e.Cause, e.Next = "the port is in use", "stop the program that listens there or choose another port"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		e.Cause = fmt.Sprintf("no interface of this machine has the address %s", host)
		e.Next = "use an address of this machine, 127.0.0.1 for local clients only, or 0.0.0.0 for all interfaces"
	case errors.As(err, &dns):
		e.Cause = fmt.Sprintf("the host name %q is not known", host)
		e.Next = "use an address of this machine, such as 127.0.0.1"
	case errors.Is(err, fs.ErrPermission) && a.Network == "tcp":
		e.Cause, e.Next = "this user may not listen there", "choose a port from 1024 up"
	case errors.Is(err, fs.ErrPermission):
		e.Cause, e.Next = "this user may not create the socket file", "choose a folder that it may write to"
	case errors.Is(err, fs.ErrNotExist):
		e.Cause, e.Next = "its folder does not exist", "create the folder or choose another path"
	case errors.Is(err, syscall.EINVAL) && a.Network == "unix" && len(a.Addr) > 100:
		e.Cause, e.Next = "the path is too long for a unix socket", "choose a path of at most 100 bytes"
	}
	return e
}

// reason is the innermost message of err, without the addresses and operations
// that the net package puts around it.
func reason(err error) string {
	var number syscall.Errno
	if errors.As(err, &number) {
		return number.Error()
	}
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err.Error()
	}
	return err.Error()
}

// unixListener removes its socket file when closed, unless the file has
// become another listener's by then.
type unixListener struct {
	*net.UnixListener
	path string
	made os.FileInfo
}

// Close stops listening and removes the socket file.
func (l *unixListener) Close() error {
	if now, err := os.Lstat(l.path); err == nil && os.SameFile(now, l.made) {
		os.Remove(l.path)
	}
	return l.UnixListener.Close()
}

// Longest and shortest wait after an accept that failed for want of something
// that may come back, such as file descriptors.
const (
	minBackOff = 5 * time.Millisecond
	maxBackOff = time.Second
)

// passing reports an accept error that may pass: the listener still stands.
func passing(err error) bool {
	for _, e := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED, syscall.EPERM, syscall.EPROTO} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// pause waits for d or until ctx is done.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
