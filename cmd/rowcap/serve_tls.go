package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/pgwire"
)

// tlsFlags are the flags of serve for TLS with the clients and with the upstream.
type tlsFlags struct {
	ListenTLS     string `name:"listen-tls" group:"TLS" default:"off" enum:"off,allow,require" help:"TLS with clients that come by TCP: ${enum}. The files below are read again when they change, and on SIGHUP."`
	ListenCert    string `name:"listen-tls-cert" group:"TLS" placeholder:"FILE" help:"The certificate shown to clients, with its chain, in PEM."`
	ListenKey     string `name:"listen-tls-key" group:"TLS" placeholder:"FILE" help:"Its private key, not encrypted."`
	ListenCA      string `name:"listen-tls-client-ca" group:"TLS" placeholder:"FILE" help:"Take only clients with a certificate that one of these authorities has signed. Needs --listen-tls=require."`
	UpstreamTLS   string `name:"upstream-tls" group:"TLS" default:"disable" enum:"disable,prefer,require,verify-ca,verify-full" help:"TLS with servers that are reached by TCP, in libpq's words: ${enum}. With prefer, a server that has no TLS gets none; a handshake that fails ends the session."`
	UpstreamCA    string `name:"upstream-tls-ca" group:"TLS" placeholder:"FILE" help:"The authorities that verify-ca and verify-full trust, in PEM. Without it verify-full trusts the system's."`
	UpstreamCert  string `name:"upstream-tls-cert" group:"TLS" placeholder:"FILE" help:"The certificate shown to a server that asks for one, rowcap's own for all clients."`
	UpstreamKey   string `name:"upstream-tls-key" group:"TLS" placeholder:"FILE" help:"Its private key, not encrypted."`
	UpstreamStart bool   `name:"upstream-tls-direct" group:"TLS" help:"Begin with TLS at once (PostgreSQL 17 and later only; libpq's sslnegotiation=direct). Needs require or a verify mode."`
}

// validate reports flags that have no meaning, or none together.
func (f tlsFlags) validate() error {
	listening, reaching := f.ListenTLS != string(proxy.ListenTLSOff), f.UpstreamTLS != string(proxy.UpstreamTLSDisable)
	verifies := f.UpstreamTLS == string(proxy.UpstreamTLSVerifyCA) || f.UpstreamTLS == string(proxy.UpstreamTLSVerifyFull)
	switch {
	case listening && (f.ListenCert == "" || f.ListenKey == ""):
		return fmt.Errorf("--listen-tls=%s needs --listen-tls-cert and --listen-tls-key", f.ListenTLS)
	case !listening && (f.ListenCert != "" || f.ListenKey != "" || f.ListenCA != ""):
		return errors.New("the files for --listen-tls would not be used: give --listen-tls=allow or require too")
	case f.ListenCA != "" && f.ListenTLS != string(proxy.ListenTLSRequire):
		return errors.New("--listen-tls-client-ca needs --listen-tls=require: a client without TLS shows no certificate")
	case !reaching && (f.UpstreamCA != "" || f.UpstreamCert != "" || f.UpstreamKey != "" || f.UpstreamStart):
		return errors.New("the flags for --upstream-tls would not be used: give --upstream-tls too, as in --upstream-tls=verify-full")
	case f.UpstreamCA != "" && !verifies:
		return fmt.Errorf("--upstream-tls-ca is not used with --upstream-tls=%s, which checks no certificate: use verify-ca or verify-full", f.UpstreamTLS)
	case f.UpstreamTLS == string(proxy.UpstreamTLSVerifyCA) && f.UpstreamCA == "":
		return errors.New("--upstream-tls=verify-ca needs --upstream-tls-ca: any authority of the system's would do for any host")
	case (f.UpstreamCert == "") != (f.UpstreamKey == ""):
		return errors.New("--upstream-tls-cert and --upstream-tls-key go together: give both")
	case f.UpstreamStart && f.UpstreamTLS == string(proxy.UpstreamTLSPrefer):
		return errors.New("--upstream-tls-direct cannot find out whether the server has TLS: use --upstream-tls=require or a verify mode")
	}
	return nil
}

// tlsSettings are TLS with the clients and with the upstream, each nil for none.
type tlsSettings struct {
	listen   *proxy.ListenTLS
	upstream *proxy.UpstreamTLS
}

// load reads the files.
func (f tlsFlags) load(log *slog.Logger) (s tlsSettings, err error) {
	s.listen, err = proxy.NewListenTLS(proxy.ListenTLSMode(f.ListenTLS),
		proxy.ListenTLSFiles{Certificate: f.ListenCert, Key: f.ListenKey, ClientCA: f.ListenCA}, log)
	if err != nil {
		return s, fmt.Errorf("--listen-tls: %w", err)
	}
	s.upstream, err = proxy.NewUpstreamTLS(proxy.UpstreamTLSMode(f.UpstreamTLS), f.UpstreamStart,
		proxy.UpstreamTLSFiles{CA: f.UpstreamCA, Certificate: f.UpstreamCert, Key: f.UpstreamKey}, log)
	if err != nil {
		return s, fmt.Errorf("--upstream-tls: %w", err)
	}
	return s, nil
}

// reloadOn reads the files again for each value of hangup until ctx is done. What
// comes of it is logged by the settings.
func (s tlsSettings) reloadOn(ctx context.Context, hangup <-chan os.Signal, log *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangup:
		}
		if s.listen == nil && s.upstream == nil {
			log.Info("SIGHUP: there are no TLS files to read again")
		}
		_ = s.listen.Reload()
		_ = s.upstream.Reload()
	}
}

// bindingWarning is said where TLS stands on both sides of a PostgreSQL route: the
// protocol has no way to carry such logins over.
const bindingWarning = "TLS on both sides: clients that bind a SCRAM login to their TLS connection cannot log in (psql, libpq and pgx do so by default); " +
	"connect with channel_binding=disable, or give --listen-tls-cert the server's own certificate and key, or reach the server without TLS, on this machine or by a unix socket"

// warnOfBinding says so in the log, unless the server shows the same certificate.
func warnOfBinding(ctx context.Context, d *pgwire.Door, log *slog.Logger) {
	if passes, err := d.PassesBinding(ctx); ctx.Err() == nil && (err != nil || !passes) {
		log.Warn(bindingWarning)
	}
}

// twoLegs reports whether sessions of the route can have TLS on both sides.
func (s tlsSettings) twoLegs(r proxy.Route) bool {
	if s.listen == nil || s.upstream == nil || r.Listen.Network == "unix" {
		return false
	}
	for _, u := range r.Upstreams {
		if u.Network != "unix" {
			return true
		}
	}
	return false
}
