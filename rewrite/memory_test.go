package rewrite

import (
	"fmt"
	"math/rand/v2"
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
	buffer := []byte(text)
	if n := testing.AllocsPerRun(100, func() { _ = r.ScriptOf(buffer, Ask{}).SQL() }); n != 0 {
		t.Errorf("%v allocations for a text in a buffer", n)
	}
}

// TestMemoryOfABuffer has the text of a script in a buffer that changes.
func TestMemoryOfABuffer(t *testing.T) {
	e, r := newEcho(t)
	own := r.WithDefault(7)
	buffer := make([]byte, 2)
	for i := range 200 {
		copy(buffer, fmt.Sprint(i%10, "q"))
		want := string(buffer)
		s, o := r.ScriptOf(buffer, Ask{}), own.ScriptOf(buffer, Ask{})
		copy(buffer, "zz")
		if s.Text != want || s.SQL() != want+" LIMIT 101" || o.SQL() != want+" LIMIT 8" || s.Plans[0].Statement.Text != want {
			t.Fatalf("for %q: %+v, %q", want, s, o.SQL())
		}
	}
	// Each text is read when it came once and to be kept for either default; two that share
	// a place among those seen push each other out.
	if e.reads < 30 || e.reads > 100 {
		t.Errorf("%d reads of 400, want 30", e.reads)
	}
}

// TestScriptsFindWhatIsThere compares the table with a map while scripts come and go,
// with hashes that often collide.
func TestScriptsFindWhatIsThere(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	table := scripts{most: 16 * 300}
	hash := func(n int) uint64 { return uint64(n*n) % 97 * 3 }
	key := func(n int) scriptKey { return scriptKey{text: fmt.Sprint(n)} }
	for i := range 50_000 {
		n := random.IntN(1000)
		k := key(n)
		kept := table.find(hash(n), &k) != nil
		if !kept {
			table.put(hash(n), k, Script{Text: k.text}, 1+random.IntN(40))
		}
		if e := table.find(hash(n), &k); e == nil || e.script.Text != k.text {
			t.Fatalf("step %d: %d was put and is not found", i, n)
		}
		if i%100 > 0 {
			continue
		}
		sum, count := 0, 0
		for n := range 1000 {
			k := key(n)
			if e := table.find(hash(n), &k); e != nil {
				if e.script.Text != k.text {
					t.Fatalf("under %d is %q", n, e.script.Text)
				}
				sum, count = sum+e.bytes, count+1
			}
		}
		if sum != table.bytes || count != table.count || sum > table.most {
			t.Fatalf("step %d: %d scripts with %d bytes are found, counted are %d with %d", i, count, sum, table.count, table.bytes)
		}
	}
	// One that is asked for all the time stays.
	k := key(-1)
	table.put(1, k, Script{}, 10)
	for n := range 5000 {
		if table.find(1, &k) == nil {
			t.Fatalf("pushed out by the %dth other", n)
		}
		table.put(hash(n), scriptKey{text: fmt.Sprint("other", n)}, Script{}, 20)
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
	for _, s := range l.slots {
		if s.entry != nil {
			sum, n = sum+s.entry.bytes, n+1
		}
	}
	if l.bytes != sum || sum > memoryBytes || n != l.count || n < 100 {
		t.Errorf("%d entries with %d bytes, counted as %d with %d", n, sum, l.count, l.bytes)
	}
	giant := strings.Repeat("x", memoryText+1)
	for range 3 {
		r.Script(giant, Ask{})
	}
	for _, s := range l.slots {
		if s.entry != nil && s.entry.key.text == giant {
			t.Error("a giant text was kept")
		}
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
