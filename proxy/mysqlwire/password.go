package mysqlwire

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/x509"
	"encoding/pem"
	"sync"

	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// Two plugins have the client send its password: in the clear where the connection
// is protected, else under an RSA key of the server's, for which it asks first
// (sha2_password.cc, sha256_password.cc). Each side goes by its own connection. Where
// one of a session's two is protected and the other is not, the one side's words are
// put into the other's here.
const (
	pluginCachingSHA2 = "caching_sha2_password"
	pluginSHA256      = "sha256_password"
)

// askAgain is the name of a plugin that no account has: the server answers it by
// asking for the account's own. Clients of sha256_password send the password, or
// their request for the key, with their first packet, before it is known whether
// the account wants either.
const askAgain = "rowcap_ask_again"

// fullLogin is what caching_sha2_password says to a client whose password it has to
// see (perform_full_authentication).
const fullLogin = 4

// step is what the client says next.
type step uint8

const (
	// stepAny is what goes on as it is.
	stepAny step = iota
	// stepPassword is the password, or a request for the key.
	stepPassword
	// stepCipher is the password under rowcap's own key.
	stepCipher
)

// login is a login that is under way. It belongs to whose turn it is.
type login struct {
	plugin   string
	scramble []byte
	step     step
	// password is to be sent under the server's key, for which the server was
	// asked.
	password []byte
	// upSeq is the number of the next packet to the upstream.
	upSeq byte
}

const scrambleSize = 20

// scrambleOf is the plugin's data without the zero byte behind it.
func scrambleOf(data []byte) []byte {
	return append([]byte(nil), data[:min(len(data), scrambleSize)]...)
}

// hear takes in what the server asks the client.
func (l *login) hear(b []byte) {
	l.step = stepAny
	switch b[0] {
	case packet.AuthSwitchHeader, packet.AuthNextFactorHeader:
		// Both have the same shape.
		a, err := packet.DecodeAuthSwitch(append([]byte{packet.AuthSwitchHeader}, b[1:]...))
		if err != nil {
			return
		}
		l.plugin, l.scramble = a.Plugin, scrambleOf(a.Data)
		if l.plugin == pluginSHA256 {
			l.step = stepPassword
		}
	case packet.AuthMoreHeader:
		if l.plugin == pluginCachingSHA2 && len(b) == 2 && b[1] == fullLogin {
			l.step = stepPassword
		}
	}
}

// inClear says of both sides whether they have the plugin's password sent in the
// clear.
func (s *session) inClear(plugin string) (client, server bool) {
	if plugin == pluginSHA256 {
		return s.client.tls, s.up.tls
	}
	return s.client.tls || s.client.unix, s.up.tls || s.up.unix
}

// asksAgain reports that the client's first packet under plugin cannot be what the
// server expects.
func (s *session) asksAgain(plugin string) bool {
	client, server := s.inClear(plugin)
	return plugin == pluginSHA256 && client != server
}

// keyRequest is how a client asks for the key.
func keyRequest(plugin string) byte {
	if plugin == pluginSHA256 {
		return 1
	}
	return 2
}

// said takes what the client says. One of the results is not nil: what to send to the
// upstream, or rowcap's own reply.
func (s *session) said(b []byte) (send, reply []byte, err error) {
	l := &s.login
	now := l.step
	l.step = stepAny
	client, server := s.inClear(l.plugin)
	request := keyRequest(l.plugin)
	asks := len(b) == 1 && b[0] == request
	switch {
	case now == stepCipher:
		send, err = s.door.key.open(b, l.scramble)
		return send, nil, err
	case now != stepPassword, len(b) == 0, len(b) == 1 && b[0] == 0:
	case asks && server:
		text, err := s.door.key.public()
		if err != nil {
			return nil, nil, err
		}
		l.step = stepCipher
		return nil, append([]byte{packet.AuthMoreHeader}, text...), nil
	case !asks && client && !server:
		l.password = append([]byte(nil), b...)
		return []byte{request}, nil, nil
	case !asks && !client && server:
		return nil, nil, &deniedError{code: codeDenied, state: stateDenied,
			text: "Access denied: the client has a copy of the server's public key and sent the password under it, which rowcap cannot open " +
				"for its TLS connection to the server; connect without that copy (server-public-key-path, ServerRSAPublicKeyFile), or to rowcap with TLS"}
	}
	return b, nil, nil
}

// sendUnderKey sends the upstream the client's password under its key. The writer is
// one of its own: that of the leg is the client loop's.
func (s *session) sendUnderKey(text []byte) error {
	password := s.login.password
	s.login.password = nil
	defer clear(password)
	block, _ := pem.Decode(text)
	if block == nil {
		return &packet.MalformedError{Packet: "public key", Why: "it is not PEM"}
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	key, ok := parsed.(*rsa.PublicKey)
	if err != nil || !ok {
		return &packet.MalformedError{Packet: "public key", Why: "it is no RSA key"}
	}
	if len(s.login.scramble) < scrambleSize {
		return &packet.MalformedError{Packet: "auth switch", Why: "its scramble is too short"}
	}
	mix(password, s.login.scramble)
	cipher, err := rsa.EncryptOAEP(sha1.New(), rand.Reader, key, password, nil)
	if err != nil {
		return &deniedError{code: codeDenied, state: stateDenied, cause: err,
			text: "Access denied: the password is too long for the server's key, under which it goes where the server is reached without TLS"}
	}
	w := writer{who: "upstream", conn: s.up.out.conn, seq: s.login.upSeq}
	if err := w.packet(cipher); err != nil {
		return err
	}
	return w.flush()
}

// mix is the exclusive or that both plugins put on a password before it is encrypted,
// and take off again.
func mix(password, scramble []byte) {
	for i := range password {
		password[i] ^= scramble[i%len(scramble)]
	}
}

// ownKey is the key under which clients send their passwords where the upstream wants
// them in the clear. It is made when it is first needed.
type ownKey struct {
	once sync.Once
	key  *rsa.PrivateKey
	text []byte
	err  error
}

// ownKeyBits is the size of the servers' own generated keys.
const ownKeyBits = 2048

func (k *ownKey) make() error {
	k.once.Do(func() {
		if k.key, k.err = rsa.GenerateKey(rand.Reader, ownKeyBits); k.err != nil {
			return
		}
		var der []byte
		if der, k.err = x509.MarshalPKIXPublicKey(&k.key.PublicKey); k.err == nil {
			k.text = pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
		}
	})
	return k.err
}

// public returns the key for clients, in PEM.
func (k *ownKey) public() ([]byte, error) {
	err := k.make()
	return k.text, err
}

// open returns the password that b holds under the key.
func (k *ownKey) open(b, scramble []byte) ([]byte, error) {
	if err := k.make(); err != nil {
		return nil, err
	}
	password, err := rsa.DecryptOAEP(sha1.New(), nil, k.key, b, nil)
	if err != nil || len(scramble) < scrambleSize {
		return nil, &deniedError{code: codeDenied, state: stateDenied, cause: err,
			text: "Access denied: the password did not come under the key that the client was given; connect again, or to rowcap with TLS"}
	}
	mix(password, scramble)
	return password, nil
}
