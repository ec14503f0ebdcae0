package mysqlwire

import (
	"strings"

	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

// nearSize is how many bytes of the statement a syntax error quotes (sql_parse.cc
// and sql_class.h, ER_PARSE_ERROR is "%s near '%-.80s' at line %d").
const nearSize = 80

// scriptOffset finds the place in a script's text of one in the edited text.
func scriptOffset(script rewrite.Script) func(int) int {
	return func(at int) int { return rewrite.OriginalOffset(script.Edits(), at) }
}

// originalError gives an ERR packet that quotes the text that was sent the words of the
// text that the client sent, if the place can be told exactly. original finds the
// place in the latter.
func originalError(b []byte, sent, text string, original func(int) int) []byte {
	e, err := packet.DecodeErr(b)
	if err != nil || e.Code != codeSyntax {
		return b
	}
	const before, after = " near '", "' at line "
	from, to := strings.Index(e.Message, before), strings.LastIndex(e.Message, after)
	if from < 0 || to < from+len(before) {
		return b
	}
	from += len(before)
	at, ok := place(e.Message[from:to], sent)
	if !ok {
		return b
	}
	near := text[original(at):]
	e.Message = e.Message[:from] + near[:min(len(near), nearSize)] + e.Message[to:]
	return e.Append(nil)
}

// place finds the quoted part of the text that was sent.
func place(near, sent string) (int, bool) {
	if len(near) < nearSize {
		// It goes to the text's end.
		at := len(sent) - len(near)
		return at, at >= 0 && sent[at:] == near
	}
	at := strings.Index(sent, near)
	return at, at >= 0 && strings.LastIndex(sent, near) == at
}
