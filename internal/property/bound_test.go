package property

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/internal/sqlgen"
	"github.com/rowcap/rowcap/rewrite"
)

// value is what a client binds to a parameter.
type value struct {
	// v is nil, an int64, and on MySQL and MariaDB a uint64, float64 or string.
	v any
	// declared is the type that the client says, 0 if it leaves that to the server, and
	// binary the format it would like to send. Both are PostgreSQL's.
	declared uint32
	binary   bool
}

// values are those of the parameters of each use.
type values map[sqlgen.Param]value

// boundSession is a session that prepares statements and binds values.
type boundSession interface {
	session
	// runBound prepares a text, binds and executes. types are those that the
	// server gives the parameters, where it tells.
	runBound(t fataler, text string, values []value, bound *uint64) (out []answer, types []uint32, failed *failure)
	// bind does what a door does with a plan and the value of its limit, of the type
	// that the server gave it: what it plans for this execution, and what it sends on.
	bind(t fataler, p rewrite.Plan, v value, typ uint32) (rewrite.Plan, value)
	// drawValue draws how n is bound.
	drawValue(t *rapid.T, n int64) value
}

func TestPostgresParameters(t *testing.T) { checkBound(t, openPostgres(t, dbtest.Postgres(t))...) }

func TestPostgres18Parameters(t *testing.T) {
	checkBound(t, openPostgres(t, dbtest.PostgresVersion(t, 18))...)
}

func TestMariaDBParameters(t *testing.T) { checkBound(t, openMySQL(t, dbtest.StartMariaDB(t))...) }

func TestMySQLParameters(t *testing.T) { checkBound(t, openMySQL(t, dbtest.StartMySQL(t))...) }

// checkBound is check for statements whose limits are parameters.
func checkBound(t *testing.T, sessions ...session) {
	counts := &tally{}
	generators := make([]*rapid.Generator[sqlgen.Statement], len(sessions))
	for i, s := range sessions {
		target := s.target()
		target.Params = true
		generators[i] = sqlgen.Statements(target)
	}
	var last *drawn
	defer func() { report(t, counts, last) }()
	sqlgen.Check(t, budget/3, func(t *rapid.T) {
		i := rapid.IntRange(0, len(sessions)-1).Draw(t, "session")
		c := drawBound(t, sessions[i].(boundSession), generators[i].Draw(t, "statement"), counts)
		if c == nil {
			return
		}
		if why := c.fails(counts); why != "" {
			last = c
			t.Fatal(why)
		}
	})
	if read, all := counts.counts["the limit's value was read"], counts.counts["statements"]; all > 200 && read*20 < all {
		t.Errorf("only %d of %d statements had a limit whose value was read", read, all)
	}
	counts.accepted(t)
}

// drawBound draws a policy and values for a statement with parameters.
func drawBound(t *rapid.T, s boundSession, st sqlgen.Statement, counts *tally) *drawn {
	c := &drawn{session: s, statement: st}
	counts.count("statements")
	counts.count("class " + string(st.Class))
	c.values = values{sqlgen.NoParam: s.drawValue(t, 0), sqlgen.ParamValue: s.drawValue(t, 3),
		sqlgen.ParamOffset: s.drawValue(t, 0), sqlgen.ParamCount: s.drawValue(t, 4)}
	all, failed := c.run(t, st.WithoutLimit(), st.WithoutLimit().Text(), nil)
	if failed.gone() {
		counts.count("the original: " + failed.code)
		return nil
	}
	total := 0
	if len(all) == 1 {
		total = len(all[0].rows)
	}
	c.policy, c.ask = drawPolicy(t, total, !isPostgres(s))
	limits := []int64{int64(c.policy.DefaultLimit), int64(c.policy.MaxLimit), int64(c.ask.Limit), int64(total)}
	n := rapid.SampledFrom(limits).Draw(t, "about") + rapid.Int64Range(-2, 2).Draw(t, "off")
	switch rapid.IntRange(0, 9).Draw(t, "extreme") {
	case 7:
		n = math.MaxInt64
	case 8:
		n = -1
	case 9:
		n = rapid.Int64Range(0, 40000).Draw(t, "any")
	}
	c.values[sqlgen.ParamCount] = s.drawValue(t, n)
	c.values[sqlgen.ParamOffset] = s.drawValue(t, rapid.Int64Range(0, 6).Draw(t, "offset"))
	c.sibling = st.Sibling(t).Text()
	c.whole, c.failed = c.run(t, st, st.Text(), c.ask.Session)
	if c.failed.gone() {
		counts.count("the original: " + c.failed.code)
		return nil
	}
	if m, ok := s.(*mysqlSession); ok && c.failed == nil && m.overflows(c.values) && total > 0 && len(c.whole) == 1 && len(c.whole[0].rows) == 0 {
		counts.count("the original: none of a UNION's rows, as its limit and offset overflow")
		return nil
	}
	c.countRejected(counts)
	return c
}

