package rewrite_test

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

// TestPolicyTags holds the tags to DefaultPolicy: they are one declaration.
func TestPolicyTags(t *testing.T) {
	def := reflect.ValueOf(rewrite.DefaultPolicy())
	for i := range def.NumField() {
		f, v := def.Type().Field(i), def.Field(i)
		for _, key := range []string{"name", "env", "default", "help"} {
			if f.Tag.Get(key) == "" {
				t.Errorf("%s has no %s tag", f.Name, key)
			}
		}
		var got string
		switch v.Kind() {
		case reflect.Uint64:
			got = strconv.FormatUint(v.Uint(), 10)
		case reflect.Bool:
			got = strconv.FormatBool(v.Bool())
		default:
			got = v.String()
		}
		if got != f.Tag.Get("default") {
			t.Errorf("%s is %s in DefaultPolicy and %s in its tag", f.Name, got, f.Tag.Get("default"))
		}
		if want := "ROWCAP_" + strings.ToUpper(strings.ReplaceAll(f.Tag.Get("name"), "-", "_")); f.Tag.Get("env") != want {
			t.Errorf("%s is read from %s, want %s", f.Name, f.Tag.Get("env"), want)
		}
	}
}

func TestPolicyValidate(t *testing.T) {
	for _, c := range []struct {
		change func(*rewrite.Policy)
		want   string
	}{
		{func(p *rewrite.Policy) {}, ""},
		{func(p *rewrite.Policy) { p.DefaultLimit, p.MaxLimit = 0, 0 }, ""},
		{func(p *rewrite.Policy) { p.DefaultLimit = 2000 }, "default-limit 2000 is above max-limit 1000"},
		{func(p *rewrite.Policy) { p.DefaultLimit, p.MaxLimit = 2000, 0 }, ""},
		{func(p *rewrite.Policy) { p.DefaultLimit = 1 << 63 }, "default-limit 9223372036854775808 is too large"},
		{func(p *rewrite.Policy) { p.MaxLimit = 1<<63 - 1 }, "max-limit 9223372036854775807 is too large"},
		{func(p *rewrite.Policy) { p.Explicit = "perhaps" }, `explicit "perhaps" is not known: use clamp or trust`},
		{func(p *rewrite.Policy) { p.Unparsed = "" }, `unparsed "" is not known`},
		{func(p *rewrite.Policy) { p.CopyOut = "cap" }, ""},
		{func(p *rewrite.Policy) { p.CopyOut = "some" }, `copy-out "some" is not known: use refuse, cap or pass`},
		{func(p *rewrite.Policy) { p.Overflow = "fail" }, `overflow "fail" is not known: use truncate or error`},
		{func(p *rewrite.Policy) { p.Catalogs = "x" }, `catalogs "x" is not known`},
	} {
		p := rewrite.DefaultPolicy()
		c.change(&p)
		_, err := rewrite.New(&fake{}, p)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", p, err, c.want)
		}
	}
}
