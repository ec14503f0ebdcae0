package lint

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/lint/source"
	"github.com/rowcap/rowcap/rewrite"
)

// Options are what a Linter goes by.
type Options struct {
	// Policy is the policy whose effects are told. Observe is left out of it: a
	// finding says what would be done.
	Policy rewrite.Policy
	// Dialect is the dialect of SQL for which the file names none, "" if each has to.
	Dialect string
	// Folders have dialects of their own, in the place of Dialect.
	Folders []Folder
	// Settings are names and values of the session that the SQL will run in; see
	// rewrite.Dialect.With.
	Settings [][2]string
	// DeepOffset is the offset from which on deep-offset finds one, 0 for none.
	DeepOffset uint64
	// Off are the rules that are not asked.
	Off []*Rule
	// Schema is what is known of tables, nil for nothing.
	Schema *Schema
	// Baseline has the findings that are known, nil for none.
	Baseline *Baseline
	// Keep has results carry the text of files with findings, which fixing needs.
	Keep bool
}

// Folder is a folder whose files are in a dialect, those below it included.
type Folder struct{ Path, Dialect string }

// Linter looks at files. It is safe for concurrent use.
type Linter struct {
	options   Options
	rules     []*Rule
	rewriters map[string]*rewrite.Rewriter
	marker    rewrite.Tokenizer
	folders   []Folder // with absolute paths, the longest first
	working   string   // the working folder, with a slash behind
}

// errNoDialect says that nothing tells which dialect a file is in.
var errNoDialect = errors.New("its dialect is not known: give --dialect, or begin it with a line -- dialect: NAME")

// New returns a Linter. The error says what in the options has no meaning.
func New(o Options) (*Linter, error) {
	o.Policy.Observe = false
	l := &Linter{options: o, rewriters: map[string]*rewrite.Rewriter{}}
	for _, name := range dialect.Names() {
		d, err := dialect.Lookup(name)
		if err != nil {
			return nil, err
		}
		r, err := rewrite.New(d, o.Policy)
		if err != nil {
			return nil, err
		}
		for _, s := range o.Settings {
			r = r.With(s[0], s[1])
		}
		l.rewriters[name] = r
	}
	l.rewriters["postgresql"] = l.rewriters["postgres"]
	if o.Dialect != "" && l.rewriters[o.Dialect] == nil {
		_, err := dialect.Lookup(o.Dialect)
		return nil, err
	}
	if err := l.setFolders(o.Folders); err != nil {
		return nil, err
	}
	if working, err := os.Getwd(); err == nil {
		l.working = strings.TrimSuffix(filepath.ToSlash(working), "/") + "/"
	}
	l.marker, _ = l.rewriters["mysql"].Dialect().(rewrite.Tokenizer)
	for _, r := range Rules() {
		if !slices.Contains(o.Off, r) {
			l.rules = append(l.rules, r)
		}
	}
	return l, nil
}

// Path looks at the file at path.
func (l *Linter) Path(path string) Result {
	f, err := source.Read(path)
	if err != nil {
		return Result{Path: path, Err: err}
	}
	language := source.LanguageOf(path)
	if language == source.LanguageNone {
		language = source.LanguageSQL
	}
	return l.file(f, language)
}

// Reader looks at SQL that comes from a stream, called name.
func (l *Linter) Reader(name string, in io.Reader) Result {
	f, err := source.ReadFrom(name, in)
	if err != nil {
		return Result{Path: name, Err: err}
	}
	return l.file(f, source.LanguageSQL)
}

// Text looks at a text of SQL, called name.
func (l *Linter) Text(name, sql string) Result {
	return l.file(source.NewFile(name, sql), source.LanguageSQL)
}

// File looks at a text as at a file of that name, whose ending says what it is.
func (l *Linter) File(name, text string) Result {
	language := source.LanguageOf(name)
	if language == source.LanguageNone {
		language = source.LanguageSQL
	}
	return l.file(source.NewFile(name, text), language)
}

// file looks at a file that was read. A fault in the reading of one is told, and does
// not end the others.
func (l *Linter) file(f *source.File, language source.Language) (out Result) {
	defer func() {
		if r := recover(); r != nil {
			out = Result{Path: f.Path, Err: fmt.Errorf("looking at it failed: %v", r)}
		}
	}()
	c := checker{linter: l, file: f, out: Result{Path: f.Path, Mark: f.Mark}}
	switch language {
	case source.LanguageGo:
		program, err := source.Go(f)
		if err != nil {
			c.out.Err = err
			return c.out
		}
		for _, s := range program.Scripts {
			c.script(s)
		}
		c.programDirectives(program.Comments)
		if program.Left > 0 {
			c.out.Skipped = append(c.out.Skipped, Skipped{Why: fmt.Sprintf("SQL that %d of its calls put together at run time or from constants that stand elsewhere, or have from other files, is not looked at", program.Left)})
		}
	case source.LanguageMarkdown:
		for _, s := range source.Markdown(f) {
			c.script(s)
		}
	default:
		c.script(&source.Script{End: len(f.Text)})
	}
	c.statements()
	c.finish()
	if l.options.Keep && len(c.out.Findings) > 0 {
		c.out.Text = f.Text
	}
	return c.out
}

// rewriter returns what plans a script, nil if its dialect is not known.
func (l *Linter) rewriter(f *source.File, s *source.Script) (*rewrite.Rewriter, error) {
	name := s.Dialect
	if name == "" {
		name = source.Marker(s.SQL(f), l.marker)
	}
	if name == "" {
		name = l.dialectOf(f.Path)
	}
	if name == "" {
		return nil, errNoDialect
	}
	r := l.rewriters[name]
	if r == nil {
		_, err := dialect.Lookup(name)
		return nil, err
	}
	return r, nil
}
