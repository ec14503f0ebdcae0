package lint

import (
	"cmp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/rowcap/rowcap/lint/source"
	"github.com/rowcap/rowcap/rewrite"
)

// part is some statements of a script, one behind another, and what is found in them.
type part struct {
	*scriptChecker
	rewriter *rewrite.Rewriter
	run      []source.Statement
	// name and place are those of the statement before; see Statement.Place.
	name  string
	place int

	findings []Finding
	// of are where the statements of the findings begin in the file.
	of         []int
	skipped    []Skipped
	statements int
	fault      any // of a panic
}

// partSize is how many statements a part has at most.
const partSize = 1000

// parts looks at the statements of a script, the parts of a large one side by side.
func (w *scriptChecker) parts() (parts []*part) {
	rewriter, name, place := w.rewriter, "", 0
	for run := range slices.Chunk(w.script.Statements, partSize) {
		parts = append(parts, &part{scriptChecker: w, rewriter: rewriter, run: run, name: name, place: place})
		for i := range run {
			name, place = next(&run[i], name, place)
			if set := run[i].Sets; set != nil {
				rewriter = rewriter.With(set.Name, set.Value)
			}
		}
	}
	var at atomic.Int64
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(parts)) - 1 {
		all.Go(func() { look(parts, &at) })
	}
	look(parts, &at)
	all.Wait()
	for _, p := range parts {
		if p.fault != nil {
			panic(p.fault)
		}
	}
	return parts
}

// look looks at the parts from at on, as long as there are any.
func look(parts []*part, at *atomic.Int64) {
	for i := at.Add(1) - 1; i < int64(len(parts)); i = at.Add(1) - 1 {
		parts[i].look()
	}
}

// next returns the name of a statement and its place among those of that name, given
// those of the statement before.
func next(st *source.Statement, name string, place int) (string, int) {
	if st.Name != name {
		return st.Name, 1
	}
	return name, place + 1
}

// look looks at the statements of the part.
func (p *part) look() {
	defer func() { p.fault = recover() }()
	for i := range p.run {
		st := &p.run[i]
		p.name, p.place = next(st, p.name, p.place)
		p.statement(st, p.place-1)
		if st.Sets != nil {
			p.rewriter = p.rewriter.With(st.Sets.Name, st.Sets.Value)
		}
	}
}

// statement plans one statement and asks the rules.
func (p *part) statement(st *source.Statement, place int) {
	if st.Skip != "" {
		p.skip(st, st.Skip)
		return
	}
	plain := p.sql[st.Start:st.End]
	text := rewrite.ApplyEdits(plain, st.Edits)
	planned := p.rewriter.Script(text, rewrite.Ask{})
	if unreadable(planned) && !st.Sent && slices.ContainsFunc(st.Edits, func(e rewrite.Edit) bool { return e.Text != "" }) {
		var ok bool
		if planned, ok = p.otherwise(st, plain); !ok {
			p.skip(st, "a variable or an argument stands in it, whose text is not known here")
			return
		}
	}
	p.statements += len(planned.Plans)
	for i, plan := range planned.Plans {
		s := &Statement{Plan: plan, Policy: p.rewriter.Policy(), DeepOffset: p.linter.options.DeepOffset, Schema: p.linter.options.Schema,
			Single: st.Single, Takes: st.Takes, Place: place + i, dialect: p.rewriter.Dialect()}
		normal := ""
		for _, rule := range p.linter.rules {
			if rule.check == nil || !rule.in(p.rewriter.Dialect().Name()) {
				continue
			}
			for _, h := range rule.check(s) {
				if normal == "" {
					normal = p.normal(s.text())
				}
				p.found(st, s, rule, h, normal)
			}
		}
	}
}

// otherwise reads a statement in which a parameter cannot stand for what a tool puts
// into it: with names in the place of the parameters, or as it is.
func (p *part) otherwise(st *source.Statement, plain string) (rewrite.Script, bool) {
	names := slices.Clone(st.Edits)
	for i := range names {
		if names[i].Text != "" {
			names[i].Text = "name" + strconv.Itoa(i)
		}
	}
	if planned := p.rewriter.Script(rewrite.ApplyEdits(plain, names), rewrite.Ask{}); !unreadable(planned) {
		st.Edits = names
		return planned, true
	}
	planned := p.rewriter.Script(plain, rewrite.Ask{})
	st.Edits = nil
	return planned, !unreadable(planned)
}

