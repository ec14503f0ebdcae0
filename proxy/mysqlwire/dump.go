package mysqlwire

import "github.com/rowcap/rowcap/rewrite"

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
// a program reports; with pass, its answers are not capped.
func (s *session) dumps(program string) error {
	p := s.rewriter.Policy()
	if !dumpers[program] || p.Observe {
		return nil
	}
	switch p.CopyOut {
	case rewrite.CopyRefuse:
		p.Overflow = rewrite.OverflowError
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
