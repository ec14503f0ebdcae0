package rewrite

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// echo is a dialect that reads any text as one query and counts how often it
// was asked.
type echo struct {
	reads int
	mu    sync.Mutex
	other *echo
}

func (e *echo) Name() string { return "echo" }

func (e *echo) Parse(sql string) ([]Statement, error) {
	e.mu.Lock()
	e.reads++
	e.mu.Unlock()
	return []Statement{{Text: sql, Kind: KindSelect, ReturnsRows: true, Limitable: true}}, nil
}

func (e *echo) SetLimit(st Statement, rows uint64) ([]Edit, error) {
	return []Edit{{Start: len(st.Text), End: len(st.Text), Text: fmt.Sprintf(" LIMIT %d", rows)}}, nil
}

func (e *echo) With(_, value string) Dialect {
	if value == "other" {
		return e.other
	}
	return e
}

func newEcho(t testing.TB) (*echo, *Rewriter) {
	t.Helper()
	e := &echo{other: &echo{}}
	r, err := New(e, DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	return e, r
}

func TestMemoryKeepsWhatComesTwice(t *testing.T) {
	e, r := newEcho(t)
	for range 5 {
		if got := r.Script("q", Ask{}).SQL(); got != "q LIMIT 101" {
			t.Fatalf("sends %q", got)
		}
	}
	if e.reads != 2 {
		t.Errorf("the text was read %d times, want 2: when it came first and when it was kept", e.reads)
	}
	two := uint64(2)
	for _, c := range []struct {
		ask  Ask
		want string
	}{{Ask{Limit: 7}, "q LIMIT 8"}, {Ask{Session: &two}, "q"}, {Ask{}, "q LIMIT 101"}} {
		for range 3 {
			if got := r.Script("q", c.ask).SQL(); got != c.want {
				t.Errorf("asked for %+v, sends %q, want %q", c.ask, got, c.want)
			}
		}
	}
	own := r.WithDefault(7)
	for range 3 {
		if a, b := own.Script("q", Ask{}).SQL(), r.Script("q", Ask{}).SQL(); a != "q LIMIT 8" || b != "q LIMIT 101" {
			t.Errorf("a session's own default sends %q, the others %q", a, b)
		}
		if cap := own.Guard("").Cap; cap.Rows != 7 || cap.Source != SourceSession {
			t.Errorf("guards with %+v", cap)
		}
	}
	reads := e.reads
	other := r.With("setting", "other")
	for range 3 {
		other.Script("q", Ask{})
	}
	if e.other.reads != 1 || e.reads != reads {
		t.Errorf("another reading took %d reads of its own and %d of the first one's, want 1 and 0", e.other.reads, e.reads-reads)
	}
}

func TestMemoryHitTakesNoMemory(t *testing.T) {
	_, r := newEcho(t)
	text := "select " + strings.Repeat("x", 1000)
	for range 2 {
		r.Script(text, Ask{})
	}
	if n := testing.AllocsPerRun(100, func() { _ = r.Script(text, Ask{}).SQL() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	_, r := newEcho(t)
	for i := range 2000 {
		text := fmt.Sprint(strings.Repeat("x", 50_000), i)
		r.Script(text, Ask{})
		r.Script(text, Ask{})
	}
	l := &r.memory.scripts
	sum, n := 0, 0
	for e := l.order.Front(); e != nil; e = e.Next() {
		sum, n = sum+e.Value.(*lruEntry[scriptKey, Script]).bytes, n+1
	}
	if l.bytes != sum || sum > memoryBytes || n != len(l.entries) || n < 100 {
		t.Errorf("%d entries in the list and %d in the map with %d bytes, counted as %d", n, len(l.entries), sum, l.bytes)
	}
	giant := strings.Repeat("x", memoryText+1)
	for range 3 {
		r.Script(giant, Ask{})
	}
	if l.entries[scriptKey{text: giant, reading: r.reading}] != nil {
		t.Error("a giant text was kept")
	}
	for i := range 3 * memoryReadings {
		r.memory.reading(&echo{reads: i + 1})
	}
	if n := len(r.memory.readings.entries); n != memoryReadings {
		t.Errorf("%d readings are known, want %d", n, memoryReadings)
	}
	if r.memory.reading(r.dialect) == r.reading {
		t.Error("a number was given twice")
	}
}

func TestMemoryUnderConcurrency(t *testing.T) {
	_, r := newEcho(t)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 2000 {
				text := fmt.Sprint("q", (i*7+g)%100)
				if got := r.Script(text, Ask{}).SQL(); got != text+" LIMIT 101" {
					t.Errorf("sends %q for %q", got, text)
					return
				}
			}
		})
	}
	all.Wait()
}
