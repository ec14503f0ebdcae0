package fuzz

import (
	"embed"
	"encoding/json"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/rewrite"
	known "github.com/rowcap/rowcap/testdata/cases"
)

// dictionaries are in the binary, as a target may run where these files are not.
//
//go:embed testdata/*.dict
var dictionaries embed.FS

// words returns the entries of testdata/NAME.dict, which is in the form that libFuzzer
// and AFL read too: a text in quotes on each line.
func words(t testing.TB, name string) []string {
	t.Helper()
	path := "testdata/" + name + ".dict"
	content, err := dictionaries.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(content)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		word, err := strconv.Unquote(line)
		if err != nil {
			t.Fatalf("%s: %s: %v", path, line, err)
		}
		all = append(all, word)
	}
	if len(all) == 0 {
		t.Fatalf("%s has no entries", path)
	}
	return all
}

// dictionaryOf returns the name of the dictionary for a dialect.
func dictionaryOf(name string) string {
	if name == "postgres" {
		return "postgres"
	}
	return "mysql"
}

// cases returns the statements of testdata/cases that are of a dialect.
func cases(t testing.TB, name string) []string {
	t.Helper()
	files, err := fs.Glob(known.Files, "*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	var all []string
	for _, file := range files {
		content, err := known.Files.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(content)) {
			var c struct{ Dialect, SQL string }
			if err := json.Unmarshal([]byte(line), &c); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if strings.HasPrefix(c.Dialect, dictionaryOf(name)) && !slices.Contains(all, c.SQL) {
				all = append(all, c.SQL)
			}
		}
	}
	if len(all) < 20 {
		t.Fatalf("%d cases of %s only", len(all), name)
	}
	return all
}

// pieces cuts a text into its tokens, each with the white space before it; what follows
// the last one is a piece too.
func pieces(d rewrite.Tokenizer, text string) []string {
	var all []string
	last := 0
	for token := range d.Tokens(text) {
		all = append(all, text[last:token.End])
		last = token.End
	}
	return append(all, text[last:])
}

// scramble changes a text in one to three places by whole tokens: it drops one, writes
// one twice, exchanges two, or puts a word of the dictionary in. Bytes that are changed at
// random seldom make another statement of a grammar; tokens do.
func scramble(d rewrite.Tokenizer, text string, dictionary []string, seed uint64) string {
	random := rand.New(rand.NewPCG(seed, 11))
	all := pieces(d, text)
	for range 1 + random.IntN(3) {
		at := random.IntN(len(all))
		switch random.IntN(5) {
		case 0:
			if len(all) > 1 {
				all = slices.Delete(all, at, at+1)
			}
		case 1:
			all = slices.Insert(all, at, all[at])
		case 2:
			other := random.IntN(len(all))
			all[at], all[other] = all[other], all[at]
		default:
			all = slices.Insert(all, at, " "+dictionary[random.IntN(len(dictionary))]+" ")
		}
	}
	return strings.Join(all, "")
}

// sibling returns the text with other numbers and other texts in quotes, of which some
// have the same shape.
func sibling(d rewrite.Tokenizer, text string, seed uint64) string {
	random := rand.New(rand.NewPCG(seed, 12))
	var b strings.Builder
	last := 0
	for token := range d.Tokens(text) {
		b.WriteString(text[last:token.Start])
		old := text[token.Start:token.End]
		last = token.End
		switch {
		case token.Kind == rewrite.TokenNumber && len(strings.Trim(old, "0123456789")) == 0 && len(old) < 9 && old[0] > '1':
			b.WriteString(strconv.Itoa(2 + random.IntN(1<<(1+random.IntN(20)))))
		case token.Kind == rewrite.TokenQuoted && old[0] == '\'' && len(strings.Trim(old, "'")) == len(old)-2:
			b.WriteString([]string{"''", "'a'", "'LIMIT 9'", "'--'", "'/*'", "';'", "'é'"}[random.IntN(7)])
		default:
			b.WriteString(old)
		}
	}
	b.WriteString(text[last:])
	return b.String()
}

// TestScramble has the mutators keep texts that they can do nothing with, and change
// others.
func TestScramble(t *testing.T) {
	d := sessionOf(t, "postgres", 0)
	const text = "SELECT a FROM t WHERE b = 25 AND c = 'x' LIMIT 30 -- end"
	if again := strings.Join(pieces(d, text), ""); again != text {
		t.Errorf("the pieces make %q", again)
	}
	scrambled, siblings := map[string]bool{}, map[string]bool{}
	for seed := range uint64(50) {
		scrambled[scramble(d, text, words(t, "postgres"), seed)] = true
		siblings[sibling(d, text, seed)] = true
		scramble(d, "", []string{"x"}, seed)
	}
	if len(scrambled) < 40 || len(siblings) < 40 {
		t.Errorf("%d scrambled texts and %d siblings of 50", len(scrambled), len(siblings))
	}
	if same := sibling(d, "SELECT a, 1, 0, $1", 1); same != "SELECT a, 1, 0, $1" {
		t.Errorf("the sibling is %q", same)
	}
}
