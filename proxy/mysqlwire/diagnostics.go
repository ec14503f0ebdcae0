package mysqlwire

import "strconv"

// showKind is what a statement reads of the diagnostics of the one before.
type showKind uint8

const (
	// showNothing is any other statement.
	showNothing showKind = iota
	// showWarnings is SHOW WARNINGS, with or without LIMIT.
	showWarnings
	// showCount is SHOW COUNT(*) WARNINGS or SELECT @@warning_count.
	showCount
	// showErrors is SHOW ERRORS, with or without LIMIT.
	showErrors
	// showErrorCount is SHOW COUNT(*) ERRORS or SELECT @@error_count.
	showErrorCount
	// showSeveral is a SELECT of several of these variables, whose numbers are the
	// server's own.
	showSeveral
)

// lists and counts say what such a statement's rows are.
func (k showKind) lists() bool  { return k == showWarnings || k == showErrors }
func (k showKind) counts() bool { return k == showCount || k == showErrorCount }

// reads reports a statement that leaves the diagnostics as they are.
func (k showKind) reads() bool { return k != showNothing }

// diagnostics is what a text reads of the diagnostics.
type diagnostics struct {
	kind showKind
	// offset and count are those of a list's LIMIT; bounded reports that there is
	// one.
	offset, count uint64
	bounded       bool
}

// diagnosticsOf recognises the statements that read the diagnostics, by their
// exact sequence of tokens.
func diagnosticsOf(text string) diagnostics {
	w := words{text: text}
	var d diagnostics
	switch t := w.next(); {
	case t.is("SHOW"):
		d = w.show()
	case t.is("SELECT"):
		d.kind = w.variables()
	}
	if d.kind == showNothing {
		return d
	}
	t := w.next()
	for t.is(";") {
		t = w.next()
	}
	if t.kind != tokenEnd {
		return diagnostics{}
	}
	return d
}

// show reads what follows SHOW.
func (w *words) show() (d diagnostics) {
	t := w.next()
	counts := t.is("COUNT")
	if counts {
		if !w.next().is("(") || !w.next().is("*") || !w.next().is(")") {
			return d
		}
		t = w.next()
	}
	switch {
	case t.is("ERRORS") && counts:
		d.kind = showErrorCount
	case t.is("ERRORS"):
		d.kind = showErrors
	case t.is("WARNINGS") && counts:
		d.kind = showCount
	case t.is("WARNINGS"):
		d.kind = showWarnings
	}
	if counts || d.kind == showNothing {
		return d
	}
	if !w.limit(&d) {
		return diagnostics{}
	}
	return d
}

// limit reads a LIMIT, if there is one. It reports false if it is not of numbers.
func (w *words) limit(d *diagnostics) (ok bool) {
	back := w.pos
	if !w.next().is("LIMIT") {
		w.pos = back
		return true
	}
	d.bounded = true
	if d.count, ok = w.number(); !ok {
		return false
	}
	back = w.pos
	switch t := w.next(); {
	case t.is(","):
		d.offset = d.count
		d.count, ok = w.number()
	case t.is("OFFSET"):
		d.offset, ok = w.number()
	default:
		w.pos = back
	}
	return ok
}

func (w *words) number() (uint64, bool) {
	t := w.next()
	n, err := strconv.ParseUint(t.text, 10, 64)
	return n, err == nil && t.kind == tokenWord
}

// variables reads what follows SELECT: variables that count the diagnostics, each with
// an alias or without, and a LIMIT.
func (w *words) variables() showKind {
	kind := w.variable()
	for kind != showNothing {
		w.alias()
		back := w.pos
		if !w.next().is(",") {
			w.pos = back
			break
		}
		if w.variable() == showNothing {
			return showNothing
		}
		kind = showSeveral
	}
	if !w.limit(&diagnostics{}) {
		return showNothing
	}
	return kind
}

// alias goes over a name for a column. A keyword that may stand in its place is taken
// for one, as more has to follow it, which then is not what may follow a name.
func (w *words) alias() {
	back := w.pos
	t := w.next()
	as := t.is("AS")
	if as {
		t = w.next()
	}
	named := t.kind == tokenWord && !t.is("LIMIT") || t.kind == tokenName || as && t.kind == tokenString
	if !named {
		w.pos = back
	}
}

// variable reads @@warning_count or @@error_count.
func (w *words) variable() showKind {
	for range 2 {
		if !w.next().is("@") {
			return showNothing
		}
	}
	t := w.next()
	if t.is("SESSION") || t.is("LOCAL") {
		if !w.next().is(".") {
			return showNothing
		}
		t = w.next()
	}
	if t.kind == tokenName {
		t.kind = tokenWord // the same in backticks
	}
	switch {
	case t.is("warning_count"):
		return showCount
	case t.is("error_count"):
		return showErrorCount
	}
	return showNothing
}

// diagnosticWords are those of the statements and functions that tell of the
// statement before.
var diagnosticWords = []string{"FOUND_ROWS", "ROW_COUNT", "DIAGNOSTICS", "WARNINGS", "ERRORS", "warning_count", "error_count",
	"ROWCOUNT" /* SQL%ROWCOUNT */, "PROFILE", "PROFILES", "OPTIMIZER_TRACE"}

// mostWords bounds the search for diagnosticWords; statements that tell of the one
// before are short.
const mostWords = 1000

// mentionsDiagnostics reports that a text may be about the statement before. It is
// wrong at no harm: such a text is guarded where others would be read.
func mentionsDiagnostics(text string) bool {
	w := words{text: text}
	for range mostWords {
		t := w.next()
		switch t.kind {
		case tokenEnd, tokenOther:
			return false
		case tokenWord:
			for _, word := range diagnosticWords {
				if t.is(word) {
					return true
				}
			}
		}
	}
	return false
}
