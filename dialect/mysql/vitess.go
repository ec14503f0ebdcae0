package mysql

import (
	"fmt"
	"strconv"
	"sync"

	"vitess.io/vitess/go/vt/sqlparser"
)

var vitessParser = sync.OnceValues(func() (*sqlparser.Parser, error) {
	return sqlparser.New(sqlparser.Options{MySQLServerVersion: "8.4.0"})
})

// vitessReads reports whether Vitess's parser may be believed alone. It knows
// no sql_mode, and its tree loses the inner limits of a text that begins with a
// bracket.
func (s *source) vitessReads() bool {
	return !s.isOp(0, '(') && !s.ansiQuotes && !s.noBackslash
}

// parseVitess reads one statement with Vitess's parser.
func parseVitess(r reading) (st sqlparser.Statement, err error) {
	defer func() {
		if p := recover(); p != nil {
			st, err = nil, fmt.Errorf("the parser failed: %v", p)
		}
	}()
	p, err := vitessParser()
	if err != nil {
		return nil, err
	}
	return p.ParseStrictDDL(r.text)
}

// vitessTree is Vitess's view of a statement that returns rows.
type vitessTree struct {
	query  sqlparser.TableStatement
	params []readParam
}

// newVitessTree returns nil for statements that are no queries.
func newVitessTree(st sqlparser.Statement, r reading) *vitessTree {
	switch q := st.(type) {
	case *sqlparser.Select:
		return &vitessTree{q, r.params}
	case *sqlparser.Union:
		return &vitessTree{q, r.params}
	case *sqlparser.ValuesStatement:
		return &vitessTree{q, r.params}
	}
	return nil
}

func (t *vitessTree) clause() **sqlparser.Limit {
	switch q := t.query.(type) {
	case *sqlparser.Select:
		return &q.Limit
	case *sqlparser.Union:
		return &q.Limit
	}
	return &t.query.(*sqlparser.ValuesStatement).Limit
}

func (t *vitessTree) limit() treeLimit {
	l := *t.clause()
	if l == nil {
		return treeLimit{}
	}
	return treeLimit{there: true, count: t.operand(l.Rowcount), offset: t.operand(l.Offset)}
}

func (t *vitessTree) operand(e sqlparser.Expr) operand {
	switch v := e.(type) {
	case nil:
		return operand{}
	case *sqlparser.Literal:
		// It takes LIMIT 0x8; servers do not.
		if n, err := strconv.ParseUint(v.Val, 10, 64); v.Type == sqlparser.IntVal && err == nil {
			return operand{rows: n}
		}
	case *sqlparser.Argument:
		// Question marks are named v1, v2, … in order.
		if len(v.Name) > 1 && v.Name[0] == 'v' {
			if n, err := strconv.Atoi(v.Name[1:]); err == nil && n >= 1 && n <= len(t.params) {
				return operand{param: t.params[n-1].number}
			}
		}
	}
	return operand{bad: true}
}

func (t *vitessTree) sameButCount(other tree) bool {
	o, ok := other.(*vitessTree)
	if !ok {
		return false
	}
	a, err := t.withoutCount()
	if err != nil {
		return false
	}
	b, err := o.withoutCount()
	return err == nil && a == b
}

// withoutCount prints the query with 0 for the count of its outermost limit.
func (t *vitessTree) withoutCount() (text string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the printer failed: %v", p)
		}
	}()
	l := &sqlparser.Limit{Rowcount: sqlparser.NewIntLiteral("0")}
	if own := *t.clause(); own != nil {
		l.Offset = own.Offset
	}
	switch q := t.query.(type) {
	case *sqlparser.Select:
		c := *q
		c.Limit = l
		return sqlparser.String(&c), nil
	case *sqlparser.Union:
		c := *q
		c.Limit = l
		return sqlparser.String(&c), nil
	}
	c := *t.query.(*sqlparser.ValuesStatement)
	c.Limit = l
	return sqlparser.String(&c), nil
}

// facts notes what Vitess's tree tells of the outermost level.
func (t *vitessTree) facts(f *queryFacts, _ *source) {
	switch q := t.query.(type) {
	case *sqlparser.Select:
		f.ordered = len(q.OrderBy) > 0
		f.grouped = q.GroupBy != nil
	case *sqlparser.Union:
		f.ordered = len(q.OrderBy) > 0
	case *sqlparser.ValuesStatement:
		f.ordered = len(q.Order) > 0
	}
}
