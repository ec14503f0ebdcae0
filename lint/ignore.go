package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rowcap/rowcap/lint/source"
)

// directive is a comment that suppresses findings:
//
//	-- rowcap:ignore CODE[,CODE] reason
//	-- rowcap:ignore-file CODE[,CODE] reason
//
// The first kind holds for the statement that it stands in, or behind on the same
// line, or else for the next one. A comment of a Go program holds for a string's
// statements in the same way.
type directive struct {
	// start and end bound it in the file.
	start, end int
	text       string
	rules      []*Rule
	reason     string
	// fault says what is wrong with it, "" if nothing is.
	fault string
	used  map[*Rule]bool
	// targets are where the statements begin in the file that it holds for.
	targets []int
}

// wholeFile is the target of a directive that holds for the file.
const wholeFile = -1

// byTarget returns the numbers of directives by their targets.
func byTarget(all []directive) map[int][]int {
	of := make(map[int][]int, len(all))
	for i, d := range all {
		for _, target := range d.targets {
			of[target] = append(of[target], i)
		}
	}
	return of
}

// directiveOf reads a comment. ok is false if it is another one.
func directiveOf(text string) (d directive, ok bool) {
	body := strings.TrimSpace(strings.TrimRight(strings.TrimLeft(text, "-/*#"), "*/"))
	rest, ok := strings.CutPrefix(body, "rowcap:ignore")
	if !ok {
		return d, false
	}
	rest, file := strings.CutPrefix(rest, "-file")
	if rest != "" && strings.IndexByte(" \t\r\n", rest[0]) < 0 {
		return d, false // another word
	}
	d = directive{text: text, used: map[*Rule]bool{}}
	if file {
		d.targets = []int{wholeFile}
	}
	d.read(rest)
	return d, true
}

// scriptDirectives reads a script's comments.
func (c *checker) scriptDirectives(w *scriptChecker) {
	s := w.script
	next := 0 // the first statement that ends behind the comment
	for _, comment := range s.Comments {
		for next < len(s.Statements) && s.Statements[next].End <= comment.Start {
			next++
		}
		d, ok := directiveOf(w.sql[comment.Start:comment.End])
		if !ok {
			continue
		}
		d.start, d.end = s.InFile(comment.Start), s.InFile(comment.End)
		switch {
		case d.targets != nil:
		case next > 0 && !strings.Contains(w.sql[s.Statements[next-1].End:comment.Start], "\n"):
			d.targets = []int{s.InFile(s.Statements[next-1].Start)}
		case next < len(s.Statements):
			d.targets = []int{s.InFile(s.Statements[next].Start)}
		}
		c.directives = append(c.directives, d)
	}
}

// programDirectives reads the comments of a program whose scripts are known.
func (c *checker) programDirectives(comments []source.Comment) {
	next := 0 // the first script that ends behind the comment
	for _, comment := range comments {
		for next < len(c.scripts) && c.scripts[next].script.End <= comment.Start {
			next++
		}
		d, ok := directiveOf(c.file.Text[comment.Start:comment.End])
		if !ok {
			continue
		}
		d.start, d.end = comment.Start, comment.End
		of := next
		if next > 0 && !strings.Contains(c.file.Text[c.scripts[next-1].script.End:comment.Start], "\n") {
			of--
		}
		if d.targets == nil && of < len(c.scripts) {
			s := c.scripts[of].script
			for _, st := range s.Statements {
				d.targets = append(d.targets, s.InFile(st.Start))
			}
		}
		c.directives = append(c.directives, d)
	}
}

// read reads the codes and the reason.
func (d *directive) read(text string) {
	codes, reason := "", text
	for first := true; first || strings.HasSuffix(codes, ","); first = false { // a blank may stand behind a comma
		reason = strings.TrimSpace(reason)
		end := strings.IndexAny(reason, " \t\r\n")
		if end < 0 {
			end = len(reason)
		}
		if end == 0 {
			break
		}
		codes, reason = codes+reason[:end], reason[end:]
	}
	d.reason = strings.TrimSpace(reason)
	for code := range strings.SplitSeq(codes, ",") {
		if code = strings.TrimSpace(code); code == "" {
			continue
		}
		rule := Lookup(code)
		if rule == nil {
			d.fault = fmt.Sprintf("no rule is called %q", code)
			return
		}
		d.rules = append(d.rules, rule)
	}
	switch {
	case len(d.rules) == 0:
		d.fault = "it names no rule: write rowcap:ignore CODE and the reason"
	case d.reason == "":
		d.fault = "it gives no reason: write rowcap:ignore CODE and the reason"
	}
}

// suppress looks for a directive that suppresses a finding in the statement that begins
// at an offset of the file.
func (c *checker) suppress(f *Finding, statement int) {
	for _, target := range []int{wholeFile, statement} {
		for _, i := range c.directivesOf[target] {
			d := &c.directives[i]
			if d.fault == "" && slices.Contains(d.rules, f.Rule) {
				d.used[f.Rule] = true
				f.Ignored, f.Suppressed = true, d.reason
			}
		}
	}
}

// unused notes the directives that suppress nothing. A rule that is not asked may have
// found something, and so may have any in a statement that is skipped.
func (c *checker) unused() {
	if !slices.Contains(c.linter.rules, &unusedSuppression) {
		return
	}
	for _, d := range c.directives {
		if d.fault != "" {
			c.complain(d, d.fault)
			continue
		}
		if c.skips(d) {
			continue
		}
		for _, rule := range d.rules {
			if !d.used[rule] && slices.Contains(c.linter.rules, rule) {
				c.complain(d, fmt.Sprintf("it suppresses nothing: %s (%s) finds nothing here", rule.Name, rule.Code))
			}
		}
	}
}

// skips reports a directive for statements of which some were not looked at.
func (c *checker) skips(d directive) bool {
	return slices.ContainsFunc(c.out.Skipped, func(s Skipped) bool {
		return slices.Contains(d.targets, wholeFile) || s.Start.Line > 0 && slices.Contains(d.targets, s.Start.Offset)
	})
}

func (c *checker) complain(d directive, message string) {
	f := Finding{Rule: &unusedSuppression, Severity: unusedSuppression.Severity, Message: clip(message), Hint: "take the comment away, or mend it",
		Path: c.file.Path, Fingerprint: d.text}
	f.Start, f.End = c.file.Position(d.start), c.file.Position(d.end)
	f.Line = strings.Clone(c.file.Line(f.Start.Line))
	c.out.Findings = append(c.out.Findings, f)
}
