package main

import (
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/alecthomas/kong"
)

// readCount reads a flag's number of rows. A number below 0 looks like a flag to
// kong, so the next word is taken whatever it is.
func readCount(ctx *kong.DecodeContext, target reflect.Value) error {
	word, err := nextWord(ctx, "a number of rows")
	if err != nil {
		return err
	}
	n, err := strconv.ParseUint(word, 10, 64)
	if err != nil {
		return fmt.Errorf("%q is no number of rows: use a whole number from 0 to %d", word, uint64(1<<63-2))
	}
	target.SetUint(n)
	return nil
}

// readTime reads a flag's length of time.
func readTime(ctx *kong.DecodeContext, target reflect.Value) error {
	word, err := nextWord(ctx, "a time")
	if err != nil {
		return err
	}
	d, err := time.ParseDuration(word)
	if err != nil || d < 0 {
		return fmt.Errorf("%q is no length of time: use a number with its unit and no sign, as 500ms, 10s or 1m30s", word)
	}
	target.SetInt(int64(d))
	return nil
}

func nextWord(ctx *kong.DecodeContext, what string) (string, error) {
	token := ctx.Scan.Pop()
	if token.IsEOL() {
		return "", fmt.Errorf("%s is missing behind the flag", what)
	}
	return token.String(), nil
}