// bindings are the values of the parameters of st, which is the statement or what is
// left of it without its limit, in order.
func (c *drawn) bindings(st sqlgen.Statement) (out []value) {
	params, there := st.Params(), st.Params()
	if isPostgres(c.session) {
		params = c.statement.Params() // by their numbers, which stay
	}
	for i, p := range params {
		v := c.values[p]
		if (i >= len(there) || there[i] != p) && v.declared == 0 || p == sqlgen.NoParam {
			v.declared = 20 // nothing in the text tells the type
		}
		out = append(out, v)
	}
	return out
}

// run runs text, which is the statement's or an edited one, with the values of its
// parameters.
func (c *drawn) run(t fataler, st sqlgen.Statement, text string, bound *uint64) ([]answer, *failure) {
	if c.values == nil {
		return c.session.run(t, text, bound)
	}
	out, types, failed := c.session.(boundSession).runBound(t, text, c.bindings(st), bound)
	if text == st.Text() {
		c.types = types
	}
	return out, failed
}

// runSent runs what is sent, and makes the plans those of this execution.
func (c *drawn) runSent(t fataler, script *rewrite.Script, counts *tally) ([]answer, *failure) {
	if c.values == nil {
		return c.session.run(t, script.SQL(), c.ask.Session)
	}
	s, bound := c.session.(boundSession), c.bindings(c.statement)
	original := c.types
	if len(original) == 0 {
		_, original, _ = s.runBound(t, c.statement.Text(), bound, c.ask.Session)
	}
	text := script.SQL()
	if len(script.Plans) == 1 {
		p := script.Plans[0]
		at := max(p.Bind, p.Statement.Limit.Param)
		if p.Statement.Limit.Form != rewrite.LimitParam {
			at = 0
		}
		if p.Statement.Kind != rewrite.KindUnknown && p.Bind > 0 && at != p.Bind {
			t.Fatalf("the parameter of the limit is %d, the one to bind %d", p.Statement.Limit.Param, p.Bind)
		}
		if at > 0 {
			if roles := c.statement.Params(); at > len(roles) || roles[at-1] != sqlgen.ParamCount {
				t.Fatalf("parameter %d is said to be the limit, parameters are for %v", at, roles)
			}
			typ := uint32(0)
			if at <= len(original) {
				typ = original[at-1]
			}
			var now rewrite.Plan
			now, bound[at-1] = s.bind(t, p, bound[at-1], typ)
			if now.Cap.Rows > p.Cap.Rows {
				t.Fatalf("the cap %v is %v with the limit bound", p.Cap, now.Cap)
			}
			c.replaced = bound[at-1] != c.bindings(c.statement)[at-1]
			if now.Method != p.Method || now.Cap != p.Cap {
				counts.count("the limit's value was read")
			}
			script.Plans = slices.Clone(script.Plans)
			script.Plans[0] = now
		}
	}
	out, types, failed := s.runBound(t, text, bound, c.ask.Session)
	if !slices.Equal(types, original) {
		t.Fatalf("the server gives the parameters the types %v, in the original %v", types, original)
	}
	return out, failed
}
