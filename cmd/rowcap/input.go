package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// maxInput is the length in bytes of the longest text read from standard
// input.
const maxInput = 64 << 20

// readSQL returns the SQL of a command: its argument, or standard input where
// there is none.
func readSQL(argument *string, in io.Reader) (string, error) {
	var sql string
	if argument != nil {
		sql = *argument
	} else {
		b, err := io.ReadAll(io.LimitReader(in, maxInput+1))
		if err != nil {
			return "", fmt.Errorf("cannot read standard input: %w", err)
		}
		if len(b) > maxInput {
			return "", usagef("the SQL on standard input is longer than %d bytes: split it", maxInput)
		}
		sql = string(b)
	}
	if strings.TrimSpace(sql) == "" {
		return "", usagef("there is no SQL: give it as an argument or on standard input")
	}
	return sql, nil
}

// checkAsk reports a --limit that has no meaning.
func checkAsk(limit *uint64) error {
	if limit != nil && *limit == 0 {
		return errors.New("--limit 0 is out of range: use a number from 1 up, or leave it out")
	}
	if err := ask(limit).Validate(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	return nil
}

// ask is what --limit asks for, nothing if it was not given.
func ask(limit *uint64) rewrite.Ask {
	if limit == nil {
		return rewrite.Ask{}
	}
	return rewrite.Ask{Limit: *limit}
}
