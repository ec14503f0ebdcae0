package lint

import (
	"strings"

	"github.com/rowcap/rowcap/lint/source"
	"github.com/rowcap/rowcap/rewrite"
)

// Statement is a statement of a file and what the planner decided about it.
type Statement struct {
	// Plan is what production does with the statement.
	Plan rewrite.Plan
	// Policy is the policy of the plan.
	Policy rewrite.Policy
	// Single says why no other statement may stand beside it, "" if one may, and
	// Place is its number in its script, from 0.
	Single string
	Place  int
	// Takes is how many of its rows the program takes.
	Takes source.Takes
	// Schema is what is known of tables, nil if nothing is.
	Schema *Schema
	// DeepOffset is the offset from which one counts as deep.
	DeepOffset uint64

	dialect   rewrite.Dialect
	anatomy   *rewrite.Anatomy
	mentioned *mentioned
}

// text returns the statement's text.
func (s *Statement) text() string { return s.Plan.Statement.Text }

// parts looks at where things stand; it takes a parse, so rules ask for it only where
// they found something, or where a fact that the plan lacks decides.
func (s *Statement) parts() rewrite.Anatomy {
	if s.anatomy == nil {
		s.anatomy = new(rewrite.Anatomy)
		if i, ok := s.dialect.(rewrite.Inspector); ok {
			*s.anatomy = i.Inspect(s.text())
		}
	}
	return *s.anatomy
}

// at returns the place of a part, that of the whole statement if it is not known.
func (s *Statement) at(k rewrite.PartKind) (start, end int) {
	p, _ := s.parts().Part(k)
	return p.Start, p.End
}

// query reports a statement whose rows go to the client as those of a query.
func (s *Statement) query() bool {
	return s.Plan.Statement.Kind == rewrite.KindSelect && s.Plan.Statement.ReturnsRows
}

// capShows reports a statement of which a program can tell a cap: it takes more than one
// row, or more rows do more on the server, which is why a program runs a query and takes
// none of its rows.
func (s *Statement) capShows() bool {
	st := s.Plan.Statement
	return s.Takes == source.TakesAll || s.Plan.Method != rewrite.MethodGuard && (st.Volatile || st.Locks || s.Takes == source.TakesNone)
}

// oneRow reports a query that finds one row at most by a key, as the schema tells. It takes
// a parse where there is a schema.
func (s *Statement) oneRow() bool {
	return s.Schema != nil && s.query() && s.Schema.one(s.parts().Pinned)
}

// spared reports a statement that the policy leaves alone as it reads catalogues only.
func (s *Statement) spared() bool {
	return s.Plan.Statement.CatalogOnly && s.Policy.Catalogs == rewrite.CatalogsExempt
}

// mentioned is which words stand in a statement, by one pass of the lexer.
type mentioned struct {
	// limits counts LIMIT and FETCH; other reports OFFSET, OUTFILE or DUMPFILE.
	limits int
	// fetch reports FETCH.
	other, fetch bool
}

// inner reports a statement in which a limit may stand that is not its own. That of a
// query in COPY is none of COPY's.
func (s *Statement) inner() bool {
	n, st := s.words().limits, s.Plan.Statement
	return n > 1 || n == 1 && (st.Limit.Form == rewrite.LimitNone || st.Kind == rewrite.KindCopy)
}

// words looks for the words that open the parts of a statement which rules ask for. A
// look at the parts costs a parse, so that rules look here first.
func (s *Statement) words() mentioned {
	if s.mentioned != nil {
		return *s.mentioned
	}
	s.mentioned = new(mentioned)
	t, ok := s.dialect.(rewrite.Tokenizer)
	if !ok {
		*s.mentioned = mentioned{limits: 2, other: true, fetch: true}
		return *s.mentioned
	}
	text := s.text()
	for token := range t.Tokens(text) {
		if token.Kind != rewrite.TokenWord {
			continue
		}
		switch word := text[token.Start:token.End]; len(word) {
		case len("limit"): // and fetch
			fetch := strings.EqualFold(word, "fetch")
			if fetch || strings.EqualFold(word, "limit") {
				s.mentioned.limits++
			}
			s.mentioned.fetch = s.mentioned.fetch || fetch
		case len("offset"), len("outfile"), len("dumpfile"):
			s.mentioned.other = s.mentioned.other || strings.EqualFold(word, "offset") || strings.EqualFold(word, "outfile") || strings.EqualFold(word, "dumpfile")
		}
	}
	return *s.mentioned
}

// each makes a hit of every part of a kind.
func (s *Statement) each(k rewrite.PartKind, message, hint string) (hits []hit) {
	for _, p := range s.parts().Parts {
		if p.Kind == k {
			hits = append(hits, hit{start: p.Start, end: p.End, message: message, hint: hint})
		}
	}
	return hits
}
