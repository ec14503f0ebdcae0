package postgres

import "strings"

// position reports a cell that says where in the text a node stands, which is no
// part of its meaning.
func (t *tree) position(i int32) bool {
	if t.cells[i].kind != '0' {
		return false
	}
	key := t.key(i)
	return strings.HasSuffix(key, "location") || key == "stmt_len"
}

// same reports that two nodes mean the same, wherever they stand. Members
// listed in but are left out of the comparison at n and m themselves.
func same(n, m node, but ...string) bool {
	if n.t == nil || m.t == nil {
		return n.t == m.t
	}
	i, j := n.i+1, m.i+1
	iEnd, jEnd := n.t.cells[n.i].end, m.t.cells[m.i].end
	if n.t.cells[n.i].kind != m.t.cells[m.i].kind {
		return false
	}
	if i == iEnd && j == jEnd {
		return n.text() == m.text()
	}
	for {
		i, j = skipCells(n, i, iEnd, but), skipCells(m, j, jEnd, but)
		if i >= iEnd || j >= jEnd {
			return i >= iEnd && j >= jEnd
		}
		c, d := n.t.cells[i], m.t.cells[j]
		if c.kind != d.kind || n.t.key(i) != m.t.key(j) {
			return false
		}
		if !same(node{n.t, i}, node{m.t, j}) {
			return false
		}
		i, j = c.end, d.end
	}
}

// skipCells moves over the children of n from i on that are positions or in but.
func skipCells(n node, i, end int32, but []string) int32 {
next:
	for i < end {
		if n.t.position(i) {
			i = n.t.cells[i].end
			continue
		}
		for _, name := range but {
			if n.t.key(i) == name {
				i = n.t.cells[i].end
				continue next
			}
		}
		return i
	}
	return i
}
