package config

import (
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// place is the key of a path in a table of lines.
func place(path []string) string { return strings.Join(path, "\x00") }

// lines returns the line of every table and key of a document that is known to be
// sound.
func lines(text []byte) (map[string]int, error) {
	found := map[string]int{}
	var table []string
	var p unstable.Parser
	p.Reset(text)
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = keyOf(&p, e, nil, found)
		case unstable.KeyValue:
			pairs(&p, e, table, found)
		}
	}
	return found, p.Error()
}

// pairs notes a key and, where its value is an inline table, the keys in it.
func pairs(p *unstable.Parser, pair *unstable.Node, table []string, found map[string]int) {
	path := keyOf(p, pair, table, found)
	value := pair.Value()
	if value.Kind != unstable.InlineTable {
		return
	}
	for it := value.Children(); it.Next(); {
		pairs(p, it.Node(), path, found)
	}
}

// keyOf returns the path of a node's key below a table. The parts of a dotted key are
// tables too.
func keyOf(p *unstable.Parser, n *unstable.Node, table []string, found map[string]int) []string {
	path := append([]string(nil), table...)
	for it := n.Key(); it.Next(); {
		part := it.Node()
		path = append(path, string(part.Data))
		if _, seen := found[place(path)]; !seen {
			found[place(path)] = p.Shape(part.Raw).Start.Line
		}
	}
	return path
}
