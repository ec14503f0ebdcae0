package rewrite

import (
	"hash/maphash"
	"strings"
	"sync"
	"unsafe"
)

const (
	// memoryText is the length in bytes of the longest text that is remembered,
	// whole or by its shape.
	memoryText = 64 << 10
	// memoryBytes bounds what is remembered of texts, and again of shapes,
	// whatever clients send.
	memoryBytes = 32 << 20
	// memoryReadings is how many dialects are known at a time.
	memoryReadings = 1 << 10
	// memorySeen is how many texts are known to have come once.
	memorySeen = 1 << 13
	// Estimates of what an entry, a plan and an edit take, in bytes.
	entryBytes = 256
	planBytes  = 448
	editBytes  = 40
)

// memory remembers what was planned, by the exact text, and what was learnt, by
// the text's shape. Rewriters of one policy share it: a reading stands for the
// dialect, with its settings, that a text was read by. It is safe for concurrent
// use.
type memory struct {
	seed maphash.Seed

	mu       sync.Mutex
	readings lru[Dialect, reading]
	last     reading
	scripts  scripts
	shapes   lru[string, *shape]
	// seen has the hashes of texts that came once, each in the place that its
	// hash gives it. A text is remembered when it comes the second time, so that
	// texts that differ in every literal do not push out those that repeat.
	seen [memorySeen]uint64
}

// reading is the number of a dialect with its settings. No two dialects get the
// same one.
type reading uint32

// scriptKey is all that a script depends on, but for the policy.
type scriptKey struct {
	text    string
	limit   uint64
	session uint64
	bounded bool // by session
	own     uint64
	reading reading
}

func newMemory() *memory {
	return &memory{seed: maphash.MakeSeed(), readings: newLRU[Dialect, reading](memoryReadings),
		scripts: scripts{most: memoryBytes}, shapes: newLRU[string, *shape](memoryBytes)}
}

// reading returns the number of d. Dialects that read alike are equal, so that
// sessions with the same settings share what is remembered.
func (m *memory) reading(d Dialect) reading {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.readings.entries[d]; e != nil {
		return m.readings.use(e)
	}
	m.last++
	m.readings.put(d, m.last, 1)
	return m.last
}

// script returns the entry of the script that is remembered under k. If there is none,
// admit says whether one should be put.
func (m *memory) script(k *scriptKey) (e *scriptEntry, admit bool) {
	if len(k.text) > memoryText {
		return nil, false
	}
	hash := maphash.Comparable(m.seed, *k)
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.scripts.find(hash, k); e != nil {
		return e, false
	}
	hash = maphash.String(m.seed, k.text) // of the text alone, however it was asked for
	seen := &m.seen[hash%memorySeen]
	admit = *seen == hash
	*seen = hash
	return nil, admit
}

// putScript remembers s under k. The caller does not change s any more, and k.text
// is not part of a larger string.
func (m *memory) putScript(k scriptKey, s Script) {
	bytes := entryBytes + len(k.text) + len(s.sent)
	for _, p := range s.Plans {
		bytes += planBytes + len(p.Why)
		for _, e := range p.Edits {
			bytes += editBytes + len(e.Text)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.scripts.put(maphash.Comparable(m.seed, k), k, s, bytes)
}

// shape returns what was learnt under key.
func (m *memory) shape(key []byte) *shape {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.shapes.entries[string(key)]; e != nil {
		return m.shapes.use(e)
	}
	return nil
}

// putShape remembers what was learnt under key, and returns what is remembered.
func (m *memory) putShape(key []byte, s *shape) *shape {
	bytes := entryBytes + len(key) + len(s.statements)*planBytes
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shapes.put(string(key), s, bytes)
	if e := m.shapes.entries[string(key)]; e != nil {
		return m.shapes.use(e)
	}
	return s
}

// ScriptOf is Script for a text that stands in a buffer, which may change afterwards.
func (r *Rewriter) ScriptOf(sql []byte, ask Ask) Script {
	k := r.key(unsafe.String(unsafe.SliceData(sql), len(sql)), ask) // not kept
	e, admit := r.memory.script(&k)
	if e != nil {
		return e.script
	}
	k.text = string(sql)
	return r.learned(k, ask, admit)
}

// remembered returns the script for sql from memory, or plans it.
func (r *Rewriter) remembered(sql string, ask Ask) Script {
	k := r.key(sql, ask)
	e, admit := r.memory.script(&k)
	if e != nil {
		return e.script
	}
	if admit {
		// The copy keeps a large buffer that sql may be part of out of the memory.
		k.text = strings.Clone(sql)
	}
	return r.learned(k, ask, admit)
}

// key is what a script of sql is remembered under.
func (r *Rewriter) key(sql string, ask Ask) scriptKey {
	if ask.Default == 0 {
		ask.Default = r.own
	}
	k := scriptKey{text: sql, limit: ask.Limit, own: ask.Default, reading: r.reading}
	if ask.Session != nil {
		k.session, k.bounded = *ask.Session, true
	}
	return k
}

// learned plans the text of k anew, and remembers the script if it was admitted.
func (r *Rewriter) learned(k scriptKey, ask Ask, admit bool) Script {
	if ask.Default == 0 {
		ask.Default = r.own
	}
	s := r.script(k.text, ask)
	if admit {
		r.memory.putScript(k, s)
	}
	return s
}
