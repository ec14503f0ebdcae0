package lint

import (
	"unicode/utf8"

	"github.com/rowcap/rowcap/rewrite"
)

var parseError = Rule{
	Code: "RC001", Name: "parse-error", Severity: SeverityError,
	Summary: "The statement cannot be read.",
	Why: "PostgreSQL's statements are read by its own parser, so the server says the same, unless it is a newer one. Those of MySQL and MariaDB are read by two parsers that know nearly all that the servers do. " +
		"What cannot be read runs as it is, and its rows are counted as they come; under --unparsed=refuse it does not run.",
	Bad:   "SELECT id, FROM invoices ORDER BY id LIMIT 10",
	Good:  "SELECT id FROM invoices ORDER BY id LIMIT 10",
	check: checkParseError,
}

// unread reports a statement that could not be read.
func (s *Statement) unread() bool { return s.Plan.Statement.Kind == rewrite.KindUnknown }

// doubted reports a statement that could not be read, and that the server may well read:
// the reason is a bound of what reads it here.
func (s *Statement) doubted() bool { return s.unread() && s.parts().Doubted }

// checkParseError finds statements that the planner could not read, but for those of
// which another rule says why.
func checkParseError(s *Statement) []hit {
	if !s.unread() || s.Plan.Fail != nil || s.doubted() || s.limitTwice() {
		return nil
	}
	message := s.Plan.Statement.Obstacle
	if err := s.parts().Err; err != nil {
		message = err.Message
	}
	start, end := s.errorAt()
	return []hit{{start: start, end: end, message: message, hint: "what cannot be read is not edited: its rows are counted as they come"}}
}

// errorAt returns the place of the parser's error.
func (s *Statement) errorAt() (start, end int) {
	err := s.parts().Err
	if err == nil || err.Offset < 0 {
		return 0, 0
	}
	text := s.text()
	if err.Offset >= len(text) { // behind the last character: point at it
		_, size := utf8.DecodeLastRuneInString(text)
		return len(text) - size, len(text)
	}
	if t, ok := s.dialect.(rewrite.Tokenizer); ok {
		for token := range t.Tokens(text[err.Offset:]) {
			if token.Start == 0 && token.Kind != rewrite.TokenBroken {
				return err.Offset, err.Offset + token.End
			}
			break
		}
	}
	_, size := utf8.DecodeRuneInString(text[err.Offset:])
	return err.Offset, err.Offset + size
}
