package mcp

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
)

// TLSFiles are PEM files for HTTP over TLS.
type TLSFiles struct {
	// Certificate and Key are the server's own.
	Certificate, Key string
	// ClientCA holds the authorities of clients' certificates; empty for none. A client
	// with such a certificate needs no token.
	ClientCA string
}

// NewTLS reads the files. They are read again for each new connection; if they cannot
// be used any more, those before stay in use and log is told. If tokens are taken too, a
// client may come without a certificate.
func NewTLS(files TLSFiles, tokens bool, log *slog.Logger) (*tls.Config, error) {
	if files.ClientCA == "" && !tokens {
		return nil, errors.New("neither tokens nor clients' certificates would be asked for")
	}
	current, err := files.load(tokens)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	return &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		mu.Lock()
		defer mu.Unlock()
		if next, err := files.load(tokens); err == nil {
			current = next
		} else if log != nil {
			log.Error("the TLS files cannot be used; those before stay in use", "error", err)
		}
		return current, nil
	}}, nil
}

func (f TLSFiles) load(tokens bool) (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(f.Certificate, f.Key)
	if err != nil {
		return nil, fmt.Errorf("the certificate %s with the key %s cannot be used: %w", f.Certificate, f.Key, err)
	}
	// What another handshake left is not taken up again: a client shows its certificate
	// to each connection.
	c := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, SessionTicketsDisabled: true, NextProtos: []string{"http/1.1"}}
	if f.ClientCA == "" {
		return c, nil
	}
	text, err := os.ReadFile(f.ClientCA)
	if err != nil {
		return nil, fmt.Errorf("the authorities of clients cannot be read: %w", err)
	}
	c.ClientCAs = x509.NewCertPool()
	if !c.ClientCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("the file %s holds no certificate of an authority in PEM", f.ClientCA)
	}
	c.ClientAuth = tls.RequireAndVerifyClientCert
	if tokens {
		c.ClientAuth = tls.VerifyClientCertIfGiven
	}
	return c, nil
}

// certified returns who the client is by its certificate, which the handshake has
// verified.
func certified(r *http.Request) (user string, ok bool) {
	if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 {
		return "", false
	}
	leaf := r.TLS.VerifiedChains[0][0]
	user = "certificate " + leaf.Subject.String()
	for _, name := range leaf.DNSNames {
		user += " DNS:" + name
	}
	for _, uri := range leaf.URIs {
		user += " URI:" + uri.String()
	}
	return user, true
}
