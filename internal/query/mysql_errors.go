package query

import (
	"errors"
	"strconv"

	driver "github.com/go-sql-driver/mysql"

	"github.com/rowcap/rowcap/internal/mysqlerror"
	"github.com/rowcap/rowcap/rewrite"
)

// explain turns err into an *Error where it is the server's, and says that the
// connection was lost where it is not.
func (s *mysqlSession) explain(err error, text string, pos int) error {
	var me *driver.MySQLError
	if errors.As(err, &me) {
		line, _ := lineColumn(text, pos)
		if line == 1 {
			line = 0 // the message's own line is the caller's
		}
		return mysqlError(me, line)
	}
	return lost(err)
}

// inOwnWords has a syntax error that quotes what was sent quote text, of which edits
// made that.
func (s *mysqlSession) inOwnWords(err error, sent, text string, edits []rewrite.Edit) error {
	var me *driver.MySQLError
	if len(edits) == 0 || !errors.As(err, &me) || me.Number != mysqlerror.CodeSyntax {
		return err
	}
	own := *me
	own.Message = mysqlerror.Original(me.Message, sent, text, edits, s.dialect == "mariadb")
	return &own
}

// mysqlError takes over a server's error. MySQL tells no position but a line in
// its message, which counts from the statement's own first line.
func mysqlError(e *driver.MySQLError, line int) *Error {
	code := strconv.Itoa(int(e.Number))
	if e.SQLState != [5]byte{} {
		code += " (" + string(e.SQLState[:]) + ")"
	}
	return &Error{Code: code, Message: valid(e.Message), Line: line}
}
