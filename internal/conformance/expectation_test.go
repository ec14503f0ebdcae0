package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"testing"
)

// observation is what a client saw in one check: rows, counts, notices, codes.
type observation struct {
	Check string         `json:"check"`
	Got   map[string]any `json:"got"`
}

// expectation is what all clients must see in a check; those of Clients only, if
// it names some, and on Server (mariadb or mysql) only, if it names one.
type expectation struct {
	Check   string         `json:"check"`
	Clients []string       `json:"clients"`
	Server  string         `json:"server"`
	Want    map[string]any `json:"want"`
}

// exception says why a client (in one mode or on one server, if it names one) cannot
// make a check, or cannot see one field of it (CHECK.FIELD, *.FIELD).
type exception struct {
	Client string `json:"client"`
	Mode   string `json:"mode"`
	Server string `json:"server"`
	Check  string `json:"check"`
	Why    string `json:"why"`
	used   bool
}

// expectations are the two files of a folder in testdata/clients.
type expectations struct {
	checks     []expectation
	exceptions []*exception
}

func readExpectations(t *testing.T, protocol string) *expectations {
	t.Helper()
	e := &expectations{}
	e.checks = readLines[expectation](t, "testdata/clients/"+protocol+"/want.jsonl")
	e.exceptions = readLines[*exception](t, "testdata/clients/"+protocol+"/cannot.jsonl")
	for _, x := range e.exceptions {
		if x.Why == "" {
			t.Fatalf("cannot.jsonl: %s, %s has no reason", x.Client, x.Check)
		}
	}
	return e
}

// on returns what holds on a server of the flavor.
func (e *expectations) on(flavor string) *expectations {
	there := &expectations{}
	for _, want := range e.checks {
		if want.Server == "" || want.Server == flavor {
			there.checks = append(there.checks, want)
		}
	}
	for _, x := range e.exceptions {
		if x.Server == "" || x.Server == flavor {
			there.exceptions = append(there.exceptions, x)
		}
	}
	return there
}

func readLines[T any](t *testing.T, path string) []T {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	values, err := decode[T](text)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return values
}

// decode reads JSON values one after the other.
func decode[T any](text []byte) (values []T, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	for {
		var v T
		if err := d.Decode(&v); err == io.EOF {
			return values, nil
		} else if err != nil {
			return values, err
		}
		values = append(values, v)
	}
}

func readObservations(text []byte) ([]observation, error) { return decode[observation](text) }

// cannot returns the exception for a client's check or field, nil if there is
// none.
func (e *expectations) cannot(client, mode string, names ...string) *exception {
	for _, x := range e.exceptions {
		if x.Client == client && (x.Mode == "" || x.Mode == mode) && slices.Contains(names, x.Check) {
			x.used = true
			return x
		}
	}
	return nil
}

// verdict is how a check of a client ended.
type verdict string

const (
	held    verdict = "yes"
	inPart  verdict = "in part" // some field is not seen by this client
	not     verdict = "–"       // the client cannot make the check
	failing verdict = "**no**"
)

// compare holds what a client saw to what it must see, and says what is wrong.
func (e *expectations) compare(name, mode string, seen []observation) (verdicts map[string]verdict, faults []string) {
	verdicts = map[string]verdict{}
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	got := map[string]map[string]any{}
	for _, o := range seen {
		if got[o.Check] != nil {
			fault("%s was printed twice", o.Check)
		}
		got[o.Check] = o.Got
	}
	for _, want := range e.checks {
		if want.Clients != nil && !slices.Contains(want.Clients, name) {
			continue
		}
		o := got[want.Check]
		delete(got, want.Check)
		if len(o) == 0 {
			verdicts[want.Check] = not
			if e.cannot(name, mode, want.Check, "*") == nil {
				fault("%s: nothing was seen", want.Check)
				verdicts[want.Check] = failing
			}
			continue
		}
		verdicts[want.Check] = held
		for field, value := range want.Want {
			switch {
			case o[field] == nil && e.cannot(name, mode, want.Check+"."+field, "*."+field) != nil:
				verdicts[want.Check] = inPart
			case !reflect.DeepEqual(o[field], value):
				fault("%s: %s is %v, want %v", want.Check, field, o[field], value)
				verdicts[want.Check] = failing
			}
		}
	}
	for check := range got {
		fault("%s is not in want.jsonl", check)
	}
	return verdicts, faults
}

// unused fails for exceptions that no client needed.
func (e *expectations) unused(t *testing.T) {
	for _, x := range e.exceptions {
		if !x.used {
			t.Errorf("cannot.jsonl: %s %s makes the check %s after all: remove the line", x.Client, x.Mode, x.Check)
		}
	}
}

// numbers makes an observation's value of integers, as JSON has them.
func numbers(rows []int) []any {
	values := make([]any, len(rows))
	for i, n := range rows {
		values[i] = float64(n)
	}
	return values
}

// saw makes an observation of pairs of a field and a value.
func saw(check string, pairs ...any) observation {
	o := observation{check, map[string]any{}}
	for i := 0; i < len(pairs); i += 2 {
		switch v := pairs[i+1].(type) {
		case int:
			o.Got[pairs[i].(string)] = float64(v)
		case []int:
			o.Got[pairs[i].(string)] = numbers(v)
		case [][]int:
			var lists []any
			for _, rows := range v {
				lists = append(lists, numbers(rows))
			}
			o.Got[pairs[i].(string)] = lists
		case []string:
			var list []any
			for _, s := range v {
				list = append(list, s)
			}
			o.Got[pairs[i].(string)] = list
		default:
			o.Got[fmt.Sprint(pairs[i])] = v
		}
	}
	return o
}
