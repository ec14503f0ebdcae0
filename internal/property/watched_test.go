package property

import "github.com/rowcap/rowcap/rewrite"

// watched is a dialect that counts how often its parser is asked, so that a test knows
// whether a text was planned by its shape.
type watched struct {
	rewrite.Shaper
	parses *int
}

func (w *watched) Parse(sql string) ([]rewrite.Statement, error) {
	*w.parses++
	return w.Shaper.Parse(sql)
}

// unshaped hides the shape, so that every text is parsed.
type unshaped struct{ rewrite.Dialect }

// planner plans under one policy, by parsing and by the shape.
type planner struct {
	parsed, shaped *rewrite.Rewriter
	dialect        rewrite.Shaper
	parses         int
}

func newPlanner(d rewrite.Dialect, p rewrite.Policy) (*planner, error) {
	pl := &planner{dialect: d.(rewrite.Shaper)}
	var err error
	if pl.parsed, err = rewrite.New(unshaped{d}, p); err != nil {
		return nil, err
	}
	pl.shaped, err = rewrite.New(&watched{pl.dialect, &pl.parses}, p)
	return pl, err
}

// byShape plans text after sibling. hit reports that the text was not parsed.
func (p *planner) byShape(sibling, text string, ask rewrite.Ask) (s rewrite.Script, hit bool) {
	p.shaped.Script(sibling, ask)
	before := p.parses
	s = p.shaped.Script(text, ask)
	return s, p.parses == before
}

// sameShape reports that the dialect tells the same shape of both texts.
func (p *planner) sameShape(a, b string) bool {
	ka, _, ok := p.dialect.Shape(a, nil, nil)
	if !ok {
		return false
	}
	kb, _, ok := p.dialect.Shape(b, nil, nil)
	return ok && string(ka) == string(kb)
}
