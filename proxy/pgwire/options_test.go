package pgwire

import (
	"fmt"
	"testing"
)

func TestCutOptions(t *testing.T) {
	for _, c := range []struct{ in, left, own string }{
		{"", "", "[]"},
		{"-c geqo=off", "-c geqo=off", "[]"},
		{" -c\trowcap.a=1", "", "[{rowcap.a 1}]"},
		{"-c rowcap.a=1  -c geqo=off", "-c geqo=off", "[{rowcap.a 1}]"},
		{"-c geqo=off  -c  rowcap.a=1 -e", "-c geqo=off -e", "[{rowcap.a 1}]"},
		{"-crowcap.a=1 --rowcap.b-c=2 --work_mem=1MB", "--work_mem=1MB", "[{rowcap.a 1} {rowcap.b_c 2}]"},
		{`-c rowcap.a=x\ y\\ -c z.a=\ `, `-c z.a=\ `, `[{rowcap.a x y\}]`},
		{"-c ROWCAP.A=1", "", "[{ROWCAP.A 1}]"},
		// The value of another switch, and what stands behind the switches.
		{"-d -crowcap.a=1", "-d -crowcap.a=1", "[]"},
		{"-S5 -c rowcap.a=1", "-S5", "[{rowcap.a 1}]"},
		{"-- -c rowcap.a=1", "-- -c rowcap.a=1", "[]"},
		{"x -c rowcap.a=1", "x -c rowcap.a=1", "[]"},
		{"-c", "-c", "[]"},
		{`-c my.x=rowcap.a=1`, `-c my.x=rowcap.a=1`, "[]"},
		{"-c rowcap.a", "", "[{rowcap.a }]"},
		{`-\c rowcap.a=1`, "", "[{rowcap.a 1}]"},
	} {
		own, left, err := cutOptions(c.in)
		if err != nil || left != c.left || fmt.Sprint(own) != c.own && len(own)+len(c.own) != 2 {
			t.Errorf("%q: left %q, own %v, %v; want %q, %s", c.in, left, own, err, c.left, c.own)
		}
	}
	if _, _, err := cutOptions("-ec rowcap.a=1"); err == nil {
		t.Error("took a switch out of others")
	}
}
