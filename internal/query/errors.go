package query

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"unicode/utf8"
)

// Error is an error that the server reported.
type Error struct {
	// Code is the server's own: a SQLSTATE, or for MySQL its number and the
	// SQLSTATE in brackets.
	Code    string
	Message string
	Detail  string
	Hint    string
	// Line and Column are where the error is in the caller's text, both from 1
	// and in characters. They are 0 if the server gave no position.
	Line, Column int
}

// Error states all facts in one line.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the server reports %s: %s", e.Code, e.Message)
	switch {
	case e.Line > 0 && e.Column > 0:
		fmt.Fprintf(&b, " (line %d, column %d)", e.Line, e.Column)
	case e.Line > 0:
		fmt.Fprintf(&b, " (in the statement that begins in line %d)", e.Line)
	}
	if e.Detail != "" {
		fmt.Fprintf(&b, "; detail: %s", e.Detail)
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, "; hint: %s", e.Hint)
	}
	return b.String()
}

// DSNError says that a DSN cannot be used. It never shows the DSN, which may
// hold a password.
type DSNError struct{ Message string }

func (e *DSNError) Error() string { return "the DSN cannot be used: " + e.Message }

// lineColumn returns where the byte offset is in text, both from 1 and the
// column in characters.
func lineColumn(text string, offset int) (line, column int) {
	before := text[:min(max(offset, 0), len(text))]
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
}

// byteOffset returns where the character with the given number, from 1, begins.
func byteOffset(text string, character int) int {
	for i := range text {
		if character--; character <= 0 {
			return i
		}
	}
	return len(text)
}

// unreachable says that no connection could be made.
func unreachable(where string, err error) error {
	next := "check the address, and that the server runs and may be reached from here"
	if errors.Is(err, context.DeadlineExceeded) || isTimeout(err) {
		next = "the server did not answer in time; " + next
	}
	return fmt.Errorf("cannot connect to %s: %w; %s", where, err, next)
}

// lost says that a connection ended in the middle of a statement. What the
// statement had returned until then is not shown.
func lost(err error) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("the statement was interrupted: %w", err)
	}
	return fmt.Errorf("%w; whether it took effect is not known: %w", errLost, err)
}

var errLost = errors.New("the connection was lost before the statement ended")

// cause returns the part of err that says what went wrong in one line: the
// network's own error, or the innermost one of the first try.
func cause(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op
	}
	for {
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			if e.Unwrap() == nil {
				return err
			}
			err = e.Unwrap()
		case interface{ Unwrap() []error }:
			all := e.Unwrap()
			if len(all) == 0 {
				return err
			}
			err = all[0]
		default:
			return err
		}
	}
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}
