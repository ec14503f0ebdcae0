package postgres

import (
	"strconv"
	"strings"
)

// node is a place in a tree. The zero node is "not there": it has no members, no
// text and no children, so paths can be followed without checking each step.
type node struct {
	t *tree
	i int32
}

func (n node) there() bool { return n.t != nil }

// key returns the member name under which the node stands; a wrapped node's only
// member is named after its type.
func (n node) key() string {
	if n.t == nil {
		return ""
	}
	return n.t.key(n.i)
}

// get follows member names downwards.
func (n node) get(path ...string) node {
	for _, name := range path {
		if n.t == nil {
			return node{}
		}
		found := node{}
		for i, end := n.i+1, n.t.cells[n.i].end; i < end; i = n.t.cells[i].end {
			if n.t.key(i) == name {
				found = node{n.t, i}
				break
			}
		}
		n = found
	}
	return n
}

// only returns the first child: the typed node inside its wrapper.
func (n node) only() node {
	if n.t == nil || n.t.cells[n.i].end == n.i+1 {
		return node{}
	}
	return node{n.t, n.i + 1}
}

// children yields the members of an object or the elements of an array.
func (n node) children(yield func(node) bool) {
	if n.t == nil {
		return
	}
	for i, end := n.i+1, n.t.cells[n.i].end; i < end; i = n.t.cells[i].end {
		if !yield(node{n.t, i}) {
			return
		}
	}
}

// below yields the node and everything below it.
func (n node) below(yield func(node) bool) {
	if n.t == nil {
		return
	}
	for i, end := n.i, n.t.cells[n.i].end; i < end; i++ {
		if !yield(node{n.t, i}) {
			return
		}
	}
}

// has reports a node named key at n or anywhere below.
func (n node) has(key string) bool {
	for m := range n.below {
		if m.key() == key {
			return true
		}
	}
	return false
}

// text returns a scalar as it stands in the JSON text, "" if there is none.
func (n node) text() string {
	if n.t == nil {
		return ""
	}
	c := n.t.cells[n.i]
	return n.t.json[c.text:c.textEnd]
}

// str returns a string, its JSON escapes undone.
func (n node) str() string {
	s := n.text()
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	if u, err := strconv.Unquote(`"` + strings.ReplaceAll(s, `\/`, `/`) + `"`); err == nil {
		return u
	}
	return s
}

// int returns a number; members that are left out of the JSON text are 0.
func (n node) int() int64 {
	v, _ := strconv.ParseInt(n.text(), 10, 64)
	return v
}

// is reports a true member.
func (n node) is(name string) bool { return n.get(name).text() == "true" }

// strings returns the names in a list of String nodes, as in a qualified name.
func (n node) strings() []string {
	var names []string
	for item := range n.children {
		names = append(names, item.get("String", "sval").str())
	}
	return names
}

// location returns the smallest byte offset noted at the node or below, or -1.
func (n node) location() int {
	low := int64(-1)
	for m := range n.below {
		if m.key() == "location" {
			if at := m.int(); at >= 0 && (low < 0 || at < low) {
				low = at
			}
		}
	}
	return int(low)
}

// count returns the number of children.
func (n node) count() int {
	c := 0
	for range n.children {
		c++
	}
	return c
}
