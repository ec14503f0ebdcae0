package source

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Language is what a file is written in.
type Language uint8

// The languages.
const (
	// LanguageNone is a file in which no SQL is looked for.
	LanguageNone Language = iota
	// LanguageSQL is SQL, with what the command line clients add.
	LanguageSQL
	// LanguageGo is a Go program.
	LanguageGo
	// LanguageMarkdown is a page of Markdown.
	LanguageMarkdown
)

// LanguageOf tells a file's language by its name.
func LanguageOf(path string) Language {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".sql", ".psql", ".pgsql", ".mysql", ".ddl":
		return LanguageSQL
	case ".go":
		return LanguageGo
	case ".md", ".markdown":
		return LanguageMarkdown
	}
	return LanguageNone
}

// errPatternEmpty says that a pattern fits no file.
var errPatternEmpty = errors.New("no file fits the pattern")

// Walk yields the files that paths name, in order: files as they are, those below a
// folder by their names, and those that fit a pattern, in which ** stands for any
// folders. Folders whose names begin with a dot, and vendor and node_modules, are left
// out. An error comes with the path that it belongs to, and the rest goes on.
func Walk(paths []string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		seen := map[string]bool{}
		once := func(path string, err error) bool {
			path = filepath.ToSlash(path)
			if err == nil && len(paths) > 1 {
				if seen[path] {
					return true
				}
				seen[path] = true
			}
			return yield(path, err)
		}
		for _, path := range paths {
			if path != "-" {
				if path = filepath.Clean(path); path == "-" {
					path = "./-" // a file of that name
				}
			}
			if !walkOne(path, once) {
				return
			}
		}
	}
}

func walkOne(path string, yield func(string, error) bool) bool {
	info, err := os.Stat(path)
	switch {
	case path == "-":
		return yield(path, nil)
	case err != nil && strings.ContainsAny(path, "*?["):
		return walkPattern(path, yield)
	case err != nil:
		return yield(path, reason(err))
	case !info.IsDir():
		return yield(path, nil)
	}
	return walkFolder(path, nil, func(file string, err error) bool {
		if err == nil && LanguageOf(file) == LanguageNone {
			return true
		}
		return yield(file, err)
	})
}

// walkFolder yields the files below a folder. above are the real paths of the folders
// that it stands in, by which a link that leads back is known.
func walkFolder(folder string, above []string, yield func(string, error) bool) bool {
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return yield(folder, reason(err))
	}
	if slices.Contains(above, real) {
		return yield(folder, errors.New("the link leads back to a folder that it stands in"))
	}
	entries, err := os.ReadDir(folder)
	if err != nil && !yield(folder, reason(err)) {
		return false
	}
	above = append(above, real)
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		isDir := entry.IsDir()
		if entry.Type()&os.ModeSymlink != 0 {
			info, err := os.Stat(path)
			if err != nil {
				if LanguageOf(path) != LanguageNone && !yield(path, reason(err)) {
					return false
				}
				continue
			}
			isDir = info.IsDir()
		}
		switch {
		case !isDir:
			if !yield(path, nil) {
				return false
			}
		case strings.HasPrefix(entry.Name(), "."), entry.Name() == "node_modules", entry.Name() == "vendor":
		case !walkFolder(path, above, yield):
			return false
		}
	}
	return true
}

// walkPattern yields the files that fit a pattern.
func walkPattern(pattern string, yield func(string, error) bool) bool {
	parts := strings.Split(filepath.ToSlash(pattern), "/")
	fixed := 0
	for fixed < len(parts)-1 && !strings.ContainsAny(parts[fixed], "*?[") {
		fixed++
	}
	root := strings.Join(parts[:fixed], "/")
	if root == "" {
		root = "."
		if strings.HasPrefix(pattern, "/") {
			root = "/"
		}
	}
	if _, err := filepath.Match(pattern, ""); err != nil {
		return yield(pattern, err)
	}
	found := false
	ok := walkFolder(root, nil, func(file string, err error) bool {
		if err == nil {
			below, relErr := filepath.Rel(root, file)
			if relErr != nil || !fits(parts[fixed:], strings.Split(filepath.ToSlash(below), "/")) {
				return true
			}
		}
		found = true
		return yield(file, err)
	})
	if ok && !found {
		return yield(pattern, errPatternEmpty)
	}
	return ok
}

// fits matches a path with a pattern, both cut at slashes.
func fits(pattern, path []string) bool {
	switch {
	case len(pattern) == 0:
		return len(path) == 0
	case pattern[0] == "**":
		return fits(pattern[1:], path) || len(path) > 0 && fits(pattern, path[1:])
	case len(path) == 0:
		return false
	}
	ok, err := filepath.Match(pattern[0], path[0])
	return err == nil && ok && fits(pattern[1:], path[1:])
}
