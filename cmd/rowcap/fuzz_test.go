package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/config"
)

// FuzzCommandLine gives any value to any knob of the policy, and any SQL, to rowcap
// rewrite. All ways to do so do the same: a flag in one word or in two, a variable; the SQL
// as a word or on standard input. What makes no sense is exit status 2, with one line that
// says why, and nothing on standard output; all else is JSON.
func FuzzCommandLine(f *testing.F) {
	knobs := config.PolicyKnobs()
	values := []string{"0", "5", "5000", "-1", "+5", "1e3", "0x10", "9223372036854775806", "9223372036854775807", "18446744073709551616", "", " 5", "5 ", "true", "false", "on", "yes",
		"clamp", "trust", "refuse", "guard", "cap", "pass", "exempt", "error", "truncate", "Clamp", "--", "-x", "a=b", "\"5\"", "é", "\xff", "5\n", "${default}"}
	for i := range knobs {
		for k, value := range values {
			if (i+k)%4 == 0 { // a twentieth of a second for each, on a busy machine
				f.Add(uint8(i), value, uint8(i+k/4), "SELECT a FROM t LIMIT 5000; SELECT b FROM u")
			}
		}
	}
	f.Add(uint8(0), "7", uint8(1), "-- a comment\nSELECT 1")
	f.Add(uint8(0), "7", uint8(2), "--max-limit=3")
	f.Fuzz(func(t *testing.T, which uint8, value string, way uint8, sql string) {
		knob := knobs[int(which)%len(knobs)]
		if len(sql) > 4<<10 || len(value) > 1<<10 || strings.IndexByte(value, 0) >= 0 || sql == "" {
			return
		}
		base := []string{"rewrite", "--dialect=" + []string{"postgres", "mysql", "mariadb"}[way/3%3], "--format=json"}
		one := line(append(base, "--"+knob.Name+"="+value, "--", sql), "")
		one.check(t)
		var other outcome
		switch {
		case way%3 == 0 && knob.Kind != config.Switch && !strings.HasPrefix(value, "-"): // a switch takes no second word
			other = line(append(base, "--"+knob.Name, value, "--", sql), "")
		case way%3 == 1 && value != "": // an empty variable is none
			name := "ROWCAP_" + strings.ToUpper(strings.ReplaceAll(knob.Name, "-", "_"))
			if err := os.Setenv(name, value); err != nil {
				t.Fatal(err)
			}
			defer os.Unsetenv(name)
			other = line(append(base, "--", sql), "")
		default:
			other = line(append(base, "--"+knob.Name+"="+value), sql)
		}
		other.check(t)
		if other.status != one.status || other.out != one.out {
			t.Fatalf("--%s=%q is %d, %s%s\nanother way: %d, %s%s", knob.Name, value, one.status, one.err, one.out, other.status, other.err, other.out)
		}
	})
}

// outcome is what one command line did.
type outcome struct {
	status   int
	out, err string
}

func line(args []string, in string) outcome {
	var out, err bytes.Buffer
	status := run(args, streams{in: strings.NewReader(in), out: &out, err: &err})
	return outcome{status, out.String(), err.String()}
}

func (o outcome) check(t *testing.T) {
	t.Helper()
	switch {
	case o.status == exitUsage:
		if o.out != "" || !strings.HasPrefix(o.err, "rowcap: ") || !strings.HasSuffix(o.err, "\n") {
			t.Fatalf("a usage error prints %q, and on standard error %q", o.out, o.err)
		}
	case o.status != exitOK && o.status != exitFailed:
		t.Fatalf("exit status %d", o.status)
	case !json.Valid([]byte(o.out)):
		t.Fatalf("exit status %d with %q", o.status, o.out)
	}
}
