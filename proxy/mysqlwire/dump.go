package mysqlwire

import (
	"slices"

	"github.com/rowcap/rowcap/rewrite"
)

// dumpers are the programs that write dumps, by the names that they give of themselves
// in their connection attributes. They do not look at warnings: one that was cut would
// pass for a whole one.
var dumpers = map[string]bool{
	"mysqldump": true, "mariadb-dump": true, "mysqlpump": true, "mydumper": true,
}

// programName is the attribute's name.
const programName = "program_name"

// dumps has the session of a program that writes dumps follow what the policy says of
// copies: with refuse, an answer that has too many rows ends with an error, which such
// a program reports, and lists of what there is to dump are whole; with pass, its
// answers are not capped.
func (s *session) dumps(program string) error {
	p := s.rewriter.Policy()
	if !dumpers[program] || p.Observe {
		return nil
	}
	switch p.CopyOut {
	case rewrite.CopyRefuse:
		p.Overflow = rewrite.OverflowError
		s.dumping = true
	case rewrite.CopyPass:
		p.DefaultLimit, p.MaxLimit = 0, 0
	default:
		return nil
	}
	r, err := rewrite.New(s.rewriter.Dialect(), p)
	if err != nil {
		return err
	}
	s.rewriter, s.settings.base = r, r
	return nil
}

// lists lifts the caps of the statements by which a program that writes dumps finds what
// there is to dump. It may take an error there for an empty list: mariadb-dump and
// mysqldump do for SHOW TABLES, and end in peace with a dump of nothing.
func (s *session) lists(script rewrite.Script) rewrite.Script {
	if !s.dumping {
		return script
	}
	plans := slices.Clone(script.Plans) // others share the script
	for i, p := range plans {
		text := p.Statement.Text
		if p.Statement.Kind == rewrite.KindUnknown && len(plans) == 1 {
			text = script.Text // what could not be read, as MariaDB's SHOW PACKAGE STATUS
		}
		if p.Statement.Kind != rewrite.KindShow && p.Statement.Kind != rewrite.KindUnknown || !showsObjects(text) {
			continue
		}
		plans[i] = uncapped(p, "a dump must list all that there is")
	}
	script.Plans = plans
	return script
}

// uncapped is a plan without its cap.
func uncapped(p rewrite.Plan, why string) rewrite.Plan {
	p.Method, p.Cap, p.Edits, p.Strict, p.Why = rewrite.MethodPass, rewrite.Cap{Rows: rewrite.NoLimit}, nil, false, why
	return p
}

// showsObjects reports that a text is one SHOW of something else than events of the
// server's logs, in which the data of all tables are.
func showsObjects(text string) bool {
	w := words{text: text}
	if !w.next().is("SHOW") {
		return false
	}
	t := w.next()
	if t.is("BINLOG") || t.is("RELAYLOG") {
		return false
	}
	for ; t.kind != tokenEnd; t = w.next() {
		if t.kind == tokenOther || t.is(";") && w.next().kind != tokenEnd {
			return false
		}
	}
	return true
}
