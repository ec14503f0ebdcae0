package mysqlwire

import (
	"strings"

	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

// nearSize is how many bytes of the statement a syntax error quotes (sql_parse.cc
// and sql_class.h, ER_PARSE_ERROR is "%s near '%-.80s' at line %d").
const nearSize = 80

// originalError gives an ERR packet that quotes the edited text the words of the
// text that the client sent, if the place can be told exactly.
func originalError(b []byte, script rewrite.Script) []byte {
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
	near, ok := originalNear(e.Message[from:to], script)
	if !ok {
		return b
	}
	e.Message = e.Message[:from] + near + e.Message[to:]
	return e.Append(nil)
}

// originalNear finds the quoted part of the edited text in the original one.
func originalNear(near string, script rewrite.Script) (string, bool) {
	edited := script.SQL()
	at := -1
	if len(near) < nearSize {
		// It goes to the text's end.
		if at = len(edited) - len(near); at < 0 || edited[at:] != near {
			return "", false
		}
	} else {
		if at = strings.Index(edited, near); at < 0 || strings.LastIndex(edited, near) != at {
			return "", false
		}
	}
	text := script.Text[rewrite.OriginalOffset(script.Edits(), at):]
	return text[:min(len(text), nearSize)], true
}
