package rewrite

import "container/list"

// lru keeps values within a number of bytes, those that were used last. It is not
// safe for concurrent use.
type lru[K comparable, V any] struct {
	most, bytes int
	entries     map[K]*list.Element
	order       list.List // of *lruEntry[K, V], newest first
}

type lruEntry[K comparable, V any] struct {
	key   K
	value V
	bytes int
}

func newLRU[K comparable, V any](most int) lru[K, V] {
	return lru[K, V]{most: most, entries: map[K]*list.Element{}}
}

// use returns the value of an element of entries, and makes it the newest.
func (l *lru[K, V]) use(e *list.Element) V {
	l.order.MoveToFront(e)
	return e.Value.(*lruEntry[K, V]).value
}

// put keeps v, which takes some bytes, under k. What is there already stays, and
// one value that would push out much of the rest is not kept.
func (l *lru[K, V]) put(k K, v V, bytes int) {
	if bytes > l.most/16 || l.entries[k] != nil {
		return
	}
	l.entries[k] = l.order.PushFront(&lruEntry[K, V]{k, v, bytes})
	l.bytes += bytes
	for l.bytes > l.most {
		last := l.order.Remove(l.order.Back()).(*lruEntry[K, V])
		delete(l.entries, last.key)
		l.bytes -= last.bytes
	}
}
