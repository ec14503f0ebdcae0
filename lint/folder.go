package lint

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rowcap/rowcap/dialect"
)

// setFolders notes the folders that have a dialect of their own.
func (l *Linter) setFolders(folders []Folder) error {
	for _, f := range folders {
		d, err := dialect.Lookup(f.Dialect)
		if err != nil {
			return err
		}
		path, err := filepath.Abs(f.Path)
		if err != nil {
			return err
		}
		l.folders = append(l.folders, Folder{path, d.Name()})
	}
	slices.SortStableFunc(l.folders, func(a, b Folder) int { return cmp.Compare(len(b.Path), len(a.Path)) })
	return nil
}

// dialectOf returns the dialect of a file that names none, "" if it is not known.
func (l *Linter) dialectOf(path string) string {
	if len(l.folders) > 0 {
		if abs, err := filepath.Abs(path); err == nil {
			for _, f := range l.folders {
				if below, err := filepath.Rel(f.Path, abs); err == nil && below != ".." && !strings.HasPrefix(below, ".."+string(filepath.Separator)) {
					return f.Dialect
				}
			}
		}
	}
	return l.options.Dialect
}
