package dialecttest

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

// randomTexts is how many random texts are read.
const randomTexts = 3000

// checkRandom reads texts made of random pieces and bytes. Whatever they are, no
// reading panics, statements lie where they say, and a limit that was written is
// read back.
func checkRandom(t *testing.T, d rewrite.Dialect, samples Samples) {
	random := rand.New(rand.NewPCG(20261130, uint64(len(samples.Fragments))))
	for range randomTexts {
		sql := randomText(random, samples)
		statements, err := d.Parse(sql)
		if err != nil {
			continue
		}
		checkShape(t, sql, statements)
		for _, st := range statements {
			rows := random.Uint64N(5000) + 1
			edits, err := d.SetLimit(st, rows)
			if err != nil || st.Limit.AtBind {
				continue
			}
			if after, ok := one(t, d, rewrite.ApplyEdits(st.Text, edits)); ok {
				checkLimit(t, st, after, rows)
			}
		}
	}
}

// randomText returns pieces of samples in random order, or a sample with pieces and
// bytes put in and cut out.
func randomText(random *rand.Rand, samples Samples) string {
	fragment := func() string {
		if random.IntN(12) == 0 {
			return string([]byte{byte(random.UintN(256))})
		}
		return samples.Fragments[random.IntN(len(samples.Fragments))]
	}
	var text string
	if random.IntN(3) > 0 {
		text = samples.Limitable[random.IntN(len(samples.Limitable))]
		for range random.IntN(3) {
			at := random.IntN(len(text) + 1)
			text = text[:at] + fragment() + text[min(len(text), at+random.IntN(3)):]
		}
		return text
	}
	for range random.IntN(14) {
		text += fragment()
		if random.IntN(3) > 0 {
			text += " "
		}
	}
	return text
}

// checkConcurrent reads all samples from several goroutines at once; the results
// must be those of reading them one after the other.
func checkConcurrent(t *testing.T, d rewrite.Dialect, samples Samples) {
	texts := append(append(append([]string{}, samples.Limitable...), samples.Scripts...), samples.Unreadable...)
	want := make([][]rewrite.Statement, len(texts))
	for i, sql := range texts {
		want[i], _ = d.Parse(sql)
	}
	var wait sync.WaitGroup
	for worker := range 4 {
		wait.Go(func() {
			for n := range texts {
				i := (n + worker*len(texts)/4) % len(texts)
				got, _ := d.Parse(texts[i])
				if len(got) != len(want[i]) {
					t.Errorf("%q: %d statements beside other readings, %d alone", texts[i], len(got), len(want[i]))
					continue
				}
				for k := range got {
					if got[k] != want[i][k] {
						t.Errorf("%q: statement %d reads otherwise beside other readings", texts[i], k)
					}
					_, _ = d.SetLimit(got[k], 10)
				}
			}
		})
	}
	wait.Wait()
}
