package proxy

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// filesFresh is how long files are taken to be unchanged after a look at them.
const filesFresh = time.Second

// stamp tells one content of a file from another.
type stamp struct {
	changed time.Time
	size    int64
}

// fromFiles is a value that is made of files, and made anew when they change.
type fromFiles[T any] struct {
	files []string
	build func() (T, error)
	log   *slog.Logger

	mu sync.Mutex
	// value was built of the files as they were at tried, or before where they
	// could not be read since.
	value  T
	tried  []stamp
	looked time.Time
}

// newFromFiles builds the first value. Names that are empty stand for no file.
func newFromFiles[T any](log *slog.Logger, build func() (T, error), files ...string) (*fromFiles[T], error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	f := &fromFiles[T]{build: build, log: log}
	f.files = slices.DeleteFunc(files, func(name string) bool { return name == "" })
	f.tried, f.looked = f.stamps(), time.Now()
	var err error
	f.value, err = build()
	return f, err
}

func (f *fromFiles[T]) stamps() []stamp {
	stamps := make([]stamp, len(f.files))
	for i, name := range f.files {
		if info, err := os.Stat(name); err == nil {
			stamps[i] = stamp{info.ModTime(), info.Size()}
		}
	}
	return stamps
}

// get returns the value. Where changed files make none, it stays as it was, which
// is logged once for each change.
func (f *fromFiles[T]) get() T {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.looked) < filesFresh {
		return f.value
	}
	f.looked = time.Now()
	if now := f.stamps(); !slices.Equal(now, f.tried) {
		f.renew(now)
	}
	return f.value
}

// reload builds the value anew, whether or not the files have changed.
func (f *fromFiles[T]) reload() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.renew(f.stamps())
}

// renew builds a value of the files as they are now. mu is held.
func (f *fromFiles[T]) renew(now []stamp) error {
	f.tried = now
	value, err := f.build()
	if err != nil {
		f.log.Warn("cannot use the changed TLS files; the old ones stay in use", "error", err.Error())
		return err
	}
	f.value = value
	f.log.Info("TLS files were read again", "files", strings.Join(f.files, ", "))
	return nil
}

// readPEM reads a file that is to hold what.
func readPEM(name, what string) ([]byte, error) {
	text, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the %s %s does not exist; give the path of a PEM file", what, name)
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("the %s %s cannot be read by this user; change its rights or its owner", what, name)
	case err != nil:
		return nil, fmt.Errorf("the %s %s cannot be read: %s; give the path of a PEM file", what, name, fileReason(err))
	}
	if block, _ := pem.Decode(text); block == nil {
		return nil, fmt.Errorf("the %s %s has no PEM block (-----BEGIN …); convert it to PEM", what, name)
	}
	return text, nil
}

func fileReason(err error) string {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// readCertificate reads a certificate with its chain, and its private key.
func readCertificate(certificate, key string) (tls.Certificate, error) {
	chain, err := readPEM(certificate, "certificate")
	if err != nil {
		return tls.Certificate{}, err
	}
	private, err := readPEM(key, "private key")
	if err != nil {
		return tls.Certificate{}, err
	}
	if _, err := readPool(certificate, "certificate", chain); err != nil {
		return tls.Certificate{}, err
	}
	for rest := private; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type == "ENCRYPTED PRIVATE KEY" || strings.Contains(block.Headers["Proc-Type"], "ENCRYPTED") {
			return tls.Certificate{}, fmt.Errorf("the private key %s is encrypted, and rowcap asks for no passphrase; decrypt it, as with openssl pkey", key)
		}
	}
	pair, err := tls.X509KeyPair(chain, private)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("the certificate %s and the private key %s do not go together: %s; give the key that the certificate was made for",
			certificate, key, strings.TrimPrefix(err.Error(), "tls: "))
	}
	return pair, nil
}

// readAuthorities reads a file of authorities' certificates.
func readAuthorities(name string) (*x509.CertPool, error) {
	text, err := readPEM(name, "file of authorities")
	if err != nil {
		return nil, err
	}
	return readPool(name, "file of authorities", text)
}

// readPool reads the certificates in text, of which there must be one at least.
func readPool(name, what string, text []byte) (*x509.CertPool, error) {
	pool, found := x509.NewCertPool(), 0
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("the %s %s holds a certificate that cannot be read: %s; make it anew", what, name, strings.TrimPrefix(err.Error(), "x509: "))
		}
		pool.AddCert(c)
		found++
	}
	if found == 0 {
		return nil, fmt.Errorf("the %s %s has no certificate in it; give a PEM file with -----BEGIN CERTIFICATE-----", what, name)
	}
	return pool, nil
}
