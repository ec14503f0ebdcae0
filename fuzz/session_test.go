package fuzz

import (
	"testing"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/rewrite"
)

// reader is a dialect with all that the targets ask of one.
type reader interface {
	rewrite.Shaper
	rewrite.Tokenizer
}

// parsing is a dialect that tells no shapes, so that every text is parsed.
type parsing struct{ rewrite.Dialect }

// With is as Dialect says; a session's settings do not bring shapes back.
func (p parsing) With(setting, value string) rewrite.Dialect {
	return parsing{p.Dialect.With(setting, value)}
}

// sessionOf returns a dialect in one of several kinds of sessions.
func sessionOf(t testing.TB, name string, bits uint8) reader {
	t.Helper()
	d, err := dialect.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	with := func(setting, value string) { d = d.With(setting, value) }
	if name == "postgres" {
		if bits&1 != 0 {
			with("standard_conforming_strings", "off")
		}
		if encoding := []string{"", "LATIN1", "SJIS", "UTF8"}[bits>>1&3]; encoding != "" {
			with("client_encoding", encoding)
		}
		return d.(reader)
	}
	if mode := []string{"", "ANSI", "NO_BACKSLASH_ESCAPES", "ANSI_QUOTES,NO_BACKSLASH_ESCAPES"}[bits&3]; mode != "" {
		with("sql_mode", mode)
	}
	if charset := []string{"", "latin1", "utf8mb3", "gbk"}[bits>>2&3]; charset != "" {
		with("character_set_client", charset)
	}
	versions := []string{"", "5.7.44", "8.0.36", "9.7.0"}
	if name == "mariadb" {
		versions = []string{"", "10.5.29-MariaDB", "11.4.5-MariaDB", "12.0.2-MariaDB"}
	}
	if version := versions[bits>>4&3]; version != "" {
		with("server_version", version)
	}
	return d.(reader)
}

// policyOf returns one of several policies, and what a request asks for beside it.
func policyOf(bits uint8) (p rewrite.Policy, ask rewrite.Ask) {
	p = rewrite.DefaultPolicy()
	switch bits & 3 {
	case 1:
		p.DefaultLimit, p.MaxLimit = 7, 7
	case 2:
		p.DefaultLimit, p.MaxLimit = 0, 3
	case 3:
		p.DefaultLimit, p.MaxLimit = 1, 0
	}
	if bits&4 != 0 {
		p.Explicit = rewrite.ExplicitTrust
	}
	if bits&8 != 0 {
		p.Catalogs = rewrite.CatalogsCap
	}
	if bits&16 != 0 {
		p.Overflow = rewrite.OverflowError
	}
	switch bits >> 5 {
	case 1:
		p.PushDown = false
	case 2:
		p.Unparsed, p.CopyOut = rewrite.UnparsedRefuse, rewrite.CopyCap
	case 3:
		ask.Limit = 2
	case 4:
		ask.Limit = 5000
	case 5:
		bound := uint64(4)
		ask.Session = &bound
	case 6:
		ask.Default = 9
	}
	return p, ask
}
