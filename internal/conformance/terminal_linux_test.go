package conformance

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// terminal runs a program in a terminal of its own, types the input and returns what
// the terminal shows.
func terminal(t *testing.T, s session, input, name string, args ...string) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		dbtest.Missing(t, "there are no terminals here: "+err.Error())
	}
	defer master.Close()
	var number, locked uint32
	size := [4]uint16{50, 1000}
	for request, value := range map[uintptr]unsafe.Pointer{syscall.TIOCGPTN: unsafe.Pointer(&number), syscall.TIOCSPTLCK: unsafe.Pointer(&locked),
		syscall.TIOCSWINSZ: unsafe.Pointer(&size)} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), request, uintptr(value)); errno != 0 {
			t.Fatal(errno)
		}
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, args...)
	cmd.Env = environment(append(s.variables(), "TERM=dumb", "MYSQL_HISTFILE=/dev/null")...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err = cmd.Start()
	slave.Close()
	if err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer late.Stop()
	typed := make(chan error, 1)
	go func() {
		_, err := io.Copy(master, strings.NewReader(input))
		typed <- err
	}()
	shown, err := io.ReadAll(master)
	if err != nil && !errors.Is(err, syscall.EIO) { // the program's end
		t.Error(err)
	}
	if err := errors.Join(cmd.Wait(), <-typed); err != nil {
		t.Fatalf("%s in a terminal: %v\n%s", name, err, shown)
	}
	return string(shown)
}
