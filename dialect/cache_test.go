package dialect

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

// counting is a Dialect that counts how often it is asked. Its setting "mode"
// changes how it reads; "same" names a setting that does not.
type counting struct {
	mode   string
	parsed *atomic.Int64
	set    *atomic.Int64
}

func newCounting() *counting {
	return &counting{parsed: new(atomic.Int64), set: new(atomic.Int64)}
}

func (d *counting) Name() string { return "counting" }

func (d *counting) Parse(sql string) ([]rewrite.Statement, error) {
	d.parsed.Add(1)
	if sql == "bad" {
		return nil, &rewrite.ParseError{Message: "cannot read " + d.mode, Offset: 1}
	}
	return []rewrite.Statement{{Text: sql, Kind: rewrite.KindSelect, Obstacle: d.mode}}, nil
}

func (d *counting) SetLimit(st rewrite.Statement, rows uint64) ([]rewrite.Edit, error) {
	d.set.Add(1)
	return []rewrite.Edit{{Start: len(st.Text), End: len(st.Text), Text: fmt.Sprintf(" LIMIT %d", rows)}}, nil
}

func (d *counting) With(setting, value string) rewrite.Dialect {
	if setting == "same" || setting == "mode" && value == d.mode {
		return d
	}
	changed := *d
	if setting == "mode" {
		changed.mode = value
	} else {
		changed.mode += setting + value
	}
	return &changed
}

func TestCachedAsksOnce(t *testing.T) {
	under := newCounting()
	c := Cached(under)
	for range 3 {
		st, err := c.Parse("SELECT 1")
		if err != nil || len(st) != 1 || st[0].Text != "SELECT 1" {
			t.Fatalf("Parse = %v, %v", st, err)
		}
		for _, rows := range []uint64{5, 6} {
			edits, err := c.SetLimit(st[0], rows)
			if want := fmt.Sprintf(" LIMIT %d", rows); err != nil || edits[0].Text != want {
				t.Fatalf("SetLimit(%d) = %v, %v", rows, edits, err)
			}
		}
	}
	if p, s := under.parsed.Load(), under.set.Load(); p != 1 || s != 2 {
		t.Errorf("the dialect was asked to parse %d times and to set limits %d times, want 1 and 2", p, s)
	}
}

func TestCachedRemembersErrors(t *testing.T) {
	under := newCounting()
	c := Cached(under)
	for range 2 {
		_, err := c.Parse("bad")
		if pe := (*rewrite.ParseError)(nil); !errors.As(err, &pe) || pe.Offset != 1 {
			t.Fatalf("err = %v", err)
		}
	}
	if n := under.parsed.Load(); n != 1 {
		t.Errorf("parsed %d times", n)
	}
}

func TestCachedLeavesLongTextsOut(t *testing.T) {
	under := newCounting()
	c := Cached(under).(*cached)
	long := strings.Repeat("x", maxText+1)
	for range 2 {
		st, _ := c.Parse(long)
		if _, err := c.SetLimit(st[0], 1); err != nil {
			t.Fatal(err)
		}
	}
	if p, s := under.parsed.Load(), under.set.Load(); p != 2 || s != 2 {
		t.Errorf("asked %d and %d times, want 2 and 2", p, s)
	}
	if n, bytes := c.shared.memory.size(); n != 0 || bytes != 0 {
		t.Errorf("%d entries of %d bytes kept", n, bytes)
	}
}

func TestCachedWith(t *testing.T) {
	c := Cached(newCounting())
	if c.With("same", "x") != c {
		t.Error("a setting that changes nothing made another dialect")
	}
	a := c.With("mode", "a")
	switch {
	case a == c:
		t.Error("a setting that changes the reading made no other dialect")
	case a != c.With("mode", "a"):
		t.Error("the same setting made two dialects")
	case a != a.With("mode", "a"):
		t.Error("a setting in force made another dialect")
	case a == c.With("mode", "b"):
		t.Error("two values made one dialect")
	case a != c.With("mode", "b").With("mode", "a"):
		t.Error("the way to a setting matters")
	case a.With("x", "1").With("y", "2") != a.With("y", "2").With("x", "1"):
		t.Error("the order of settings matters")
	case c.With("x", "1\"\"y\"\"2") == c.With("x", "1").With("y", "2"):
		t.Error("a value passed for two settings")
	}
	for _, d := range []rewrite.Dialect{c, a, c, a} {
		st, err := d.Parse("SELECT 1")
		want := ""
		if d == a {
			want = "a"
		}
		if err != nil || st[0].Obstacle != want {
			t.Errorf("read in mode %q, want %q", st[0].Obstacle, want)
		}
	}
}

func TestCachedBounds(t *testing.T) {
	t.Run("settings", func(t *testing.T) {
		c := Cached(newCounting()).(*cached)
		for i := range 10 * maxVariants {
			v := c.With("mode", fmt.Sprint(i))
			if st, _ := v.Parse("SELECT 1"); st[0].Obstacle != fmt.Sprint(i) {
				t.Fatalf("variant %d reads in mode %s", i, st[0].Obstacle)
			}
		}
		if n := c.shared.variants.Len(); n > maxVariants {
			t.Errorf("%d variants kept", n)
		}
		huge := strings.Repeat("m", maxSetting+1)
		if v := c.With("mode", huge); v == c.With("mode", huge) {
			t.Error("a huge setting is kept")
		}
	})
	t.Run("entries", func(t *testing.T) {
		m := newMemory(10, 1<<20)
		for i := range 100 {
			m.put(key{text: fmt.Sprint(i)}, answer{})
		}
		if n, bytes := m.size(); n != 10 || bytes > 10*(entryBytes+2) {
			t.Errorf("%d entries of %d bytes", n, bytes)
		}
	})
	t.Run("bytes", func(t *testing.T) {
		m := newMemory(1000, 100_000)
		m.put(key{text: strings.Repeat("x", 10_000)}, answer{})
		if n, _ := m.size(); n != 0 {
			t.Error("an answer of a tenth of the memory is kept")
		}
		for i := range 500 {
			m.put(key{text: fmt.Sprintf("%05000d", i)}, answer{})
		}
		n, bytes := m.size()
		if bytes > 100_000 || n < 10 {
			t.Errorf("%d entries of %d bytes", n, bytes)
		}
		if _, ok := m.get(key{text: fmt.Sprintf("%05000d", 499)}); !ok {
			t.Error("the latest answer is gone")
		}
	})
}

func TestCachedConcurrently(t *testing.T) {
	c := Cached(newCounting())
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 500 {
				mode := fmt.Sprint((g + i) % 5)
				d := c.With("mode", mode)
				st, err := d.Parse(fmt.Sprintf("SELECT %d", i%50))
				if err != nil || st[0].Obstacle != mode {
					t.Errorf("mode %s: %v, %v", mode, st, err)
					return
				}
				if _, err := d.SetLimit(st[0], uint64(i%3)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkCachedHit(b *testing.B) {
	c := Cached(newCounting())
	const sql = "SELECT abalance FROM pgbench_accounts WHERE aid = 12345"
	st, err := c.Parse(sql)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		c.Parse(sql)
		c.SetLimit(st[0], 101)
	}
}
