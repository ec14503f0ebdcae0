package mysql

import (
	"errors"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/rowcap/rowcap/rewrite"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Parse reads a script. Its error is always nil: a text whose statements cannot
// be told apart comes back as one statement of unknown kind.
func (d dialect) Parse(sql string) ([]rewrite.Statement, error) {
	if st, ok := d.long(sql); ok {
		return []rewrite.Statement{st}, nil
	}
	return parseScript(sql, d.settings), nil
}

// parseScript reads a script in such a session.
func parseScript(sql string, session settings) []rewrite.Statement {
	sources := session.cut(sql)
	statements := make([]rewrite.Statement, len(sources))
	for i, s := range sources {
		if i > 0 && sources[i-1].is(0, "USE") {
			elsewhere := session
			elsewhere.database = ""
			for _, later := range sources[i:] {
				later.settings = &elsewhere
			}
		}
		statements[i] = s.statement()
	}
	keep(sources)
	return statements
}

// cut cuts a script into its statements, if it can be read.
func (s *settings) cut(sql string) []*source {
	if obstacle := s.obstacle(sql); obstacle != "" {
		return whole(sql, s, obstacle)
	}
	return split(sql, s)
}

// statement finds out the facts.
func (s *source) statement() rewrite.Statement {
	st := rewrite.Statement{Text: s.text, Pos: s.pos, ReturnsRows: true, Obstacle: s.fault}
	if s.fault != "" {
		if s.routine() {
			st.Kind = rewrite.KindUtility
			st.Writes = true
		}
		return st
	}
	if s.isQuery() {
		s.query(&st)
	} else {
		s.classify(&st)
	}
	if !st.ReturnsRows {
		st.Obstacle = ""
	}
	return st
}

// isQuery reports text that begins as a query does. WITH may turn out to be a
// write.
func (s *source) isQuery() bool {
	return s.is(0, "SELECT") || s.is(0, "WITH") || s.isOp(0, '(') || s.is(0, "VALUES") || s.is(0, "TABLE")
}

// parsed is a query as its parser and the lexer saw it.
type parsed struct {
	tree   tree
	clause *clause
	facts  queryFacts
	// plain reports the second reading; see plainForm.
	plain bool
	// change is KindUpdate or KindDelete for a write behind WITH, and tree is nil.
	change rewrite.Kind
}

// parse reads a query with TiDB's parser, or with Vitess's where that cannot and
// where Vitess's may be believed, or with either in a second, plainer reading.
func (s *source) parse() (*parsed, error) {
	switch {
	case s.tooLarge != "":
		return nil, errors.New(s.tooLarge)
	case s.unread != "":
		return nil, errors.New(s.unread)
	}
	c := s.findClause()
	first := s.read(c, false)
	p := &parsed{clause: c}
	if err := p.take(first, s); err != errUnread {
		return p, err
	}
	plain := s.read(c, true)
	if plain.text == first.text {
		return nil, errUnread
	}
	p = &parsed{clause: c, plain: true}
	return p, p.take(plain, s)
}

// look finds out what the tree tells of the outermost level.
func (p *parsed) look(s *source) {
	p.tree.facts(&p.facts, s)
	if p.plain {
		p.facts.catalog = false // what was left out may read other tables
	}
}

// take has the parsers read r.
func (p *parsed) take(r reading, s *source) error {
	if node, err := parseTiDB(r, s.settings); err == nil {
		return p.checked(p.takeTiDB(node, r))
	}
	if !s.vitessReads() {
		return errUnread
	}
	node, err := parseVitess(r)
	if err != nil {
		return errUnread
	}
	return p.checked(p.takeVitess(node, r))
}

// checked returns err, or an error for limits that are no numbers and no
// parameters: the parsers know forms that the servers do not.
func (p *parsed) checked(err error) error {
	if err != nil || p.tree == nil {
		return err
	}
	if l := p.tree.limit(); l.count.bad || l.offset.bad {
		return errUnread
	}
	return nil
}

func (p *parsed) takeTiDB(node ast.StmtNode, r reading) error {
	switch node.(type) {
	case *ast.UpdateStmt:
		p.change = rewrite.KindUpdate
		return nil
	case *ast.DeleteStmt:
		p.change = rewrite.KindDelete
		return nil
	}
	t := newTiDBTree(node, r)
	if t == nil {
		return errNotQuery
	}
	p.tree = t
	return nil
}

func (p *parsed) takeVitess(node sqlparser.Statement, r reading) error {
	switch node.(type) {
	case *sqlparser.Update:
		p.change = rewrite.KindUpdate
		return nil
	case *sqlparser.Delete:
		p.change = rewrite.KindDelete
		return nil
	}
	t := newVitessTree(node, r)
	if t == nil {
		return errNotQuery
	}
	p.tree = t
	return nil
}

// query finds out the facts of a query.
func (s *source) query(st *rewrite.Statement) {
	w := s.lookAt()
	st.Locks, st.Volatile, st.CutByServer = w.locks, w.volatile, w.examined
	if w.into {
		if w.depthOfInto > 0 || w.setAfterInto || s.tooLarge != "" {
			st.Obstacle = "INTO stands inside of the statement"
			return
		}
		st.Kind, st.ReturnsRows = rewrite.KindSelectInto, false
		return
	}
	p, err := s.parse()
	if err != nil {
		st.Obstacle = err.Error()
		return
	}
	if p.change != rewrite.KindUnknown {
		s.write(st, p.change)
		return
	}
	p.look(s)
	s.parsed = p
	st.Kind = rewrite.KindSelect
	st.Ordered, st.Grouped = p.facts.ordered, p.facts.grouped
	st.CatalogOnly = p.facts.catalog
	st.Limit = p.limit()
	st.AtMostOneRow = p.facts.oneRow ||
		st.Limit.Form == rewrite.LimitLiteral && st.Limit.Rows <= 1 && !st.Limit.WithTies
	st.Obstacle = s.queryFault(w, p)
	st.ServerFault = st.Obstacle != ""
	if !st.ServerFault {
		st.Obstacle = s.queryObstacle(p)
	}
	st.Limitable = st.Obstacle == ""
}

// limit returns the query's own limit.
func (p *parsed) limit() rewrite.Limit {
	t := p.tree.limit()
	var l rewrite.Limit
	if !t.there {
		return l
	}
	l.Offset = t.offset.rows
	switch {
	case p.clause != nil && p.clause.noCount:
	case t.count.param > 0:
		l.Form, l.Param, l.AtBind = rewrite.LimitParam, t.count.param, true
	default:
		l.Form, l.Rows = rewrite.LimitLiteral, t.count.rows
	}
	l.WithTies = p.clause != nil && p.clause.ties >= 0
	return l
}

// Versions since which an inner limit and one around its brackets both hold.
const (
	nestedLimitsMySQL   = 80022
	nestedLimitsMariaDB = 100400
)

// queryFault names the fault of the server that a limit would bring out, empty if none
// is known.
func (s *source) queryFault(w words, p *parsed) string {
	switch {
	case w.distinct && w.rollup:
		return "the server returns too few rows of DISTINCT with ROLLUP under a LIMIT"
	case !s.mariadb && p.facts.ordered && s.readTwice():
		return "the server drops the ORDER BY over a table of WITH that is read twice under a LIMIT"
	case w.changing && (w.distinct || w.grouping):
		return "the rows depend on functions that change with every row"
	case p.clause != nil && p.clause.ties >= 0 && p.tree.limit().count.param > 0:
		return ""
	case p.clause != nil && p.clause.ties >= 0 && w.distinct:
		// Of constants it returns one row as ONLY.
		return "the server forgets DISTINCT over constants before WITH TIES"
	}
	return ""
}

// queryObstacle says why a limit in the text would not be sound, empty if it
// would.
func (s *source) queryObstacle(p *parsed) string {
	since := nestedLimitsMySQL
	if s.mariadb {
		since = nestedLimitsMariaDB
	}
	switch {
	case p.clause != nil && p.clause.ties >= 0 && p.tree.limit().count.param > 0:
		return "WITH TIES can return more rows than its parameter"
	case p.clause != nil && p.clause.ties >= 0 && !p.facts.ordered:
		// As ONLY it would be right.
		return "the server refuses WITH TIES without ORDER BY"
	case s.bound && !s.mariadb:
		return "a hint of the statement sets sql_select_limit"
	case p.facts.nested && s.version < since:
		return "the server may take an outer LIMIT for the inner one"
	case p.facts.nested && p.tree.limit().count.rows == rewrite.NoLimit:
		return "the server drops an inner limit under the largest number"
	}
	return ""
}
