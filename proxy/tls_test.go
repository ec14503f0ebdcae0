package proxy

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
)

const day = 24 * time.Hour

// pool reads an authority's certificate.
func pool(t *testing.T, file string) *x509.CertPool {
	t.Helper()
	p, err := readAuthorities(file)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// pair runs both sides of a handshake.
func pair(t *testing.T, listen *ListenTLS, reach func(net.Conn) (*tls.Conn, error)) (seen *x509.Certificate, serverErr, clientErr error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	done := make(chan error, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			done <- err
			return
		}
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(10 * time.Second))
		c, _, err := listen.Handshake(t.Context(), conn, "test")
		if err == nil {
			_, err = io.Copy(c, io.LimitReader(c, 2))
		}
		done <- err
	}()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	c, err := reach(conn)
	if err == nil {
		seen = c.ConnectionState().PeerCertificates[0]
		if _, err = c.Write([]byte("hi")); err == nil {
			var b [2]byte
			_, err = io.ReadFull(c, b[:]) // where a refusal of the client's certificate arrives
		}
	}
	conn.Close()
	return seen, <-done, err
}

func TestTLSFiles(t *testing.T) {
	a := dbtest.NewAuthority(t)
	cert, key := a.Issue(2*day, "localhost")
	_, other := a.Issue(2*day, "localhost")
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	der := file("der", "\x30\x82")
	locked := file("locked", "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n")
	broken := file("broken", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
	for want, files := range map[string]ListenTLSFiles{
		"the certificate " + dir + "/none does not exist":                      {dir + "/none", key, ""},
		"the private key " + dir + "/none does not exist":                      {cert, dir + "/none", ""},
		"the certificate " + dir + " cannot be read: is a directory":           {dir, key, ""},
		"the certificate " + der + " has no PEM block":                         {der, key, ""},
		"the certificate " + key + " has no certificate in it":                 {key, key, ""},
		"do not go together: private key does not match public key":            {cert, other, ""},
		"the private key " + locked + " is encrypted":                          {cert, locked, ""},
		"holds a certificate that cannot be read":                              {broken, key, ""},
		"the file of authorities " + dir + "/none does not exist":              {cert, key, dir + "/none"},
		"the file of authorities " + key + " has no certificate in it":         {cert, key, key},
		"the certificate " + cert + " and the private key " + cert + " do not": {cert, cert, ""},
	} {
		if _, err := NewListenTLS(ListenTLSAllow, files, nil); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "; ") {
			t.Errorf("%+v: %v, want %q", files, err, want)
		}
	}
	if _, err := NewUpstreamTLS(UpstreamTLSVerifyFull, false, UpstreamTLSFiles{CA: der}, nil); err == nil || !strings.Contains(err.Error(), "has no PEM block") {
		t.Errorf("upstream: %v", err)
	}
	off, err := NewListenTLS(ListenTLSOff, ListenTLSFiles{}, nil)
	if err != nil || off.Mode() != ListenTLSOff || off.Reload() != nil {
		t.Errorf("off: %v, %v", off, err)
	}
	none, err := NewUpstreamTLS(UpstreamTLSDisable, false, UpstreamTLSFiles{}, nil)
	if err != nil || none.Mode() != UpstreamTLSDisable || none.Direct() || none.Reload() != nil {
		t.Errorf("disabled: %v, %v", none, err)
	}
}

