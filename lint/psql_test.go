package lint_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/lint/source"
	"github.com/rowcap/rowcap/rewrite"
)

// copies are scripts of psql with \copy, of one line each but for data.
var copies = []string{
	`\copy (SELECT id FROM a LIMIT 4) TO 'out.csv' WITH (FORMAT csv)`,
	`\copy (SELECT count(*) FROM (SELECT 1 FROM a ORDER BY 1 LIMIT 4) x) to program 'cat > x' csv`,
	`\copy (SELECT 'it''s ; from :x' FROM a) to out--x.csv`,
	`\copy (SELECT id FROM a WHERE x IN (1, 2)) to pstdout`,
	`\copy (TABLE a) to stdout;`,
	`\copy public."From".a`,
	`\copy "From" (id) to 'o''k.csv'`,
	`\copy a to stdin`,
	`\copy public.a(id, x) TO /tmp/../dev/null csv header`,
	`\copy binary a to '/dev/null'`,
	`\copy a to '/dev/null'; select 2`,
	"\\copy a from stdin\n1\t2\nSELECT 3;\t4\n\\.",
	"\\copy a (id, x) from stdout csv\n1,2\n\\.\nSELECT 'behind it';",
	"\\copy a from pstdin\nSELECT 'no data';",
	"\\copy a from '/dev/null'\nSELECT 'nor here';",
	"\\copy a from program 'cat /dev/null'\nSELECT 'nor here';",
	"SELECT 'before'\n\\copy a to '/dev/null'\n, 'and behind';",
	`\copy a to`,
	`\copy a`,
	`\copy`,
	`\copy (SELECT id FROM a`,
	`\copy a from program cat`,
	`\copy a to program`,
}

// TestCopyAsPsql holds what is read of \copy to what psql sends to a server.
func TestCopyAsPsql(t *testing.T) {
	psql, err := exec.LookPath("psql")
	if err != nil {
		dbtest.Missing(t, "psql")
	}
	server := dbtest.Postgres(t)
	database := server.Database(t)
	server.SQL(t, database, `CREATE TABLE a (id text, x text); CREATE TABLE "From" (id text)`)
	d, err := dialect.Lookup("postgres")
	if err != nil {
		t.Fatal(err)
	}
	_, l := both(t, "postgres", rewrite.DefaultPolicy())
	folder := t.TempDir()
	for _, script := range copies {
		file := filepath.Join(folder, "script.sql")
		if err := os.WriteFile(file, []byte("SET client_min_messages = log;\nSET log_statement = 'all';\n"+script+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(psql, "-X", "-q", "-f", file, server.URL(database))
		cmd.Dir = folder
		said, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		var sent []string
		text := strings.ReplaceAll(string(said), "\n, ", ", ") // the statement of two lines
		for line := range strings.Lines(text) {
			if _, statement, ok := strings.Cut(line, "LOG:  statement: "); ok {
				sent = append(sent, squeeze(statement))
			}
		}
		read := &source.Script{End: len(script)}
		source.Cut(read, script, d.(rewrite.Tokenizer))
		var got []string
		for _, st := range read.Statements {
			got = append(got, squeeze(rewrite.ApplyEdits(script[st.Start:st.End], st.Edits)))
		}
		if len(sent) == 0 { // psql does not take it
			if r := l.Text("x.sql", script); !strings.Contains(string(said), `\copy: `) || len(r.Findings) != 1 || r.Findings[0].Rule.Name != "parse-error" {
				t.Errorf("%q: psql says %s, and there is found: %s", script, said, show(r))
			}
			continue
		}
		slices.Sort(sent) // \copy is sent before the statement that it stands in
		slices.Sort(got)
		if !slices.Equal(sent, got) {
			t.Errorf("%q: psql sends %q, and read is %q", script, sent, got)
		}
	}
}

// squeeze takes blanks and the last semicolon out of a statement, and its capitals.
func squeeze(statement string) string {
	return strings.TrimSuffix(strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, statement)), ";")
}
