package lint

import "github.com/rowcap/rowcap/rewrite"

var limitOnWrite = Rule{
	Code: "RC110", Name: "limit-on-write", Severity: SeverityWarning, Dialects: []string{"mysql", "mariadb"},
	Summary: "UPDATE or DELETE with a limit and without ORDER BY changes any rows.",
	Why:     "Which rows are changed is up to the server, and a replica that runs the statement again may change others.",
	Bad:     "DELETE FROM sessions WHERE expired = 1 LIMIT 1000",
	Good:    "DELETE FROM sessions WHERE expired = 1 ORDER BY id LIMIT 1000",
	check:   checkLimitOnWrite,
}

func checkLimitOnWrite(s *Statement) []hit {
	if k := s.Plan.Statement.Kind; k != rewrite.KindUpdate && k != rewrite.KindDelete || s.words().limits == 0 {
		return nil
	}
	return s.each(rewrite.PartWriteLimit, "the statement changes any rows, as nothing orders them", "add an ORDER BY over the key")
}
