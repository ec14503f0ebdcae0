package mysqlwire

import (
	"bytes"

	"github.com/rowcap/rowcap/internal/mysqlerror"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

// originalError gives an ERR packet that quotes the text that was sent the words of the
// text that the client sent. edits make the one of the other; text may go on behind
// that. The notes remember the words, for SHOW WARNINGS has the server's.
func (s *session) originalError(b []byte, sent, text string, edits []rewrite.Edit) []byte {
	e, err := packet.DecodeErr(b)
	if err != nil || e.Code != mysqlerror.CodeSyntax {
		return b
	}
	own := e.Message
	e.Message = mysqlerror.Original(own, sent, text, edits, s.rewriter.Dialect().Name() == mariaDB)
	if e.Message != own {
		s.notes.reworded = rewording{server: own, client: e.Message}
	}
	return e.Append(nil)
}

// rewording is the message of an error as the server has it, and as the client was told
// it; empty if they are the same.
type rewording struct{ server, client string }

// none reports that nothing was put in other words.
func (r rewording) none() bool { return r == rewording{} }

// row gives a row of SHOW WARNINGS or SHOW ERRORS the words that the client knows, if it
// is that of the error. What cannot be read stays as it is.
func (r rewording) row(b []byte, types []packet.FieldType, binary bool) []byte {
	if !binary {
		values, err := packet.DecodeTextRow(b)
		if err != nil || len(values) != 3 || string(values[2]) != r.server {
			return b
		}
		values[2] = []byte(r.client)
		return packet.AppendTextRow(nil, values...)
	}
	values, err := packet.DecodeBinaryRow(b, types)
	if err != nil || len(values) != 3 || !bytes.Equal(values[2].Value, packet.AppendLenencString(nil, r.server)) {
		return b
	}
	values[2].Value = packet.AppendLenencString(nil, r.client)
	return packet.AppendBinaryRow(nil, values...)
}
