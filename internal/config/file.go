// Package config reads rowcap.toml, the file in which an operator declares what would
// else be flags, and what has no flags: named sources and saved queries.
//
// # The file
//
//	[policy]            # knobs of rewrite.Policy, for every command
//	[serve]             # flags of a command, by their names without the dashes
//	[mcp]
//	[sources.NAME]      # a database, with knobs of its own
//	[queries.NAME]      # a saved query
//
// The file is read strictly: a section or a key that means nothing is an error with
// its line, as is a value of another type. Which keys a command's section may have is
// told by the caller, who has the flags; so a new section needs no change here.
package config

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// DefaultPath is where the file is looked for if no other path is given.
const DefaultPath = "rowcap.toml"

// maxFile is the size in bytes of the largest file that is read.
const maxFile = 4 << 20

// File is a file that was read. The zero File is an empty one.
type File struct {
	// Name is the file's path as it was given, "" if there is no file.
	Name string
	root section
}

// section is a table of the file.
type section struct {
	name     string // as in its header, "" for the file itself
	line     int
	values   map[string]Value
	sections map[string]*section
}

// Value is one value of the file.
type Value struct {
	// Any is a string, int64, float64, bool, a list of them ([]any), or a type of
	// TOML that no key takes.
	Any any
	// Line is where its key stands, from 1.
	Line int
}

// Error is a mistake in the file.
type Error struct {
	File string
	// Line is where, from 1; 0 if the mistake is in no one line.
	Line    int
	Message string
}

// Error states the place and the mistake.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Message
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message)
}

func (f *File) errorf(line int, format string, args ...any) *Error {
	return &Error{File: f.Name, Line: line, Message: fmt.Sprintf(format, args...)}
}

// Read reads the file at path. The error is that of the system, or an *Error.
func Read(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the configuration: %w; give the path of a file with --config", err)
	}
	if info.Size() > maxFile {
		return nil, &Error{File: path, Message: fmt.Sprintf("the file is larger than %d bytes", maxFile)}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the configuration: %w; give the path of a file with --config", err)
	}
	return Parse(path, text)
}

// Parse reads a text. The error is an *Error with the line of the first mistake in
// its form; what the keys mean is for Check.
func Parse(name string, text []byte) (*File, error) {
	f := &File{Name: name}
	var document map[string]any
	if err := toml.Unmarshal(text, &document); err != nil {
		var decode *toml.DecodeError
		if errors.As(err, &decode) {
			line, _ := decode.Position()
			return nil, f.errorf(line, "%s", strings.TrimPrefix(decode.Error(), "toml: "))
		}
		return nil, f.errorf(0, "%s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	places, err := lines(text)
	if err != nil {
		return nil, f.errorf(0, "%v", err)
	}
	f.root = *newSection("", nil, document, places)
	return f, nil
}

func newSection(name string, path []string, document map[string]any, places map[string]int) *section {
	s := &section{name: name, line: places[place(path)], values: map[string]Value{}, sections: map[string]*section{}}
	for key, value := range document {
		at := append(slices.Clone(path), key)
		if table, ok := value.(map[string]any); ok {
			s.sections[key] = newSection(strings.Join(at, "."), at, table, places)
			continue
		}
		s.values[key] = Value{Any: value, Line: places[place(at)]}
	}
	return s
}

// names returns the names of the subsections, in the order of the file.
func (s *section) names() []string {
	all := make([]string, 0, len(s.sections))
	for name := range s.sections {
		all = append(all, name)
	}
	slices.SortFunc(all, func(a, b string) int {
		if d := s.sections[a].line - s.sections[b].line; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return all
}

// keys returns the keys of the values, in the order of the file.
func (s *section) keys() []string {
	all := make([]string, 0, len(s.values))
	for key := range s.values {
		all = append(all, key)
	}
	slices.SortFunc(all, func(a, b string) int {
		if d := s.values[a].Line - s.values[b].Line; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return all
}

// Lookup returns the value of a key in a section of the file.
func (f *File) Lookup(sectionName, key string) (Value, bool) {
	s, ok := f.root.sections[sectionName]
	if !ok {
		return Value{}, false
	}
	v, ok := s.values[key]
	return v, ok
}

// Place says where a value stands, for people: rowcap.toml:7.
func (f *File) Place(v Value) string { return fmt.Sprintf("%s:%d", f.Name, v.Line) }
