package mysql

import (
	"fmt"
	"sync"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"
)

// tidbParsers holds parsers; one is not safe for concurrent use.
var tidbParsers = sync.Pool{New: func() any {
	installValues()
	p := parser.New()
	// What parser.New sets, but that nodes do not learn where they stand.
	p.SetParserConfig(parser.ParserConfig{EnableWindowFunction: true, EnableStrictDoubleTypeCheck: true, SkipPositionRecording: true})
	return p
}}

// parseTiDB reads one statement with TiDB's parser.
func parseTiDB(r reading, s *settings) (node ast.StmtNode, err error) {
	defer func() {
		if p := recover(); p != nil {
			node, err = nil, fmt.Errorf("the parser failed: %v", p)
		}
	}()
	p := tidbParsers.Get().(*parser.Parser)
	p.SetSQLMode(s.tidbMode())
	nodes, _, err := p.ParseSQL(r.text)
	if err != nil {
		tidbParsers.Put(p)
		return nil, err
	}
	if len(nodes) != 1 {
		err = fmt.Errorf("the parser sees %d statements", len(nodes))
	} else {
		node = nodes[0]
	}
	tidbParsers.Put(p)
	return node, err
}

func (s *settings) tidbMode() mysql.SQLMode {
	mode := mysql.SQLMode(0)
	for _, m := range []struct {
		on   bool
		mode mysql.SQLMode
	}{
		{s.ansiQuotes, mysql.ModeANSIQuotes},
		{s.pipesAsConcat, mysql.ModePipesAsConcat},
		{s.ignoreSpace, mysql.ModeIgnoreSpace},
		{s.noBackslash, mysql.ModeNoBackslashEscapes},
		{s.highNot, mysql.ModeHighNotPrecedence},
	} {
		if m.on {
			mode |= m.mode
		}
	}
	return mode
}

// tidbTree is TiDB's view of a SELECT or of a set operation; one of the two is
// set.
type tidbTree struct {
	query  *ast.SelectStmt
	set    *ast.SetOprStmt
	params []readParam
}

// newTiDBTree returns nil for other statements.
func newTiDBTree(node ast.StmtNode, r reading) *tidbTree {
	switch n := node.(type) {
	case *ast.SelectStmt:
		return &tidbTree{query: n, params: r.params}
	case *ast.SetOprStmt:
		return &tidbTree{set: n, params: r.params}
	}
	return nil
}

func (t *tidbTree) clause() **ast.Limit {
	if t.query != nil {
		return &t.query.Limit
	}
	return &t.set.Limit
}

func (t *tidbTree) limit() treeLimit {
	l := *t.clause()
	if l == nil {
		return treeLimit{}
	}
	return treeLimit{there: true, count: t.operand(l.Count), offset: t.operand(l.Offset)}
}

func (t *tidbTree) operand(e ast.ExprNode) operand {
	switch v := e.(type) {
	case nil:
		return operand{}
	case *param:
		for _, p := range t.params {
			if p.offset == v.offset {
				return operand{param: p.number}
			}
		}
	case *value:
		switch n := v.datum.(type) {
		case int64:
			return operand{rows: uint64(n)}
		case uint64:
			return operand{rows: n}
		}
	}
	return operand{bad: true}
}

func (t *tidbTree) sameButCount(other tree) bool {
	o, ok := other.(*tidbTree)
	if !ok {
		return false
	}
	a, b := *t.clause(), *o.clause()
	*t.clause(), *o.clause() = nil, nil
	defer func() { *t.clause(), *o.clause() = a, b }()
	return sameNodes(offsetOf(a), offsetOf(b)) && sameNodes(t.node(), o.node())
}

func (t *tidbTree) node() ast.Node {
	if t.query != nil {
		return t.query
	}
	return t.set
}

func offsetOf(l *ast.Limit) ast.Node {
	if l == nil {
		return nil
	}
	return l.Offset
}
