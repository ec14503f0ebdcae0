package mysqlwire

import (
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// assignment is a setting's new value.
type assignment struct{ name, value string }

// effect is what a statement does to the settings that are followed.
type effect struct {
	// unknown reports that it may do anything.
	unknown bool
	sets    []assignment
}

func (e effect) none() bool { return !e.unknown && len(e.sets) == 0 }

// effectOf says what a script does to the settings. Of several statements it is
// enough to know that one does something; a text that was not read may have
// several.
func effectOf(script rewrite.Script) effect {
	if script.Err != nil {
		return effect{unknown: true}
	}
	if len(script.Plans) == 1 {
		return statementEffect(script.Plans[0].Statement, script.Text)
	}
	for i := range script.Plans {
		if st := &script.Plans[i].Statement; !statementEffect(*st, st.Text).none() {
			return effect{unknown: true}
		}
	}
	return effect{}
}

// laterReading reports that a statement may change how a later one is read.
func laterReading(script rewrite.Script) bool {
	for i := range script.Plans[:max(0, len(script.Plans)-1)] {
		if st := &script.Plans[i].Statement; !statementEffect(*st, st.Text).none() {
			return true
		}
	}
	return false
}

// harmless are the first words of statements that change none of the settings,
// whatever follows, as long as it is one statement.
var harmless = map[string]bool{
	"SELECT": true, "INSERT": true, "UPDATE": true, "DELETE": true, "REPLACE": true, "WITH": true,
	"VALUES": true, "TABLE": true, "SHOW": true, "DESCRIBE": true, "DESC": true, "EXPLAIN": true,
	"ANALYZE": true, "HANDLER": true, "LOAD": true, "CREATE": true, "ALTER": true, "TRUNCATE": true,
	"RENAME": true, "GRANT": true, "REVOKE": true, "FLUSH": true, "KILL": true, "LOCK": true,
	"UNLOCK": true, "COMMIT": true, "ROLLBACK": true, "START": true, "SAVEPOINT": true, "RELEASE": true,
	"OPTIMIZE": true, "CHECK": true, "REPAIR": true, "CHECKSUM": true, "DO": true, "XA": true,
	"PREPARE": true, "DEALLOCATE": true, "GET": true, "HELP": true,
}

// statementEffect says what one statement does to the settings.
func statementEffect(st rewrite.Statement, text string) effect {
	switch st.Kind {
	case rewrite.KindExecute:
		return effect{unknown: true}
	case rewrite.KindUtility, rewrite.KindUnknown:
	default:
		return effect{}
	}
	if st.Text != "" {
		text = st.Text
	}
	w := words{text: text}
	first := w.next()
	for first.is("(") {
		first = w.next()
	}
	if first.kind == tokenEnd {
		return effect{}
	}
	if first.kind != tokenWord {
		return effect{unknown: true}
	}
	switch word := strings.ToUpper(first.text); {
	case harmless[word]:
		return effect{}
	case st.Kind == rewrite.KindUnknown:
		return effect{unknown: true}
	case word == "SET":
		return w.setEffect()
	case word == "USE":
		if t := w.next(); t.kind == tokenWord || t.kind == tokenName {
			return effect{sets: []assignment{{"database", t.text}}}
		}
		return effect{unknown: true}
	case word == "DROP":
		// The current database may be the one.
		if t := w.next(); t.is("DATABASE") || t.is("SCHEMA") {
			return effect{unknown: true}
		}
		return effect{}
	case word == "BEGIN":
		if w.next().is("NOT") {
			return effect{unknown: true}
		}
		return effect{}
	}
	return effect{unknown: true}
}

// setEffect reads what follows SET. Whatever is not understood makes the effect
// unknown.
func (w *words) setEffect() (e effect) {
	t := w.next()
	switch {
	case t.is("PASSWORD"), t.is("ROLE"), t.is("DEFAULT"), t.is("RESOURCE"):
		return effect{}
	case t.is("STATEMENT"):
		return effect{unknown: true}
	}
	for {
		if done, ok := w.assignment(t, &e); !ok {
			return effect{unknown: true}
		} else if done {
			return e
		}
		t = w.next()
	}
}

// assignment reads one assignment of SET, which begins with t, and the comma
// after it. done reports the end of the statement.
func (w *words) assignment(t token, e *effect) (done, ok bool) {
	session := true
	switch {
	case t.is("NAMES"), t.is("CHARSET"):
		return w.value(e, "character_set_client", true)
	case t.is("CHARACTER"):
		if !w.next().is("SET") {
			return false, false
		}
		return w.value(e, "character_set_client", true)
	case t.is("GLOBAL"), t.is("PERSIST"), t.is("PERSIST_ONLY"):
		session = false
		t = w.next()
	case t.is("SESSION"), t.is("LOCAL"):
		t = w.next()
	case t.is("@"):
		if t = w.next(); !t.is("@") {
			// A user variable: its name may be quoted or have dots.
			return w.skipValue()
		}
		t = w.next()
		scope := t
		if scope.is("GLOBAL") || scope.is("PERSIST") || scope.is("PERSIST_ONLY") || scope.is("SESSION") || scope.is("LOCAL") {
			session = scope.is("SESSION") || scope.is("LOCAL")
			if !w.next().is(".") {
				return false, false
			}
			t = w.next()
		}
	}
	if t.is("TRANSACTION") {
		// The rest is isolation level and access mode.
		return true, true
	}
	if t.kind != tokenWord && t.kind != tokenName {
		return false, false
	}
	name := strings.ToLower(t.text)
	switch {
	case !session:
		return w.skipValue()
	case name == "sql_select_limit":
		if t := w.next(); !t.is("=") && !(t.is(":") && w.next().is("=")) {
			return false, false
		}
		return w.value(e, name, false)
	case name == "sql_mode", name == "character_set_client", name == "names", name == "charset":
		return false, false
	}
	return w.skipValue()
}

// value reads a plain value of a setting, and the comma after it. collate allows
// COLLATE to follow.
func (w *words) value(e *effect, name string, collate bool) (done, ok bool) {
	t := w.next()
	switch {
	case t.kind == tokenString || t.kind == tokenWord && !t.is("DEFAULT"):
	default:
		return false, false
	}
	e.sets = append(e.sets, assignment{name, strings.ToLower(t.text)})
	t = w.next()
	if collate && t.is("COLLATE") {
		w.next()
		t = w.next()
	}
	return w.separator(t)
}

// separator is the end of an assignment.
func (w *words) separator(t token) (done, ok bool) {
	switch {
	case t.kind == tokenEnd, t.is(";"):
		return true, true
	case t.is(","):
		return false, true
	}
	return false, false
}

// skipValue goes over the value of a variable that is not followed, and the comma
// after it.
func (w *words) skipValue() (done, ok bool) {
	for depth := 0; ; {
		t := w.next()
		switch {
		case t.kind == tokenOther:
			return false, false
		case t.kind == tokenEnd, t.is(";"):
			return true, depth == 0
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case t.is(",") && depth == 0:
			return false, true
		}
	}
}