// unreadable reports a text none of whose statements could be read.
func unreadable(s rewrite.Script) bool {
	for _, p := range s.Plans {
		if p.Statement.Kind == rewrite.KindUnknown {
			return true
		}
	}
	return false
}

func (p *part) skip(st *source.Statement, why string) {
	p.skipped = append(p.skipped, Skipped{Start: p.file.Position(p.script.InFile(st.Start)), Why: why})
}

// normal is a statement's text by which it is known again: its tokens, one blank
// between them.
func (p *part) normal(text string) string {
	var b strings.Builder
	for t := range p.tokens.Tokens(text) {
		if t.Kind != rewrite.TokenComment {
			b.WriteString(text[t.Start:t.End])
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// inFile returns the place in the file of an offset in a statement's text.
func (p *part) inFile(st *source.Statement, offset int) int {
	return p.script.InFile(st.Start + rewrite.OriginalOffset(st.Edits, offset))
}

// found notes a finding.
func (p *part) found(st *source.Statement, s *Statement, rule *Rule, h hit, normal string) {
	if h.start == 0 && h.end == 0 {
		h.end = len(s.text())
	}
	pos := s.Plan.Statement.Pos
	f := Finding{Rule: rule, Severity: cmp.Or(h.severity, rule.Severity), Message: clip(h.message), Hint: h.hint, Path: p.file.Path,
		Method: s.Plan.Method.String(), Fingerprint: normal}
	f.Start = p.file.Position(p.inFile(st, pos+h.start))
	f.End = p.file.Position(p.inFile(st, pos+h.end))
	f.Line = strings.Clone(p.file.Line(f.Start.Line))
	if len(f.Line) > maxLine {
		f.Line = ""
	}
	if h.fix {
		f.Fixes = p.fixes(st, s)
	}
	p.findings, p.of = append(p.findings, f), append(p.of, p.script.InFile(st.Start))
}

// maxLine is the length in bytes of the longest line that is shown.
const maxLine = 4 << 10

// limitEdits returns the planner's edits that make the cap the statement's limit,
// relative to the statement. A plan for one row less asks for one more, to learn
// whether there are more rows, and so writes this very number; it is planned from
// memory where SetLimit parses.
func (p *part) limitEdits(st *source.Statement, s *Statement) ([]rewrite.Edit, bool) {
	own := s.Plan.Statement
	if rows := s.Plan.Cap.Rows; rows > 1 {
		for _, p := range p.rewriter.Script(p.sql[st.Start:st.End], rewrite.Ask{Limit: rows - 1}).Plans {
			if p.Statement.Pos != own.Pos || p.Method != rewrite.MethodProbe || p.Cap.Rows != rows-1 || len(p.Edits) == 0 {
				continue
			}
			edits := slices.Clone(p.Edits)
			for i := range edits {
				edits[i].Start, edits[i].End = edits[i].Start-own.Pos, edits[i].End-own.Pos
			}
			return edits, true
		}
	}
	edits, err := p.rewriter.Dialect().SetLimit(own, s.Plan.Cap.Rows)
	return edits, err == nil && len(edits) > 0
}

// fixes returns the edits by which the planner writes the cap itself into the
// statement, none where it cannot or where the file's text is not the SQL's.
func (p *part) fixes(st *source.Statement, s *Statement) []rewrite.Edit {
	if len(st.Edits) > 0 {
		return nil
	}
	edits, ok := p.limitEdits(st, s)
	if !ok {
		return nil
	}
	at := st.Start + s.Plan.Statement.Pos
	out := make([]rewrite.Edit, len(edits))
	for i, e := range edits {
		fix, ok := p.script.FixInFile(rewrite.Edit{Start: e.Start + at, End: e.End + at, Text: e.Text})
		if !ok {
			return nil
		}
		out[i] = fix
	}
	return out
}