// TestUpstreamTLS reaches servers with good and bad certificates in each mode.
func TestUpstreamTLS(t *testing.T) {
	ours, theirs := dbtest.NewAuthority(t), dbtest.NewAuthority(t)
	at := Address{Network: "tcp", Addr: "127.0.0.1:1"}
	for _, c := range []struct {
		name     string
		signer   *dbtest.Authority
		valid    time.Duration
		host     string
		ca, full string // what the modes say, "" for nothing
	}{
		{"good", ours, 3 * day, "127.0.0.1", "", ""},
		{"another host", ours, 3 * day, "db.example", "", "its certificate is not for 127.0.0.1: "},
		{"expired", ours, day / 2, "127.0.0.1", "its certificate is not valid now: ", "its certificate is not valid now: "},
		{"another authority", theirs, 3 * day, "127.0.0.1", "no authority that verify-ca trusts has signed its certificate", "no authority that verify-full trusts has signed its certificate"},
	} {
		cert, key := c.signer.Issue(c.valid, c.host)
		listen, err := NewListenTLS(ListenTLSRequire, ListenTLSFiles{Certificate: cert, Key: key}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for mode, want := range map[UpstreamTLSMode]string{UpstreamTLSPrefer: "", UpstreamTLSRequire: "", UpstreamTLSVerifyCA: c.ca, UpstreamTLSVerifyFull: c.full} {
			files := UpstreamTLSFiles{}
			if mode == UpstreamTLSVerifyCA || mode == UpstreamTLSVerifyFull {
				files.CA = ours.CA
			}
			u, err := NewUpstreamTLS(mode, false, files, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = pair(t, listen, func(conn net.Conn) (*tls.Conn, error) { return u.Handshake(t.Context(), conn, at, "test") })
			failed := (*HandshakeError)(nil)
			switch {
			case want == "" && err != nil:
				t.Errorf("%s, %s: %v", c.name, mode, err)
			case want != "" && (!errors.As(err, &failed) || !strings.Contains(err.Error(), "the TLS handshake with the upstream at 127.0.0.1:1 failed: "+want)):
				t.Errorf("%s, %s: %v", c.name, mode, err)
			}
		}
	}
}

// TestClientCertificates asks clients for one.
func TestClientCertificates(t *testing.T) {
	ours, theirs := dbtest.NewAuthority(t), dbtest.NewAuthority(t)
	cert, key := ours.Issue(3*day, "127.0.0.1")
	listen, err := NewListenTLS(ListenTLSRequire, ListenTLSFiles{Certificate: cert, Key: key, ClientCA: ours.CA}, nil)
	if err != nil {
		t.Fatal(err)
	}
	good, goodKey := ours.Issue(3*day, "client")
	bad, badKey := theirs.Issue(3*day, "client")
	for _, c := range []struct {
		name, cert, key      string
		serverSays, upstream string
	}{
		{"good", good, goodKey, "", ""},
		{"none", "", "", "client didn't provide a certificate", "certificate required"},
		{"another authority's", bad, badKey, "the client's certificate is not accepted", "unknown certificate authority"},
	} {
		u, err := NewUpstreamTLS(UpstreamTLSVerifyFull, false, UpstreamTLSFiles{CA: ours.CA, Certificate: c.cert, Key: c.key}, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, server, client := pair(t, listen, func(conn net.Conn) (*tls.Conn, error) {
			return u.Handshake(t.Context(), conn, Address{Network: "tcp", Addr: "127.0.0.1:1"})
		})
		if c.serverSays == "" {
			if server != nil || client != nil {
				t.Errorf("%s: %v, %v", c.name, server, client)
			}
			continue
		}
		if server == nil || !strings.Contains(server.Error(), c.serverSays) || client == nil || !strings.Contains(client.Error(), c.upstream) {
			t.Errorf("%s: %v, %v", c.name, server, client)
		}
	}
}

// TestTLSReload replaces the files under a listener.
func TestTLSReload(t *testing.T) {
	a := dbtest.NewAuthority(t)
	dir := t.TempDir()
	inUse := ListenTLSFiles{Certificate: filepath.Join(dir, "c"), Key: filepath.Join(dir, "k")}
	replace := func(cert, key string) {
		t.Helper()
		for from, to := range map[string]string{cert: inUse.Certificate, key: inUse.Key} {
			text, err := os.ReadFile(from)
			if err == nil {
				err = os.WriteFile(to+".new", text, 0o600)
			}
			if err == nil {
				err = os.Rename(to+".new", to)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	replace(a.Issue(3*day, "one"))
	begun := time.Now()
	var log bytes.Buffer
	listen, err := NewListenTLS(ListenTLSAllow, inUse, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	shown := func() string {
		t.Helper()
		seen, _, err := pair(t, listen, func(conn net.Conn) (*tls.Conn, error) {
			c := tls.Client(conn, &tls.Config{RootCAs: pool(t, a.CA), InsecureSkipVerify: true})
			return c, c.HandshakeContext(context.Background())
		})
		if err != nil {
			t.Fatal(err)
		}
		return seen.Subject.CommonName
	}
	want := func(name string) {
		t.Helper()
		if got := shown(); got != name {
			t.Errorf("the certificate is that of %s, want %s; log: %s", got, name, log.String())
		}
	}
	want("one")
	replace(a.Issue(3*day, "two"))
	if got := shown(); got != "one" && time.Since(begun) < filesFresh {
		t.Errorf("the files were looked at for a session that came at once: %s", got)
	}
	time.Sleep(filesFresh)
	want("two")
	// A key that does not belong to it: the old one stays, and one line says so.
	three, _ := a.Issue(3*day, "three")
	_, four := a.Issue(3*day, "four")
	replace(three, four)
	for range 2 {
		time.Sleep(filesFresh)
		want("two")
	}
	if n := strings.Count(log.String(), "cannot use the changed TLS files"); n != 1 {
		t.Errorf("%d warnings: %s", n, log.String())
	}
	if err := listen.Reload(); err == nil {
		t.Error("no error of bad files")
	}
	replace(a.Issue(3*day, "five"))
	if err := listen.Reload(); err != nil {
		t.Error(err)
	}
	want("five")
}
