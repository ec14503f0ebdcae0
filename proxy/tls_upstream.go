package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"
)

// UpstreamTLSMode says whether TLS is spoken to the upstream, and what is checked.
// The words are libpq's (https://www.postgresql.org/docs/current/libpq-ssl.html).
type UpstreamTLSMode string

const (
	// UpstreamTLSDisable: no TLS.
	UpstreamTLSDisable UpstreamTLSMode = "disable"
	// UpstreamTLSPrefer: TLS where the server says that it has it. A handshake
	// that fails is not followed by a try without.
	UpstreamTLSPrefer UpstreamTLSMode = "prefer"
	// UpstreamTLSRequire: TLS, with whoever answers.
	UpstreamTLSRequire UpstreamTLSMode = "require"
	// UpstreamTLSVerifyCA: TLS, and an authority has signed the certificate.
	UpstreamTLSVerifyCA UpstreamTLSMode = "verify-ca"
	// UpstreamTLSVerifyFull: the same, and the certificate is for the host name
	// or IP address in the route.
	UpstreamTLSVerifyFull UpstreamTLSMode = "verify-full"
)

// UpstreamTLS is TLS with an upstream that is reached by TCP. Its files are read
// again when they change. A nil UpstreamTLS is disabled. It is safe for
// concurrent use.
type UpstreamTLS struct {
	mode    UpstreamTLSMode
	direct  bool
	current *fromFiles[*tls.Config]
}

// UpstreamTLSFiles are the PEM files of an UpstreamTLS.
type UpstreamTLSFiles struct {
	// CA holds the authorities that verify-ca and verify-full trust. If it is
	// empty, verify-full trusts the system's.
	CA string
	// Certificate and Key are shown to a server that asks for them, none if they
	// are empty.
	Certificate, Key string
}

// NewUpstreamTLS reads the files; the error names the one that cannot be used.
// direct begins with TLS, without asking the server in its own protocol first.
// log is told of what changed files hold, and may be nil.
func NewUpstreamTLS(mode UpstreamTLSMode, direct bool, files UpstreamTLSFiles, log *slog.Logger) (*UpstreamTLS, error) {
	if mode == UpstreamTLSDisable {
		return nil, nil
	}
	build := func() (*tls.Config, error) {
		c := &tls.Config{MinVersion: tls.VersionTLS12}
		if files.Certificate != "" {
			pair, err := readCertificate(files.Certificate, files.Key)
			if err != nil {
				return nil, err
			}
			// The server learns of it whatever authorities it names, and refuses
			// it itself: its log says why.
			c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
		}
		if files.CA != "" {
			var err error
			if c.RootCAs, err = readAuthorities(files.CA); err != nil {
				return nil, err
			}
		}
		// verify-full is crypto/tls's own way.
		c.InsecureSkipVerify = mode != UpstreamTLSVerifyFull
		if mode == UpstreamTLSVerifyCA {
			c.VerifyConnection = func(s tls.ConnectionState) error { return verifyChain(s, c.RootCAs) }
		}
		return c, nil
	}
	current, err := newFromFiles(log, build, files.CA, files.Certificate, files.Key)
	if err != nil {
		return nil, err
	}
	return &UpstreamTLS{mode: mode, direct: direct, current: current}, nil
}

// verifyChain checks that an authority in roots has signed the server's
// certificate, whatever host it is for.
func verifyChain(s tls.ConnectionState, roots *x509.CertPool) error {
	between := x509.NewCertPool()
	for _, c := range s.PeerCertificates[1:] {
		between.AddCert(c)
	}
	_, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: between, CurrentTime: time.Now()})
	return err
}

// Mode returns the mode.
func (u *UpstreamTLS) Mode() UpstreamTLSMode {
	if u == nil {
		return UpstreamTLSDisable
	}
	return u.mode
}

// Direct reports whether a session begins with TLS.
func (u *UpstreamTLS) Direct() bool { return u != nil && u.direct }

// Reload reads the files again. If they cannot be used, those before stay in use.
func (u *UpstreamTLS) Reload() error {
	if u == nil {
		return nil
	}
	return u.current.reload()
}

// Handshake does the client's part of TLS with the upstream at the other end of
// conn, whose deadlines apply. protocols are the names offered for ALPN. The error
// is a *HandshakeError.
func (u *UpstreamTLS) Handshake(ctx context.Context, conn net.Conn, at Address, protocols ...string) (*tls.Conn, error) {
	config := u.current.get().Clone()
	config.ServerName = at.Host()
	config.NextProtos = protocols
	c := tls.Client(conn, config)
	if err := c.HandshakeContext(ctx); err != nil {
		return nil, explainUpstream(err, at, u.mode)
	}
	return c, nil
}

// upstreamWords are the words for what an upstream does.
var upstreamWords = handshakeWords{
	silent:  "it did not go on with it in time; check that it is alive",
	closed:  "it closed the connection; its log may say more",
	refused: "it refused: %s; it may ask for a certificate of rowcap's, or for one of another authority",
	foreign: "what it sent is no TLS; check that the route names a server that speaks it",
}

// explainUpstream puts the failure of a handshake with an upstream into words.
func explainUpstream(err error, at Address, mode UpstreamTLSMode) error {
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var host x509.HostnameError
	cause := upstreamWords.of(err)
	switch {
	case errors.As(err, &host):
		cause = fmt.Sprintf("its certificate is not for %s: %v; name the upstream as its certificate does, or use verify-ca", at.Host(), host)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		cause = fmt.Sprintf("its certificate is not valid now: %v; renew it", invalid)
	case errors.As(err, &unknown):
		cause = fmt.Sprintf("no authority that %s trusts has signed its certificate: %v; give the authority's file", mode, unknown)
	case errors.As(err, &invalid):
		cause = fmt.Sprintf("its certificate is not accepted: %v", invalid)
	}
	return &HandshakeError{With: "the upstream at " + at.String(), Cause: cause, Err: err}
}
