package main

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/lint"
	"github.com/rowcap/rowcap/lint/source"
)

// folder reads a value of --dialect-of.
func folder(of string) (f lint.Folder, err error) {
	i := strings.LastIndexByte(of, '=')
	if i <= 0 {
		return f, fmt.Errorf("--dialect-of %q: use FOLDER=NAME", of)
	}
	f = lint.Folder{Path: of[:i], Dialect: strings.ToLower(of[i+1:])}
	if _, err := dialect.Lookup(f.Dialect); err != nil {
		return f, fmt.Errorf("--dialect-of %q: %w", of, err)
	}
	return f, nil
}

// files are the files to look at.
func (c lintCmd) files() (iter.Seq2[string, error], error) {
	all := source.Walk(c.Paths)
	if c.Since == "" {
		return all, nil
	}
	changed, err := changedSince(c.Since)
	if err != nil {
		return nil, err
	}
	return func(yield func(string, error) bool) {
		for path, err := range all {
			if err == nil && path != "-" && !changed[absolute(path)] {
				continue
			}
			if !yield(path, err) {
				return
			}
		}
	}, nil
}

// schema reads the files that --schema names, nil if it names none.
func (c lintCmd) schema(o lint.Options) (*lint.Schema, error) {
	if len(c.Schema) == 0 {
		return nil, nil
	}
	l, err := lint.New(o)
	if err != nil {
		return nil, err
	}
	schema := new(lint.Schema)
	for path, err := range source.Walk(c.Schema) {
		if err == nil && source.LanguageOf(path) == source.LanguageSQL {
			err = schema.Add(l, path)
		}
		if err != nil {
			return nil, fmt.Errorf("--schema: %s: %w", path, err)
		}
	}
	if len(schema.Tables()) == 0 {
		return nil, fmt.Errorf("--schema: no CREATE TABLE was found in %s", strings.Join(c.Schema, ", "))
	}
	return schema, nil
}

// absolute is a path by which a file is known however it was named.
func absolute(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	return abs
}

// changedSince asks git which files of the working folder's repository differ from a
// revision, and which it does not know yet.
func changedSince(revision string) (map[string]bool, error) {
	top, err := git("rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	root := strings.TrimSpace(top)
	differ, err := git("-C", root, "diff", "--name-only", "-z", "--diff-filter=d", "--end-of-options", revision, "--")
	if err != nil {
		return nil, err
	}
	unknown, err := git("-C", root, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, err
	}
	changed := map[string]bool{}
	for name := range strings.SplitSeq(differ+unknown, "\x00") {
		if name != "" {
			changed[absolute(filepath.Join(root, name))] = true
		}
	}
	return changed, nil
}

func git(args ...string) (string, error) {
	out, err := exec.Command("git", args...).Output()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return "", fmt.Errorf("--since: git says: %s", strings.TrimSpace(string(exit.Stderr)))
	case err != nil:
		return "", fmt.Errorf("--since needs git: %w", err)
	}
	return string(out), nil
}

// fixFile writes a file with its findings' edits made, and returns how many findings
// that mends. The file is replaced as a whole, so that nobody reads half of it, unless
// somebody changed it since it was read.
func fixFile(r lint.Result) (fixed int, err error) {
	text, fixed := lint.Fix(r)
	if fixed == 0 {
		return 0, nil
	}
	was := r.Text
	if r.Mark > 0 {
		was, text = "\ufeff"+was, "\ufeff"+text
	}
	path, err := filepath.EvalSymlinks(r.Path)
	if err != nil {
		return 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	if info.Mode().Perm()&0o200 == 0 {
		return 0, &fs.PathError{Op: "write", Path: r.Path, Err: fs.ErrPermission}
	}
	switch is, err := os.ReadFile(path); {
	case err != nil:
		return 0, err
	case string(is) == text: // mended by another name of it
		return fixed, nil
	case string(is) != was:
		return 0, errors.New("it changed while it was looked at: run rowcap lint once more")
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".rowcap-lint-*")
	if err != nil {
		return 0, err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Chmod(info.Mode().Perm()), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return 0, fmt.Errorf("writing %s: %w", r.Path, err)
	}
	return fixed, nil
}
