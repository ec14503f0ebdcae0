package dialect

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/rowcap/rowcap/rewrite"
)

// key is what an answer is remembered by: the exact text, and for SetLimit
// (limit is true) the number of rows.
type key struct {
	variant uint64
	text    string
	rows    uint64
	limit   bool
}

// answer is what Parse or SetLimit returned.
type answer struct {
	statements []rewrite.Statement
	edits      []rewrite.Edit
	err        error
}

const (
	entryBytes     = 256 // map slot, list element, key and answer
	statementBytes = 224
	editBytes      = 40
)

// cost is about how many bytes it takes to remember a under k.
func cost(k key, a answer) int {
	n := entryBytes + len(k.text)
	for _, st := range a.statements {
		n += statementBytes + len(st.Obstacle)
	}
	for _, e := range a.edits {
		n += editBytes + len(e.Text)
	}
	if a.err != nil {
		n += len(a.err.Error())
	}
	return n
}

// memory keeps the answers that were used last, within a number of entries and
// a number of bytes. It is safe for concurrent use.
type memory struct {
	most int // bytes

	mu    sync.Mutex
	bytes int
	kept  *simplelru.LRU[key, answer]
}

func newMemory(entries, bytes int) *memory {
	m := &memory{most: bytes}
	kept, err := simplelru.NewLRU(entries, func(k key, a answer) { m.bytes -= cost(k, a) })
	if err != nil {
		panic(err) // the size is a positive constant
	}
	m.kept = kept
	return m
}

func (m *memory) get(k key) (answer, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.kept.Get(k)
}

func (m *memory) put(k key, a answer) {
	n := cost(k, a)
	if n > m.most/16 {
		return // one text of thousands of statements must not push out the rest
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept.Contains(k) {
		return // another session read it at the same time
	}
	m.bytes += n
	m.kept.Add(k, a)
	for m.bytes > m.most {
		m.kept.RemoveOldest()
	}
}

// size returns what is kept: the entries and about how many bytes they take.
func (m *memory) size() (entries, bytes int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.kept.Len(), m.bytes
}
