package sqlgen

import "strconv"

// Param is what a parameter stands for. Its value is chosen by who runs the statement.
type Param uint8

// The parameters.
const (
	// NoParam is no parameter, or a number that no parameter has.
	NoParam Param = iota
	// ParamCount is the number of rows of the outermost limit, or a part of the
	// expression that is.
	ParamCount
	// ParamOffset is the offset of the outermost limit.
	ParamOffset
	// ParamValue is a number anywhere else.
	ParamValue
)

// Params returns what the statement's parameters stand for, in the order of their
// numbers.
func (s Statement) Params() (out []Param) {
	for _, t := range s.Tokens {
		if t.Param == NoParam {
			continue
		}
		at := len(out)
		if t.Text[0] == '$' {
			number, _ := strconv.Atoi(t.Text[1:])
			at = number - 1
		}
		for len(out) <= at {
			out = append(out, NoParam)
		}
		if out[at] != ParamCount { // one parameter may stand at several places
			out[at] = t.Param
		}
	}
	return out
}

// param appends a parameter.
func (g *gen) param(p Param) { g.tokens = append(g.tokens, Token{Text: "?", Param: p}) }

// paramValue appends a parameter whose type is told.
func (g *gen) paramValue() {
	g.put("CAST ~(")
	g.param(ParamValue)
	if g.postgres() {
		g.put("AS integer )")
	} else {
		g.put("AS SIGNED )")
	}
}

// numberParams gives PostgreSQL's parameters their numbers, in any order, and now and
// then one number to all.
func (g *gen) numberParams() {
	if !g.postgres() || !g.Params {
		return
	}
	var at []int
	for i, t := range g.tokens {
		if t.Param != NoParam {
			at = append(at, i)
		}
	}
	first, one := g.upTo(len(at)), g.chance(8)
	for i, k := range at {
		number := (first+i)%len(at) + 1
		if one {
			number = 1
		}
		g.tokens[k].Text = "$" + strconv.Itoa(number)
	}
}

// paramLimit appends a limit that is a parameter.
func (g *gen) paramLimit(l *Limit, ordered bool) (count span) {
	if g.postgres() {
		return g.postgresParam(l, ordered)
	}
	rows := func() span { return g.spanOf(func() { g.param(ParamCount) }) }
	offset := func() {
		g.st.offset = g.spanOf(func() { g.offsetParam() })
	}
	switch g.weigh(8, 3, 3, 2) {
	case 1:
		g.put("LIMIT")
		offset()
		g.put(",")
		return rows()
	case 2:
		g.put("LIMIT")
		count = rows()
		g.put("OFFSET")
		offset()
		return count
	case 3:
		if g.mariadb() {
			g.put("OFFSET")
			offset()
			g.put("ROWS FETCH NEXT")
			count = rows()
			g.put("ROWS ONLY")
			return count
		}
	}
	g.put("LIMIT")
	return rows()
}

// offsetParam appends an offset, mostly a parameter.
func (g *gen) offsetParam() {
	if g.chance(80) {
		g.param(ParamOffset)
	} else {
		g.number(g.upTo(5))
	}
}

func (g *gen) postgresParam(l *Limit, ordered bool) (count span) {
	offset := func() {
		g.put("OFFSET")
		g.st.offset = g.spanOf(func() { g.offsetParam() })
	}
	limit := func() {
		g.put("LIMIT")
		count = g.spanOf(g.paramCount)
	}
	switch g.weigh(8, 3, 3, 2, 4) {
	case 0:
		limit()
	case 1:
		limit()
		offset()
	case 2:
		offset()
		limit()
	case 3:
		*l = Limit{}
		g.put("OFFSET")
		g.st.offset = g.spanOf(func() { g.param(ParamOffset) })
		g.put(g.pick("", "ROWS"))
	case 4:
		if g.chance(40) {
			offset()
			g.put("ROWS")
		}
		g.put("FETCH " + g.pick("FIRST", "NEXT"))
		count = g.spanOf(func() {
			if g.chance(50) {
				g.param(ParamCount)
				return
			}
			g.brackets(g.paramCount)
		})
		g.put(g.pick("ROW", "ROWS"))
		if ordered && g.chance(15) {
			l.WithTies = true
			g.put("WITH TIES")
		} else {
			g.put("ONLY")
		}
	}
	return count
}

// paramCount appends a number of rows that is a parameter, cast or calculated with.
func (g *gen) paramCount() {
	p := func() { g.param(ParamCount) }
	switch g.weigh(8, 4, 1, 1, 1, 1, 1, 1, 1) {
	case 0:
		p()
	case 1:
		p()
		g.put("::")
		g.put(g.pick("int8", "int4", "int2", "bigint", "int", "smallint", "pg_catalog.int4"))
	case 2:
		g.put("CAST ~(")
		p()
		g.put("AS bigint )")
	case 3:
		p()
		g.put(":: " + g.pick("numeric", "float8"))
	case 4:
		p()
		g.put("+ 1")
	case 5:
		g.call("coalesce", p, func() { g.number(g.upTo(9)) })
	case 6:
		g.call(g.pick("least", "greatest"), p, func() { g.number(1 + g.upTo(9)) })
	case 7:
		g.put("CASE WHEN true THEN")
		p()
		g.put(":: int8 END")
	case 8:
		g.brackets(func() {
			g.put("SELECT")
			p()
			g.put(":: int8")
		})
	}
}
