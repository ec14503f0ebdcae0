package mcp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// conversation is a file of testdata/conversations: what is said to the tools about
// one rule, and what they must answer, whatever the transport and the server. Its
// comment is the rule. Its files are
//
//	flags       of rowcap mcp
//	setup.sql   run before, after the table n of the numbers 1 to 20
//	saved NAME  a saved query
//	NAME        a scenario: a line for each call, and indented lines with what the
//	            reply must be (check)
//
// In front of a file's name or a line, [postgres] and [!postgres] say on which
// servers it counts.
type conversation struct {
	name, rule, flags string
	setup             []string // with the conditions in front
	saved             []SavedQuery
	scenarios         []scenario
}

type scenario struct {
	name, only string
	calls      []said
}

// said is one call of a tool. With the word cancelled in front of the tool the client
// gives the call up after a while.
type said struct {
	line            int
	only            string
	tool, arguments string
	cancelled       bool
	checks          []check
}

// check is one line about a reply:
//
//	FIELD JSON      the field of the structured content at the path FIELD, as
//	                columns.0.name; absent and present stand for any value
//	kinds A B       the kinds of the warnings
//	text TEXT       the text has TEXT; !text that it has not
//	order A … B     the text has A, and B after it
//	error TEXT      the call fails with a text that has TEXT
//	gone TEXT       the server runs no statement any more that has TEXT
//	keep NAME FIELD in later calls $NAME stands for the field
//	pages [1,2,3]   the first values of the rows, of this page and all next ones
type check struct{ only, word, rest string }

// condition cuts a condition in front of s.
func condition(s string) (only, rest string) {
	if strings.HasPrefix(s, "[") {
		if only, rest, ok := strings.Cut(s[1:], "] "); ok {
			return only, rest
		}
	}
	return "", s
}

func on(only, flavor string) bool {
	not, found := strings.CutPrefix(only, "!")
	return only == "" || (not == flavor) != found
}

// conversations reads testdata/conversations.
func conversations(t *testing.T) []conversation {
	t.Helper()
	paths, err := filepath.Glob("testdata/conversations/*.txtar")
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d conversations: %v", len(paths), err)
	}
	var all []conversation
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		archive := txtar.Parse(data)
		c := conversation{name: strings.TrimSuffix(filepath.Base(path), ".txtar"), rule: strings.TrimSpace(string(archive.Comment))}
		for _, f := range archive.Files {
			only, name := condition(f.Name)
			text := string(f.Data)
			saved, isSaved := strings.CutPrefix(name, "saved ")
			switch {
			case name == "flags":
				c.flags = strings.TrimSpace(text)
			case name == "setup.sql":
				c.setup = append(c.setup, "["+only+"] "+text)
			case isSaved:
				c.saved = append(c.saved, SavedQuery{Name: saved, SQL: strings.TrimSpace(text)})
			default:
				c.scenarios = append(c.scenarios, scenario{name, only, readScenario(t, path+": "+name, text)})
			}
		}
		if c.rule == "" || len(c.scenarios) == 0 {
			t.Fatalf("%s has no rule or no scenario", path)
		}
		all = append(all, c)
	}
	return all
}

func readScenario(t *testing.T, where, text string) []said {
	t.Helper()
	var calls []said
	for i, line := range strings.Split(text, "\n") {
		only, rest := condition(strings.TrimSpace(line))
		word, more, _ := strings.Cut(rest, " ")
		switch {
		case rest == "" || strings.HasPrefix(rest, "#"):
		case !strings.HasPrefix(line, "\t"):
			cancelled := word == "cancelled"
			if cancelled {
				word, more, _ = strings.Cut(more, " ")
			}
			calls = append(calls, said{line: i + 1, only: only, tool: word, arguments: more, cancelled: cancelled})
		case len(calls) == 0:
			t.Fatalf("%s: line %d checks nothing", where, i+1)
		default:
			last := &calls[len(calls)-1]
			last.checks = append(last.checks, check{only, word, more})
		}
	}
	for _, c := range calls {
		if len(c.checks) == 0 {
			t.Fatalf("%s: line %d is not checked", where, c.line)
		}
	}
	if len(calls) == 0 {
		t.Fatalf("%s is empty", where)
	}
	return calls
}

// reply is what a client makes of the answer to a call.
type reply struct {
	IsError    bool
	Structured any
	Text       string
}

// speaker calls a tool over some transport, and gives the call up after patience if that
// is not 0: then the reply is gaveUp.
type speaker func(t *testing.T, tool string, arguments json.RawMessage, patience time.Duration) reply

var gaveUp = reply{IsError: true, Text: "the client gave up"}

