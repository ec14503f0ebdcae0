package property

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/rewrite"
)

const (
	// hostileChild names the dialect whose hostile texts this process is to read.
	hostileChild = "ROWCAP_HOSTILE_DIALECT"
	// smallText and largeText are the sizes between which the cost is to grow as
	// the text does: both within what is parsed.
	smallText, largeText = 8 << 10, 16 * (8 << 10)
	// hugeText is the longest text that is promised.
	hugeText = 64 << 20
)

// TestHostile reads the hostile texts of each dialect in a process of its own: an
// overflow of the stack, which no Go program survives, fails the test.
func TestHostile(t *testing.T) {
	for _, name := range dialect.Names() {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestHostileTexts$", "-test.v", "-test.timeout=30m")
			cmd.Env = append(os.Environ(), hostileChild+"="+name)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, end4000(out))
			}
			t.Log(end4000(out))
		})
	}
}

func end4000(out []byte) string { return string(out[max(0, len(out)-4000):]) }

// TestHostileTexts is the process that TestHostile starts.
func TestHostileTexts(t *testing.T) {
	name := os.Getenv(hostileChild)
	if name == "" {
		t.Log("TestHostile runs this in processes of its own")
		return
	}
	debug.SetMaxStack(64 << 20)
	d, err := dialect.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	readAll(t, d, "SELECT a FROM t LIMIT 5") // what is made once
	began := time.Now()
	var slowest time.Duration
	var slow string
	for _, f := range families {
		fmt.Println("family", f.name) // the last one before a crash
		const grows = largeText / smallText
		small, large := cost(t, d, f.text(smallText)), cost(t, d, f.text(largeText))
		// What grows with the square takes 256 times as long, and a machine that does other
		// things makes any time up to some times longer.
		slower := func() bool { return large.time > 8*grows*max(small.time, 4*time.Millisecond) }
		for range 3 {
			if slower() {
				large = large.least(cost(t, d, f.text(largeText)))
			}
		}
		if large.bytes > 4*grows*max(small.bytes, 256<<10) {
			t.Errorf("%s: %d bytes for a text of %d, %d for one %d times as long", f.name, small.bytes, smallText, large.bytes, grows)
		}
		if slower() {
			t.Errorf("%s: %v for a text of %d bytes, %v for one %d times as long", f.name, small.time, smallText, large.time, grows)
		}
		if !f.huge && os.Getenv("ROWCAP_HOSTILE_ALL") == "" {
			continue
		}
		huge := cost(t, d, f.text(hugeText))
		// 64 MiB may cost what the large text does, times the length: what is too long
		// to be parsed costs less. The memory for it is less than the text, or about as much.
		const longer = hugeText / largeText
		if huge.time > 4*longer*max(large.time, 4*time.Millisecond) || huge.bytes > max(hugeText, 3*large.bytes) {
			t.Errorf("%s: %v and %d bytes for a text of 64 MiB, %v and %d for one of %d", f.name, huge.time, huge.bytes, large.time, large.bytes, largeText)
		}
		fmt.Printf("%s: %v %v %v, %d %d %d MiB\n", f.name, small.time, large.time, huge.time, small.bytes>>20, large.bytes>>20, huge.bytes>>20)
		if huge.time > slowest {
			slowest, slow = huge.time, f.name
		}
	}
	t.Logf("%d families in %v, %v of processor time; the slowest of 64 MiB is %s with %v", len(families), time.Since(began), processorTime(t), slow, slowest)
}

// spent is what reading took: bytes allocated and processor time, of all threads.
type spent struct {
	bytes uint64
	time  time.Duration
}

func (a spent) least(b spent) spent { return spent{min(a.bytes, b.bytes), min(a.time, b.time)} }

func cost(t *testing.T, d rewrite.Dialect, sql string) spent {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := processorTime(t)
	readAll(t, d, sql)
	took := processorTime(t) - began
	runtime.ReadMemStats(&after)
	return spent{after.TotalAlloc - before.TotalAlloc, took}
}

func processorTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// readAll plans a text by every way in: parsed, by the shape, from memory; and puts the
// plan into words.
func readAll(t *testing.T, d rewrite.Dialect, sql string) {
	policy := rewrite.DefaultPolicy()
	policy.MaxLimit = 100
	r, err := rewrite.New(d, policy)
	if err != nil {
		t.Fatal(err)
	}
	var first rewrite.Script
	times := 3
	if len(sql) > 2*largeText {
		times = 1 // such texts are not remembered
	}
	for i := range times {
		s := r.Script(sql, rewrite.Ask{})
		if i == 0 {
			first = s
		}
		if s.SQL() != first.SQL() || len(s.Plans) != len(first.Plans) {
			t.Errorf("planned otherwise the next time")
		}
	}
	if got := rewrite.ApplyEdits(sql, first.Edits()); got != first.SQL() {
		t.Error("the edits do not make what is sent")
	}
	rewrite.OriginalOffset(first.Edits(), len(first.SQL()))
	first.Refused()
	for i, p := range first.Plans {
		if p.Statement.ReturnsRows && p.Method == rewrite.MethodPass && p.Cap.Rows > policy.MaxLimit && !p.Statement.AtMostOneRow && !p.Statement.CatalogOnly {
			t.Errorf("statement %d, %s, passes without a cap: %s", i, p.Statement.Kind, p.Why)
		}
		if len(p.Edits) == 0 && (p.Method == rewrite.MethodProbe || p.Method == rewrite.MethodExact) && p.Bind == 0 && p.Statement.Limit.Form == rewrite.LimitNone {
			t.Errorf("statement %d, %s, is to be probed without an edit", i, p.Statement.Kind)
		}
		if i > 3 {
			break
		}
		m := p.Meter()
		m.Row()
		r.Notice(m.Outcome())
		if _, err := d.SetLimit(p.Statement, 5); err != nil && strings.TrimSpace(err.Error()) == "" {
			t.Error("SetLimit says nothing")
		}
	}
	r.Guard("why")
}
