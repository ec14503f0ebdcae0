package mysqlwire

import (
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
)

// lostError says that a leg's connection ended or broke.
type lostError struct {
	// who is client or upstream.
	who string
	// partly reports that a packet was cut short.
	partly bool
	err    error
}

func (e *lostError) Error() string {
	if errors.Is(e.err, io.EOF) {
		return "the " + e.who + " closed the connection"
	}
	return fmt.Sprintf("the connection to the %s broke: %v", e.who, e.err)
}

func (e *lostError) Unwrap() error { return e.err }

// closed reports that the other end closed the connection, in whatever way.
func (e *lostError) closed() bool {
	return errors.Is(e.err, io.EOF) || errors.Is(e.err, net.ErrClosed) ||
		errors.Is(e.err, syscall.ECONNRESET) || errors.Is(e.err, syscall.EPIPE)
}
