package dialect

import (
	"strings"
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

func TestLookup(t *testing.T) {
	for _, name := range append(Names(), "postgresql") {
		d, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		want := name
		if name == "postgresql" {
			want = "postgres"
		}
		if d.Name() != want {
			t.Errorf("Lookup(%q).Name() = %q", name, d.Name())
		}
		st, err := d.Parse("SELECT a FROM t")
		if err != nil || len(st) != 1 || st[0].Kind != rewrite.KindSelect {
			t.Errorf("%s reads %v, %v", name, st, err)
		}
	}
	_, err := Lookup("oracle")
	if err == nil || !strings.Contains(err.Error(), "postgres, mysql, mariadb") {
		t.Errorf("err = %v", err)
	}
}