// play says all of a conversation, and checks the replies.
func (c conversation) play(t *testing.T, server *dbtest.Server, speak speaker) {
	flavor := server.Flavor
	for _, s := range c.scenarios {
		if !on(s.only, flavor) {
			continue
		}
		t.Run(strings.ReplaceAll(s.name, " ", "_"), func(t *testing.T) {
			kept := map[string]string{}
			for _, call := range s.calls {
				if !on(call.only, flavor) {
					continue
				}
				arguments := call.arguments
				for name, value := range kept {
					arguments = strings.ReplaceAll(arguments, "$"+name, value)
				}
				var patience time.Duration
				if call.cancelled {
					patience = time.Second / 2
				}
				r := speak(t, call.tool, json.RawMessage(arguments), patience)
				before := t.Failed()
				call.judge(t, server, r, kept)
				call.readOn(t, flavor, r, arguments, speak)
				if t.Failed() && !before {
					structured, _ := json.Marshal(r.Structured)
					t.Errorf("line %d: %s %s\n%s\n%s", call.line, call.tool, arguments, structured, r.Text)
				}
			}
		})
	}
}

func (c said) judge(t *testing.T, server *dbtest.Server, r reply, kept map[string]string) {
	t.Helper()
	fails := false
	for _, check := range c.checks {
		if !on(check.only, server.Flavor) {
			continue
		}
		switch rest := check.rest; check.word {
		case "error":
			fails = true
			if !strings.Contains(r.Text, rest) {
				t.Errorf("line %d: the error does not say %q", c.line, rest)
			}
		case "gone":
			server.Gone(t, rest)
		case "text", "!text":
			if strings.Contains(r.Text, rest) != (check.word == "text") {
				t.Errorf("line %d: not so: %s %q", c.line, check.word, rest)
			}
		case "order":
			a, b, _ := strings.Cut(rest, " … ")
			if first, second := strings.Index(r.Text, a), strings.LastIndex(r.Text, b); first < 0 || second < first || b == "" {
				t.Errorf("line %d: %q does not stand before %q", c.line, a, b)
			}
		case "kinds":
			if got := kindsOf(r.Structured); got != rest {
				t.Errorf("line %d: the warnings are %q, want %q", c.line, got, rest)
			}
		case "keep":
			name, field, _ := strings.Cut(rest, " ")
			value, ok := at(r.Structured, field).(string)
			if !ok || value == "" {
				t.Fatalf("line %d: there is no %s to keep", c.line, field)
			}
			kept[name] = value
		case "pages": // readOn
		default:
			c.field(t, r, check.word, rest)
		}
	}
	if fails != r.IsError {
		t.Errorf("line %d: fails: %v, want %v", c.line, r.IsError, fails)
	}
}

// readOn follows the cursors, where that is to be checked.
func (c said) readOn(t *testing.T, flavor string, r reply, arguments string, speak speaker) {
	t.Helper()
	for _, check := range c.checks {
		if check.word != "pages" || !on(check.only, flavor) {
			continue
		}
		var got, want []any
		if err := json.Unmarshal([]byte(check.rest), &want); err != nil {
			t.Fatal(err)
		}
		for pages := 0; ; pages++ {
			rows, _ := at(r.Structured, "data").([]any)
			for _, row := range rows {
				got = append(got, at(row, "0"))
			}
			cursor, more := at(r.Structured, "nextCursor").(string)
			if hasMore := at(r.Structured, "hasMore"); hasMore != more {
				t.Errorf("line %d: page %d has hasMore %v and the cursor %q", c.line, pages, hasMore, cursor)
			}
			if !more || pages > len(want) {
				break
			}
			r = speak(t, c.tool, json.RawMessage(strings.TrimSuffix(arguments, "}")+`, "cursor": "`+cursor+`"}`), 0)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("line %d: the pages have %v, want %v", c.line, got, want)
		}
	}
}

// field compares one field with JSON.
func (c said) field(t *testing.T, r reply, path, want string) {
	t.Helper()
	got := at(r.Structured, path)
	switch want {
	case "absent":
		if got != missing {
			t.Errorf("line %d: %s is %v, want none", c.line, path, got)
		}
	case "present":
		if got == missing {
			t.Errorf("line %d: there is no %s", c.line, path)
		}
	default:
		var wanted any
		if err := json.Unmarshal([]byte(want), &wanted); err != nil {
			t.Fatalf("line %d: %s: %v", c.line, want, err)
		}
		if !reflect.DeepEqual(got, wanted) {
			t.Errorf("line %d: %s is %v, want %v", c.line, path, got, wanted)
		}
	}
}

// missing is the value of a field that is not there, as null is one.
var missing any = struct{ missing bool }{true}

// at returns the value at a path of names and numbers.
func at(v any, path string) any {
	for _, name := range strings.Split(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			value, ok := in[name]
			if !ok {
				return missing
			}
			v = value
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(in) {
				return missing
			}
			v = in[i]
		default:
			return missing
		}
	}
	return v
}

func kindsOf(structured any) string {
	var kinds []string
	warnings, _ := at(structured, "warnings").([]any)
	for _, w := range warnings {
		kinds = append(kinds, fmt.Sprint(at(w, "kind")))
	}
	return strings.Join(kinds, " ")
}

// prepare makes the database that a conversation is about.
func (c conversation) prepare(t *testing.T, s *dbtest.Server) (db string) {
	t.Helper()
	db = s.Database(t)
	s.SQL(t, db, twenty)
	for _, setup := range c.setup {
		if only, sql := condition(setup); on(only, s.Flavor) {
			s.SQL(t, db, sql)
		}
	}
	return db
}
