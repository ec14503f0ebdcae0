package mysql

import "strings"

// effects are functions whose evaluation for one row more can be seen
// afterwards: locks, sequences, and those that take time for every row.
var effects = map[string]bool{
	"GET_LOCK": true, "RELEASE_LOCK": true, "RELEASE_ALL_LOCKS": true,
	"SERVICE_GET_READ_LOCKS": true, "SERVICE_GET_WRITE_LOCKS": true, "SERVICE_RELEASE_LOCKS": true,
	"NEXTVAL": true, "SETVAL": true, "SLEEP": true, "BENCHMARK": true,
	"LAST_INSERT_ID": true, // with an argument
}

// changing are functions that give another value for every row, so that DISTINCT
// and grouping over them depend on how many rows the server reads.
var changing = map[string]bool{
	"RAND": true, "UUID": true, "UUID_SHORT": true, "UUID_V4": true, "UUID_V7": true, "SYS_GUID": true, "RANDOM_BYTES": true, "SYSDATE": true,
}

// words are facts that single tokens tell, at any depth. They may be reported
// where they do not apply, and are never missed.
type words struct {
	locks, volatile, changing, distinct, grouping, rollup, procedure, into, examined bool
	// setAfterInto reports a set operation behind an INTO, depthOfInto the brackets
	// around it.
	setAfterInto bool
	depthOfInto  int
	// forStatement reports FOR, as in SET STATEMENT … FOR.
	forStatement bool
}

// lookAt collects the words of the statement.
func (s *source) lookAt() (w words) {
	depth := 0
	var capitals [longestWord]byte
	for i, t := range s.tokens {
		if t.kind == tokenOp {
			switch s.text[t.start] {
			case '(':
				depth++
			case ')':
				depth--
			case ':':
				w.volatile = w.volatile || t.end == t.start+2 // @x := …
			}
			continue
		}
		if t.kind != tokenWord && t.kind != tokenName {
			continue
		}
		if s.isOp(i+1, '(') {
			name := upper(capitals[:0], strings.Trim(s.text[t.start:t.end], "`\""))
			w.changing = w.changing || changing[string(name)]
			if effects[string(name)] && !(string(name) == "LAST_INSERT_ID" && s.isOp(i+2, ')')) {
				w.volatile = true
			}
		}
		if t.kind == tokenWord {
			s.lookAtWord(i, depth, &w)
		}
	}
	return w
}

func (s *source) lookAtWord(i, depth int, w *words) {
	t := s.tokens[i]
	var capitals [longestWord]byte
	switch string(upper(capitals[:0], s.text[t.start:t.end])) {
	case "FOR":
		w.forStatement = true
		w.locks = w.locks || s.is(i+1, "UPDATE") || s.is(i+1, "SHARE")
		w.volatile = w.volatile || s.is(i-1, "VALUE") && s.is(i-2, "NEXT")
	case "LOCK":
		w.locks = w.locks || s.is(i+1, "IN") && s.is(i+2, "SHARE")
	case "DISTINCT", "DISTINCTROW":
		w.distinct = w.distinct || !s.isOp(i-1, '(') // count(DISTINCT a) says nothing of rows
	case "GROUP":
		w.grouping = true
	case "UNION", "INTERSECT", "EXCEPT", "MINUS":
		w.grouping = true
		w.setAfterInto = w.setAfterInto || w.into
	case "ROLLUP", "CUBE", "GROUPING":
		w.rollup = true
	case "PROCEDURE":
		w.procedure = true
	case "INTO":
		w.into, w.depthOfInto = true, depth
	case "EXAMINED":
		w.examined = w.examined || s.is(i-1, "ROWS")
	}
}

// longestWord is the length in bytes of the longest word that is looked for.
const longestWord = len("SERVICE_GET_WRITE_LOCKS")

// upper appends text in capitals to b, or nothing of a longer text than any word that
// is looked for.
func upper(b []byte, text string) []byte {
	if len(text) > longestWord {
		return b
	}
	for _, c := range []byte(text) {
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		b = append(b, c)
	}
	return b
}

// spacedAggregate reports an aggregate's name that does not touch its bracket.
// Without IGNORE_SPACE such a call may be that of a stored function.
func (s *source) spacedAggregate() bool {
	if s.ignoreSpace {
		return false
	}
	for i := 1; i < len(s.tokens); i++ {
		if s.tokens[i].gap && s.isOp(i, '(') && s.tokens[i-1].kind == tokenWord &&
			aggregates[lower(s.text[s.tokens[i-1].start:s.tokens[i-1].end])] {
			return true
		}
	}
	return false
}
