package proxy

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
)

// HandshakeError says why TLS could not be agreed on.
type HandshakeError struct {
	// With is the other side, Cause why and what may be done, in words.
	With, Cause string
	// Err is the error behind it, nil if there is none.
	Err error
}

func (e *HandshakeError) Error() string {
	return fmt.Sprintf("the TLS handshake with %s failed: %s", e.With, e.Cause)
}

func (e *HandshakeError) Unwrap() error { return e.Err }

// handshakeWords say what can come to a handshake from either side. refused has a
// place for the other side's own words.
type handshakeWords struct{ silent, closed, refused, foreign string }

// of says why a handshake failed, in err's own words where it was for another reason.
func (w *handshakeWords) of(err error) string {
	var noTLS tls.RecordHeaderError
	var op *net.OpError
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return w.silent
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return w.closed
	case errors.As(err, &op) && op.Op == "remote error":
		return fmt.Sprintf(w.refused, Reason(err))
	case errors.As(err, &noTLS):
		return w.foreign
	}
	return Reason(err)
}
