package postgres

import "errors"

// tree is a raw parse tree, decoded from libpg_query's JSON. Its cells stand in
// the order of the text, each followed by all of its descendants, so a subtree
// is a range and "anywhere below" is a loop.
//
// Node names and members are those of PostgreSQL's src/include/nodes/parsenodes.h.
type tree struct {
	json  string
	cells []cell
}

// cell is one value of the JSON text: a range of it, the range of its member
// name, and the index after its last descendant.
type cell struct {
	key, keyEnd   int32
	text, textEnd int32
	end           int32
	kind          byte // '{' object, '[' array, '"' string, '0' number, 't' true or false
}

var errTree = errors.New("the parser returned a tree that cannot be read")

// decodeTree reads the JSON text that engineParse returned.
func decodeTree(json string) (*tree, error) {
	t := &tree{json: json, cells: make([]cell, 0, len(json)/14+8)}
	d := treeDecoder{t: t}
	if !d.value(0, 0) || d.at != len(json) {
		return nil, errTree
	}
	return t, nil
}

type treeDecoder struct {
	t  *tree
	at int
}

// value reads one value; key and keyEnd are the range of its member name. The
// parser writes no white space between tokens.
func (d *treeDecoder) value(key, keyEnd int) bool {
	s := d.t.json
	if d.at >= len(s) {
		return false
	}
	i := len(d.t.cells)
	d.t.cells = append(d.t.cells, cell{key: int32(key), keyEnd: int32(keyEnd), text: int32(d.at), kind: s[d.at]})
	ok := true
	switch c := s[d.at]; c {
	case '{', '[':
		ok = d.members(c)
		d.t.cells[i].textEnd = int32(d.at)
	case '"':
		d.t.cells[i].text++
		ok = d.stringEnd()
		d.t.cells[i].textEnd = int32(d.at - 1)
	default:
		for d.at < len(s) && s[d.at] != ',' && s[d.at] != '}' && s[d.at] != ']' {
			d.at++
		}
		d.t.cells[i].textEnd = int32(d.at)
		if c == 't' || c == 'f' {
			d.t.cells[i].kind = 't'
		} else {
			d.t.cells[i].kind = '0'
		}
	}
	d.t.cells[i].end = int32(len(d.t.cells))
	return ok
}

func (d *treeDecoder) members(open byte) bool {
	s, closing := d.t.json, open+2 // in ASCII '}' is '{'+2 and ']' is '['+2
	d.at++
	for first := true; ; first = false {
		if d.at >= len(s) {
			return false
		}
		if s[d.at] == closing {
			d.at++
			return true
		}
		if !first {
			if s[d.at] != ',' {
				return false
			}
			d.at++
		}
		key, keyEnd := 0, 0
		if open == '{' {
			if d.at >= len(s) || s[d.at] != '"' {
				return false
			}
			key = d.at + 1
			if !d.stringEnd() || d.at >= len(s) || s[d.at] != ':' {
				return false
			}
			keyEnd = d.at - 1
			d.at++
		}
		if !d.value(key, keyEnd) {
			return false
		}
	}
}

// stringEnd moves from an opening quote to after the closing one.
func (d *treeDecoder) stringEnd() bool {
	s := d.t.json
	for d.at++; d.at < len(s); d.at++ {
		switch s[d.at] {
		case '\\':
			d.at++
		case '"':
			d.at++
			return true
		}
	}
	return false
}

func (t *tree) root() node { return node{t, 0} }

func (t *tree) key(i int32) string { return t.json[t.cells[i].key:t.cells[i].keyEnd] }
