package mysql

import "sync"

// maxKept is the most statements of a script that is kept.
const maxKept = 64

// kept is a script as it was read last, so that a limit can be written into its
// statements without reading them once more. It belongs to whoever took it.
type kept struct {
	sources []*source
	// next is where the statement asked for is likely to be.
	next int
}

// keptScripts holds a script for each that reads at a time, until the garbage
// collector takes it.
var keptScripts sync.Pool

// takeKept returns a script that was kept, or an empty one.
func takeKept() *kept {
	if k, ok := keptScripts.Get().(*kept); ok {
		return k
	}
	return new(kept)
}

// giveBack keeps the script for whoever asks next.
func (k *kept) giveBack() { keptScripts.Put(k) }

// keep keeps a script in place of the last one.
func keep(sources []*source) {
	k := takeKept()
	k.put(sources)
	k.giveBack()
}

func (k *kept) put(sources []*source) {
	k.sources, k.next = nil, 0
	if len(sources) <= maxKept {
		k.sources = sources
	}
}

// find returns the query that text was read as in such a session, nil if it is not
// kept.
func (k *kept) find(text string, settings *settings) *source {
	for range k.sources {
		if k.next >= len(k.sources) {
			k.next = 0
		}
		if s := k.sources[k.next]; s.parsed != nil && s.text == text && *s.settings == *settings {
			return s
		}
		k.next++
	}
	return nil
}
