package lint

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/rowcap/rowcap/lint/source"
	"github.com/rowcap/rowcap/rewrite"
)

// checker looks at one file.
type checker struct {
	linter *Linter
	file   *source.File
	out    Result
	// scripts are the file's texts of SQL.
	scripts []*scriptChecker
	// directives are the file's comments that suppress findings, directivesOf their
	// numbers by their targets.
	directives   []directive
	directivesOf map[int][]int
}

// script cuts one text of SQL into statements.
func (c *checker) script(s *source.Script) {
	r, err := c.linter.rewriter(c.file, s)
	if err != nil {
		c.out.Err = err
		return
	}
	sql := s.SQL(c.file)
	d, ok := r.Dialect().(rewrite.Tokenizer)
	if !ok {
		return
	}
	if template := source.Cut(s, sql, d); template != "" {
		c.out.Skipped = append(c.out.Skipped, Skipped{Why: template})
		return
	}
	if s.Unread != "" {
		c.out.Skipped = append(c.out.Skipped, Skipped{Why: s.Unread})
	}
	w := &scriptChecker{checker: c, script: s, sql: sql, rewriter: r, tokens: d}
	c.scripts = append(c.scripts, w)
	c.scriptDirectives(w)
}

// statements looks at the statements of all texts.
func (c *checker) statements() {
	c.directivesOf = byTarget(c.directives)
	for _, w := range c.scripts {
		parts := w.parts()
		found := 0
		for _, p := range parts {
			found += len(p.findings)
		}
		c.out.Findings = slices.Grow(c.out.Findings, found)
		for _, p := range parts {
			c.take(p)
		}
	}
	c.unused()
}

// take adds what was found in a part.
func (c *checker) take(p *part) {
	for i := range p.findings {
		c.suppress(&p.findings[i], p.of[i])
	}
	c.out.Findings = append(c.out.Findings, p.findings...)
	p.findings = nil // large files have many
	c.out.Skipped = append(c.out.Skipped, p.skipped...)
	c.out.Statements += p.statements
}

// finish puts the findings in order and gives them what depends on it.
func (c *checker) finish() {
	slices.SortStableFunc(c.out.Findings, func(a, b Finding) int {
		return cmp.Or(a.Start.Offset-b.Start.Offset, strings.Compare(a.Rule.Code, b.Rule.Code))
	})
	// Statements that share a text, as on several ways through psql's \if, share findings.
	c.out.Findings = slices.CompactFunc(c.out.Findings, func(a, b Finding) bool {
		return a.Rule == b.Rule && a.Start == b.Start && a.End == b.End && a.Message == b.Message
	})
	path := c.out.Path // the same however the file was named
	if c.linter.working != "" {
		path = strings.TrimPrefix(path, c.linter.working)
	}
	same := map[string]int{} // findings of a rule in equal statements, by which their fingerprints differ
	for i := range c.out.Findings {
		f := &c.out.Findings[i]
		key := f.Rule.Code + "\x00" + path + "\x00" + f.Fingerprint
		n := same[key]
		same[key]++
		sum := sha256.Sum256([]byte(key + "\x00" + strconv.Itoa(n)))
		f.Fingerprint = hex.EncodeToString(sum[:16])
		f.Known = c.linter.options.Baseline.has(f.Fingerprint)
	}
}

// scriptChecker looks at the statements of one script.
type scriptChecker struct {
	*checker
	script   *source.Script
	sql      string
	rewriter *rewrite.Rewriter
	tokens   rewrite.Tokenizer
}
