package pgwire

import (
	"context"
	"crypto/tls"
	"fmt"
)

// PassesBinding asks the upstream for its certificate, and reports whether it is the one
// that clients are shown: then a login that is bound to the client's TLS connection goes
// through, and where the upstream has no TLS, none is offered. The error says why it
// could not be asked.
func (d *Door) PassesBinding(ctx context.Context) (bool, error) {
	server, at, err := d.reach(ctx)
	if err != nil {
		return false, fmt.Errorf("ask for the upstream's certificate: %w", err)
	}
	defer server.Close()
	c, ok := server.(*tls.Conn)
	if !ok {
		return true, nil
	}
	shown := c.ConnectionState().PeerCertificates
	if len(shown) == 0 {
		return false, fmt.Errorf("the upstream at %s showed no certificate", at)
	}
	return string(shown[0].Raw) == string(d.ListenTLS.Certificate()), nil
}
