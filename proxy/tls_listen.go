package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
)

// ListenTLSMode says whether the clients of a listener speak TLS.
type ListenTLSMode string

const (
	// ListenTLSOff: they do not.
	ListenTLSOff ListenTLSMode = "off"
	// ListenTLSAllow: those that ask for it do.
	ListenTLSAllow ListenTLSMode = "allow"
	// ListenTLSRequire: all of them do, and others are turned away.
	ListenTLSRequire ListenTLSMode = "require"
)

// ListenTLS is TLS with the clients of a listener. Its files are read again when
// they change: a new session gets what they hold then. A nil ListenTLS is off. It
// is safe for concurrent use.
type ListenTLS struct {
	mode    ListenTLSMode
	current *fromFiles[listenTLS]
}

// ListenTLSFiles are the PEM files of a ListenTLS.
type ListenTLSFiles struct {
	// Certificate holds the certificate shown to clients, then its chain.
	Certificate string
	// Key holds the certificate's private key, not encrypted.
	Key string
	// ClientCA holds the authorities one of which must have signed a client's
	// certificate. If it is empty, clients are asked for none.
	ClientCA string
}

// listenTLS is what was made of the files.
type listenTLS struct {
	config *tls.Config
	leaf   []byte
}

// NewListenTLS reads the files; the error names the one that cannot be used. log
// is told of what changed files hold, and may be nil.
func NewListenTLS(mode ListenTLSMode, files ListenTLSFiles, log *slog.Logger) (*ListenTLS, error) {
	if mode == ListenTLSOff {
		return nil, nil
	}
	build := func() (l listenTLS, err error) {
		pair, err := readCertificate(files.Certificate, files.Key)
		if err != nil {
			return l, err
		}
		// What another handshake left is not taken up again, as databases have it:
		// each session shows its certificate.
		l.config = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, SessionTicketsDisabled: true}
		l.leaf = pair.Certificate[0]
		if files.ClientCA != "" {
			l.config.ClientAuth = tls.RequireAndVerifyClientCert
			l.config.ClientCAs, err = readAuthorities(files.ClientCA)
		}
		return l, err
	}
	current, err := newFromFiles(log, build, files.Certificate, files.Key, files.ClientCA)
	if err != nil {
		return nil, err
	}
	return &ListenTLS{mode: mode, current: current}, nil
}

// Mode returns the mode.
func (l *ListenTLS) Mode() ListenTLSMode {
	if l == nil {
		return ListenTLSOff
	}
	return l.mode
}

// Certificate returns what clients are shown now, in DER; nil if there is none.
func (l *ListenTLS) Certificate() []byte {
	if l == nil {
		return nil
	}
	return l.current.get().leaf
}

// Reload reads the files again. If they cannot be used, those before stay in use.
func (l *ListenTLS) Reload() error {
	if l == nil {
		return nil
	}
	return l.current.reload()
}

// Handshake does the server's part of TLS with the client at the other end of
// conn, whose deadlines apply. protocols are the names that ALPN may settle on;
// a client that names none is taken. certificate is what was shown to the client,
// in DER. The error says what failed and what may be done.
func (l *ListenTLS) Handshake(ctx context.Context, conn net.Conn, protocols ...string) (c *tls.Conn, certificate []byte, err error) {
	current := l.current.get()
	config := current.config
	if len(protocols) > 0 {
		config = config.Clone()
		config.NextProtos = protocols
	}
	c = tls.Server(conn, config)
	if err := c.HandshakeContext(ctx); err != nil {
		return nil, nil, explainClient(err)
	}
	return c, current.leaf, nil
}

// clientWords are the words for what a client does.
var clientWords = handshakeWords{
	silent:  "the client did not go on with it in time",
	closed:  "the client closed the connection; it may not trust the certificate: see its own message",
	refused: "the client refused: %s; check the client's authorities and the listener's certificate",
	foreign: "what the client sent is no TLS",
}

// explainClient puts the failure of a handshake with a client into words.
func explainClient(err error) error {
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	cause := clientWords.of(err)
	if errors.As(err, &unknown) || errors.As(err, &invalid) {
		cause = "the client's certificate is not accepted: " + cause + "; give the client one that the authorities of this listener have signed"
	}
	return &HandshakeError{With: "the client", Cause: cause, Err: err}
}
