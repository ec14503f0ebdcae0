package lint

import "github.com/rowcap/rowcap/rewrite"

var selectIntoOutfile = Rule{
	Code: "RC111", Name: "select-into-outfile", Severity: SeverityWarning, Dialects: []string{"mysql", "mariadb"},
	Summary: "SELECT … INTO OUTFILE writes its rows to a file on the server, past every cap.",
	Why:     "No rows come through the sidecar, so nothing counts them: the file gets all of them.",
	Bad:     "SELECT * FROM invoices INTO OUTFILE '/tmp/invoices.csv'",
	Good:    "SELECT * FROM invoices ORDER BY id LIMIT 1000",
	check:   checkSelectIntoOutfile,
}

func checkSelectIntoOutfile(s *Statement) []hit {
	if s.Plan.Statement.Kind != rewrite.KindSelectInto || !s.words().other {
		return nil
	}
	return s.each(rewrite.PartOutfile, "the rows go to a file on the server, and no cap holds them", "read the rows page by page")
}
