package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rowcap/rowcap/rewrite"
)

var known = map[string][]Knob{
	"policy": PolicyKnobs(),
	"mcp":    {{Name: "sessions", Kind: Number}, {Name: "http-host", Kind: List}, {Name: "statement-timeout", Kind: Time}, {Name: "execute", Kind: Switch}},
	"lint":   {},
}

func TestMistakesHaveTheirLine(t *testing.T) {
	for text, want := range map[string]string{
		"[policy]\ndefault-limit = 10\nmax-limt = 5":                         `rowcap.toml:3: the key "max-limt" is not known in [policy]: use one of catalogs, copy-out, default-limit`,
		"\n[polcy]\ndefault-limit = 10":                                      `rowcap.toml:2: the section [polcy] is not known: use one of [lint], [mcp], [policy], [queries.NAME], [sources.NAME]`,
		"default-limit = 10":                                                 `rowcap.toml:1: the key "default-limit" stands in no section`,
		"[policy]\ndefault-limit = '10'":                                     `rowcap.toml:2: default-limit: a whole number is needed, and here stands a text`,
		"[policy]\ndefault-limit = -1":                                       `rowcap.toml:2: default-limit: a whole number is needed, and here stands -1`,
		"[policy]\nexplicit = 'maybe'":                                       `rowcap.toml:2: explicit: "maybe" is not known: use one of clamp, trust`,
		"[policy]\npush-down = 1":                                            `rowcap.toml:2: push-down: true or false is needed, and here stands 1`,
		"[policy.deep]\nx = 1":                                               `rowcap.toml:1: the section [policy.deep] is not known`,
		"[mcp]\nstatement-timeout = 30":                                      `rowcap.toml:2: statement-timeout: a time in quotes, as "30s" is needed, and here stands 30`,
		"[mcp]\nhttp-host = ['a', 1]":                                        `rowcap.toml:2: http-host: a list of texts is needed, and 1 is in it`,
		"[mcp]\nhttp-host = 'a'":                                             `rowcap.toml:2: http-host: a list of texts is needed`,
		"[lint]\nrules = 1":                                                  `rowcap.toml:2: the key "rules" is not known: [lint] has none yet`,
		"[mcp]\nsessions = 1\nsessions = 2":                                  `rowcap.toml:3: `,
		"[mcp]\nsessions = ":                                                 `rowcap.toml:2: `,
		"[mcp]\nx = 1979-05-27":                                              `rowcap.toml:2: the key "x" is not known in [mcp]`,
		"[sources]\nurl = 'x'":                                               `rowcap.toml:2: the key "url" stands outside of [sources.NAME]`,
		"[sources.shop]\nurl = 'postgres://h/d'\n\nmasks = ['a']":            `rowcap.toml:4: the key "masks" is not known in [sources.shop]`,
		"[sources.shop]\nmask = ['a']":                                       `rowcap.toml:1: the source "shop" needs a url or an url-env, one of them`,
		"[sources.shop]\nurl = 'x'\nurl-env = 'X'":                           `rowcap.toml:1: the source "shop" needs a url or an url-env, one of them`,
		"[sources.shop]\nurl = 'x'\npassword-env = 'X'\npassword-file = 'y'": `rowcap.toml:1: the source "shop" has both`,
		"[sources.'a b']\nurl = 'x'":                                         `rowcap.toml:1: the source has the name "a b": use at most 60 letters`,
		"[sources.shop]\nurl = 'x'\nmask-use = 'hide'":                       `rowcap.toml:3: mask-use: "hide" is not known`,
		"[sources]\nshop = {url = 'x', uri = 'y'}":                           `rowcap.toml:2: the key "uri" is not known in [sources.shop]`,
		"[queries.late]\nsource = 'shop'":                                    `rowcap.toml:1: the saved query "late" has no sql`,
		"[queries.late]\nsql = 'SELECT 1'\nsource = 'shop'":                  `rowcap.toml:3: the source "shop" of the saved query "late" is not declared`,
		"[[sources]]\nurl = 'x'":                                             `rowcap.toml:1: the key "sources" stands in no section`,
	} {
		f, err := Parse("rowcap.toml", []byte(text))
		if err == nil {
			err = f.Check(known)
		}
		var mistake *Error
		if !errors.As(err, &mistake) || !strings.HasPrefix(err.Error(), want) || len(err.Error()) == len("rowcap.toml:3: ") {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
}

const sound = `
# A file with everything.
[policy]
default-limit = 20
explicit = "trust"

[mcp]
sessions = 2
http-host = ["a", "b"]

[sources.shop]
url = "postgres://reader@db/shop"
password-env = "ROWCAP_TEST_PASSWORD"
max-limit = 500
push-down = false
statement-timeout = "5s"
mask = ["password", "token"]

[sources.orders]
url-env = "ROWCAP_TEST_URL"

[queries.overdue]
source = "shop"
description = "Invoices that are overdue"
sql = """
SELECT * FROM invoices
WHERE status = 'overdue'"""

[lint]
`

func TestSources(t *testing.T) {
	f, err := Parse("rowcap.toml", []byte(sound))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Check(known); err != nil {
		t.Fatal(err)
	}
	v, ok := f.Lookup("policy", "default-limit")
	if !ok || v.Any != int64(20) || f.Place(v) != "rowcap.toml:4" {
		t.Errorf("%+v", v)
	}
	if _, ok := f.Lookup("serve", "default-limit"); ok {
		t.Error("a section that is not there has a value")
	}
	sources, err := f.Sources()
	if err != nil || len(sources) != 2 || sources[0].Name != "shop" || sources[1].Name != "orders" {
		t.Fatalf("%+v %v", sources, err)
	}
	shop := sources[0]
	if shop.Timeout != 5*time.Second || len(shop.Mask) != 2 || shop.Line != 11 {
		t.Errorf("%+v", shop)
	}
	base := rewrite.DefaultPolicy()
	base.DefaultLimit = 20
	p, err := shop.Policy(base)
	want := base
	want.MaxLimit, want.PushDown = 500, false
	if err != nil || p != want {
		t.Errorf("%+v %v", p, err)
	}
	if v := shop.Values(); len(v) != 6 || v[2].Key != "max-limit" || v[2].Any != int64(500) || f.Place(v[2].Value) != "rowcap.toml:14" {
		t.Errorf("%+v", v)
	}
	base.DefaultLimit = 501
	if _, err := shop.Policy(base); err == nil || !strings.HasPrefix(err.Error(), `rowcap.toml:11: the source "shop": default-limit 501 is above max-limit 500`) {
		t.Errorf("%v", err)
	}
	queries, err := f.Queries()
	if err != nil || len(queries) != 1 || queries[0].SQL != "SELECT * FROM invoices\nWHERE status = 'overdue'" || queries[0].Source != "shop" {
		t.Errorf("%+v %v", queries, err)
	}
}

func TestPasswords(t *testing.T) {
	f, err := Parse("rowcap.toml", []byte(sound))
	if err != nil {
		t.Fatal(err)
	}
	sources, err := f.Sources()
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := sources[0].Address(); err == nil || err.Error() != "rowcap.toml:13: the variable ROWCAP_TEST_PASSWORD is not set" {
		t.Errorf("%v", err)
	}
	t.Setenv("ROWCAP_TEST_PASSWORD", "s3cret")
	if url, password, ok, err := sources[0].Address(); err != nil || !ok || url != "postgres://reader@db/shop" || password != "s3cret" {
		t.Errorf("%s %s %v", url, password, err)
	}
	t.Setenv("ROWCAP_TEST_URL", "mysql://u:p@h/d")
	if url, _, ok, err := sources[1].Address(); err != nil || ok || url != "mysql://u:p@h/d" {
		t.Errorf("%s %v %v", url, ok, err)
	}
	path := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(path, []byte("from a file\r\nnot this\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err = Parse("rowcap.toml", []byte("[sources.a]\nurl = 'x'\npassword-file = '"+path+"'\n[sources.b]\nurl = 'x'\npassword-file = '"+path+".none'"))
	if err != nil {
		t.Fatal(err)
	}
	if sources, err = f.Sources(); err != nil {
		t.Fatal(err)
	}
	if _, password, ok, err := sources[0].Address(); err != nil || !ok || password != "from a file" {
		t.Errorf("%q %v", password, err)
	}
	if _, _, _, err := sources[1].Address(); err == nil || !strings.HasPrefix(err.Error(), "rowcap.toml:6: cannot read the password") {
		t.Errorf("%v", err)
	}
}

func TestRead(t *testing.T) {
	if _, err := Read(filepath.Join(t.TempDir(), "none.toml")); err == nil || !strings.Contains(err.Error(), "--config") {
		t.Errorf("%v", err)
	}
	path := filepath.Join(t.TempDir(), "a.toml")
	if err := os.WriteFile(path, []byte(sound), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Read(path)
	if err != nil || f.Check(known) != nil {
		t.Errorf("%v", err)
	}
	var none File
	if err := none.Check(known); err != nil {
		t.Error(err)
	}
}
