package lint

var multiStatement = Rule{
	Code: "RC005", Name: "multi-statement", Severity: SeverityError,
	Summary: "Several statements stand where only one may.",
	Why:     "Drivers that send a statement with its parameters, and tools such as sqlc, take one. Some refuse the text, others run the first statement only, or return the rows of the last.",
	Bad:     "-- name: ListInvoices :many\nSELECT id FROM invoices ORDER BY id LIMIT 10;\nSELECT id FROM customers ORDER BY id LIMIT 10;",
	Good:    "-- name: ListInvoices :many\nSELECT id FROM invoices ORDER BY id LIMIT 10;\n\n-- name: ListCustomers :many\nSELECT id FROM customers ORDER BY id LIMIT 10;",
	check:   checkMultiStatement,
}

func checkMultiStatement(s *Statement) []hit {
	if s.Single == "" || s.Place == 0 {
		return nil
	}
	return []hit{{message: "a statement before stands in the same text: " + s.Single, hint: "give each statement a text of its own"}}
}
