package fuzz

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rowcap/rowcap/internal/config"
	"github.com/rowcap/rowcap/rewrite"
)

// sections are the sections that a file may have beside sources and queries.
func sections() map[string][]config.Knob {
	return map[string][]config.Knob{
		"policy": config.PolicyKnobs(),
		"mcp": {{Name: "sessions", Kind: config.Number}, {Name: "http-host", Kind: config.List}, {Name: "statement-timeout", Kind: config.Time},
			{Name: "execute", Kind: config.Switch}, {Name: "format", Kind: config.Text, Enum: []string{"json", "csv"}}},
	}
}

// FuzzConfig reads any text as a configuration. An error is a *config.Error with a line
// of the file; a file that was checked has sources and queries that can be read, whose
// policies are valid or have a line too.
func FuzzConfig(f *testing.F) {
	for _, text := range []string{
		"[policy]\ndefault-limit = 20\nexplicit = \"trust\"\n\n[mcp]\nsessions = 2\nhttp-host = [\"a\", \"b\"]\nstatement-timeout = \"5s\"\n",
		"[sources.shop]\nurl = \"postgres://reader@db/shop\"\nmax-limit = 500\nmask = [\"password\"]\n[queries.late]\nsource = 'shop'\nsql = '''SELECT 1'''\n",
		"[sources]\nshop = {url = 'x', default-limit = 5000}\n",
		"[policy]\ndefault-limit = -1", "[policy.deep]\nx = 1", "x = 1979-05-27", "[[sources]]\nurl = 'x'", "[mcp]\nsessions = 1\nsessions = 2", "\xff", "[a.b.c]\n\"\" = {}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		const name = "some.toml"
		placed := func(err error) {
			t.Helper()
			var mistake *config.Error
			if !errors.As(err, &mistake) || mistake.File != name || mistake.Message == "" || mistake.Line < 0 || mistake.Line > bytes.Count(text, []byte("\n"))+1 {
				t.Fatalf("%q: the error %v has no place in the file", text, err)
			}
		}
		file, err := config.Parse(name, text)
		if err != nil {
			placed(err)
			return
		}
		if err := file.Check(sections()); err != nil {
			placed(err)
			return
		}
		sources, err := file.Sources()
		if err != nil {
			t.Fatalf("%q was checked, and its sources: %v", text, err)
		}
		if _, err := file.Queries(); err != nil {
			t.Fatalf("%q was checked, and its queries: %v", text, err)
		}
		for _, s := range sources {
			p, err := s.Policy(rewrite.DefaultPolicy())
			if err != nil {
				placed(err)
			} else if err := p.Validate(); err != nil {
				t.Fatalf("%q: the policy of %s: %v", text, s.Name, err)
			}
		}
	})
}

// FuzzConfigValues writes values into a file, as TOML has them, and reads them back.
func FuzzConfigValues(f *testing.F) {
	f.Add("postgres://u@h/d", "SELECT 'a'\nFROM b", "pass\"word\\", uint32(500), true)
	f.Add("mysql://h/d", "\t", "é\x01", uint32(0), false)
	f.Fuzz(func(t *testing.T, url, sql, mask string, most uint32, push bool) {
		if !utf8.ValidString(url) || !utf8.ValidString(sql) || !utf8.ValidString(mask) || url == "" || strings.TrimSpace(sql) == "" {
			return
		}
		text := fmt.Sprintf("[sources.shop]\nurl = %s\nmax-limit = %d\npush-down = %t\nmask = [%s]\n[queries.one]\nsource = \"shop\"\nsql = %s\n",
			toml(url), most, push, toml(mask), toml(sql))
		file, err := config.Parse("some.toml", []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if err := file.Check(sections()); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		sources, err := file.Sources()
		if err != nil || len(sources) != 1 || sources[0].URL != url || !reflect.DeepEqual(sources[0].Mask, []string{mask}) {
			t.Fatalf("%s: %+v, %v", text, sources, err)
		}
		base := rewrite.DefaultPolicy()
		base.DefaultLimit = 0
		if p, err := sources[0].Policy(base); err != nil || p.MaxLimit != uint64(most) || p.PushDown != push {
			t.Fatalf("%s: %+v, %v", text, p, err)
		}
		if queries, err := file.Queries(); err != nil || len(queries) != 1 || queries[0].SQL != sql {
			t.Fatalf("%s: %+v, %v", text, queries, err)
		}
	})
}

// toml writes a text in TOML's basic quotes.
func toml(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c < 0x20 || c == 0x7f:
			b.WriteString(`\u` + fmt.Sprintf("%04s", strconv.FormatInt(int64(c), 16)))
		default:
			b.WriteRune(c)
		}
	}
	return b.String() + `"`
}
