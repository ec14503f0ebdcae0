package config

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/rowcap/rowcap/rewrite"
)

const (
	sourcesSection = "sources"
	queriesSection = "queries"
)

// Source is a database that is declared in [sources.NAME].
type Source struct {
	Name string
	// Line is where the section begins.
	Line int

	URL          string        `name:"url"`
	URLEnv       string        `name:"url-env"`
	PasswordEnv  string        `name:"password-env"`
	PasswordFile string        `name:"password-file"`
	Description  string        `name:"description"`
	Mask         []string      `name:"mask"`
	MaskUse      string        `name:"mask-use" enum:"refuse,null"`
	MaskExempt   []string      `name:"mask-exempt"`
	Timeout      time.Duration `name:"statement-timeout"`
	Sessions     int           `name:"sessions"`

	file    *File
	section *section
}

// Sources returns the sources in the order of the file. The error is an *Error.
func (f *File) Sources() ([]Source, error) {
	group, ok := f.root.sections[sourcesSection]
	if !ok {
		return nil, nil
	}
	var all []Source
	for _, name := range group.names() {
		s := Source{Name: name, file: f, section: group.sections[name], Line: group.sections[name].line}
		policy := rewrite.DefaultPolicy()
		if err := f.fill(s.section, &s, &policy); err != nil {
			return nil, err
		}
		switch {
		case !isName(name):
			return nil, f.errorf(s.Line, "the source has the name %q: use at most 60 letters, digits, - and _", name)
		case (s.URL == "") == (s.URLEnv == ""):
			return nil, f.errorf(s.Line, "the source %q needs a url or an url-env, one of them", name)
		case s.PasswordEnv != "" && s.PasswordFile != "":
			return nil, f.errorf(s.Line, "the source %q has both a password-env and a password-file: leave out one", name)
		}
		all = append(all, s)
	}
	return all, nil
}

// Policy returns base with the source's own knobs.
func (s Source) Policy(base rewrite.Policy) (rewrite.Policy, error) {
	rest := Source{}
	if err := s.file.fill(s.section, &rest, &base); err != nil {
		return base, err
	}
	if err := base.Validate(); err != nil {
		return base, s.file.errorf(s.Line, "the source %q: %v", s.Name, err)
	}
	return base, nil
}

// Address returns the source's URL, and its password if that is kept elsewhere; ok is
// false if the URL holds it or there is none.
func (s Source) Address() (url, password string, ok bool, err error) {
	url = s.URL
	if s.URLEnv != "" {
		if url = os.Getenv(s.URLEnv); url == "" {
			return "", "", false, s.file.errorf(s.section.values["url-env"].Line, "the variable %s is not set", s.URLEnv)
		}
	}
	switch {
	case s.PasswordEnv != "":
		password, ok = os.LookupEnv(s.PasswordEnv)
		if !ok {
			return "", "", false, s.file.errorf(s.section.values["password-env"].Line, "the variable %s is not set", s.PasswordEnv)
		}
	case s.PasswordFile != "":
		if password, err = ReadPassword(s.PasswordFile); err != nil {
			return "", "", false, s.file.errorf(s.section.values["password-file"].Line, "%v", err)
		}
		ok = true
	}
	return url, password, ok, nil
}

// ReadPassword reads a password from the first line of a file.
func ReadPassword(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("cannot read the password: %w", err)
	}
	line, _, _ := strings.Cut(string(b), "\n")
	if line = strings.TrimSuffix(line, "\r"); line == "" {
		return "", fmt.Errorf("cannot read the password: the first line of %s is empty", path)
	}
	return line, nil
}

// Query is a saved query, declared in [queries.NAME].
type Query struct {
	Name string
	Line int

	SQL         string `name:"sql"`
	Source      string `name:"source"`
	Description string `name:"description"`

	section *section
}

// KeyValue is one key of a section with its value.
type KeyValue struct {
	Key string
	Value
}

// Values returns what the file says of the source, in its order.
func (s Source) Values() []KeyValue { return s.section.list() }

// Values returns what the file says of the query, in its order.
func (q Query) Values() []KeyValue { return q.section.list() }

func (s *section) list() []KeyValue {
	var all []KeyValue
	for _, key := range s.keys() {
		all = append(all, KeyValue{key, s.values[key]})
	}
	return all
}

// Queries returns the saved queries in the order of the file. The error is an *Error.
func (f *File) Queries() ([]Query, error) {
	group, ok := f.root.sections[queriesSection]
	if !ok {
		return nil, nil
	}
	sources := f.root.sections[sourcesSection]
	var all []Query
	for _, name := range group.names() {
		q := Query{Name: name, Line: group.sections[name].line, section: group.sections[name]}
		if err := f.fill(group.sections[name], &q); err != nil {
			return nil, err
		}
		switch {
		case !isName(name):
			return nil, f.errorf(q.Line, "the saved query has the name %q: use at most 60 letters, digits, - and _", name)
		case strings.TrimSpace(q.SQL) == "":
			return nil, f.errorf(q.Line, "the saved query %q has no sql", name)
		case q.Source != "" && (sources == nil || sources.sections[q.Source] == nil):
			return nil, f.errorf(group.sections[name].values["source"].Line, "the source %q of the saved query %q is not declared", q.Source, name)
		}
		all = append(all, q)
	}
	return all, nil
}

// isName reports a name that can stand in arguments, cursors and logs as it is.
func isName(s string) bool {
	if s == "" || len(s) > 60 {
		return false
	}
	for _, c := range s {
		if c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}
