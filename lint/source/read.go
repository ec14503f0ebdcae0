package source

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// MaxFile is the size in bytes of the largest file that is read.
const MaxFile = 64 << 20

// Read reads the file at path. The error says why it is not read, without its name.
func Read(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, reason(err)
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no regular file")
	case info.Size() > MaxFile:
		return nil, tooLarge(info.Size())
	}
	in, err := os.Open(path)
	if err != nil {
		return nil, reason(err)
	}
	defer in.Close()
	return readText(path, in, info.Size())
}

// ReadFrom reads a file from a stream.
func ReadFrom(name string, in io.Reader) (*File, error) {
	return readText(name, in, 0)
}

// readText reads a file of such a size, 0 if it is not known.
func readText(name string, in io.Reader, size int64) (*File, error) {
	var b strings.Builder
	b.Grow(int(size))
	n, err := io.Copy(&b, io.LimitReader(in, MaxFile+1))
	if err != nil {
		return nil, reason(err)
	}
	if n > MaxFile {
		return nil, tooLarge(n)
	}
	text := b.String()
	switch {
	case strings.HasPrefix(text, "\xFF\xFE"), strings.HasPrefix(text, "\xFE\xFF"):
		return nil, errors.New("it is in UTF-16: save it as UTF-8")
	case strings.IndexByte(text, 0) >= 0:
		return nil, fmt.Errorf("it is a binary file: a NUL byte stands in it (byte %d)", strings.IndexByte(text, 0))
	case !utf8.ValidString(text):
		at, line := invalid(text)
		return nil, fmt.Errorf("it is no UTF-8 (byte %d, line %d): save it as UTF-8", at, line)
	}
	return NewFile(filepath.ToSlash(name), text), nil
}

func tooLarge(size int64) error {
	return fmt.Errorf("it is larger than %d MiB (%d bytes): split it, or leave it out", MaxFile>>20, size)
}

// invalid returns where the first byte stands that is no UTF-8.
func invalid(text string) (at, line int) {
	for line = 1; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		if r == '\n' {
			line++
		}
		at += size
	}
	return at, line
}

// reason takes the name of the file out of an error.
func reason(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
