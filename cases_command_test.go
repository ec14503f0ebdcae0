package rowcap_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// buildRowcap builds the program of this tree and returns its path.
func buildRowcap(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rowcap")
	if out, err := exec.Command("go", "build", "-o", path, "./cmd/rowcap").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

// rewritten is what rowcap rewrite --format json prints.
type rewritten struct {
	SQL        string
	Statements []struct {
		Kind, Method, Obstacle, Why string
		Cap, Wanted                 *uint64
		LimitSource                 string `json:"limit_source"`
		SQL                         string
		Bind                        int
		CutByServer                 bool `json:"cut_by_server"`
		Edits                       []struct{ Start, End int }
	}
}

// rewriteByCommand runs rowcap rewrite on the text of a case for a session with
// settings other than the server's own.
func (at *places) rewriteByCommand(t *testing.T, c sharedCase, settings []string) (r rewritten, refused bool) {
	t.Helper()
	args := []string{"rewrite", "--dialect", at.server.Flavor, "--format", "json", "--default-limit", fmt.Sprint(c.DefaultCap), "--max-limit", "0"}
	if c.MaxCap != nil {
		args[len(args)-1] = fmt.Sprint(*c.MaxCap)
	}
	for name, value := range c.Options.Policy {
		args = append(args, "--"+name, value)
	}
	for _, s := range settings {
		args = append(args, "--set", s)
	}
	cmd := exec.Command(at.program, args...)
	cmd.Stdin = strings.NewReader(c.SQL)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); errors.As(err, &exit) && exit.ExitCode() == 1 {
		refused = true
	} else if err != nil {
		t.Fatalf("rowcap rewrite: %v: %s", err, errs.String())
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("rowcap rewrite printed %q: %v", out.String(), err)
	}
	return r, refused
}

// throughCommand runs what rowcap rewrite prints on the server and reads the
// answer as its facts say: rows up to the cap are delivered, and a further row
// means that rows are missing.
func (at *places) throughCommand(t *testing.T, c sharedCase) {
	session, settings := at.session(t, c, at.server.Addr())
	r, refused := at.rewriteByCommand(t, c, settings)
	if refused {
		if r.SQL != "" || !c.Expect.Error {
			t.Errorf("refused with the text %q; the case expects an error: %t", r.SQL, c.Expect.Error)
		}
		return
	}
	got, fail := session.run(t, r.SQL, c.Params)
	missing := false
	for i, of := range at.statementsOf(r, len(got)) {
		st, rows := r.Statements[of], uint64(len(got[i].Rows))
		switch {
		case st.Cap == nil:
		case rows > *st.Cap:
			// A parameter that is to be bounded was bound as the case says.
			if st.Bind == 0 && (st.Method == "exact" || st.Method == "probe" && rows > *st.Cap+1) {
				t.Errorf("%d rows came for a cap of %d held by %s", rows, *st.Cap, st.Method)
			}
			got[i].Rows, missing = got[i].Rows[:*st.Cap], true
		default:
			missing = missing || st.CutByServer || st.Method == "exact" && rows == *st.Cap
		}
	}
	c.checkAnswers(t, got, fail.Code)
	if missing != c.Expect.Truncated {
		t.Errorf("rows missing: %t, want %t: %+v", missing, c.Expect.Truncated, r)
	}
	if len(r.Statements) == 0 {
		return
	}
	last := r.Statements[len(r.Statements)-1]
	source := c.Expect.LimitSource
	if c.Options.CommandSource != "" {
		source = c.Options.CommandSource
	}
	if last.LimitSource != source {
		t.Errorf("limit_source %s, want %s: %+v", last.LimitSource, source, last)
	}
	if c.Expect.MustNotChange && (r.SQL != c.SQL || len(last.Edits) > 0) {
		t.Errorf("the text was changed to %q", r.SQL)
	}
	c.checkAfter(t, session)
}

// statementsOf says for each of a text's answers which of its statements gave it.
// A MySQL client has no answer of a statement without rows, and several of CALL.
func (at *places) statementsOf(r rewritten, answers int) []int {
	var of []int
	for i, st := range r.Statements {
		if at.server.Flavor == dbtest.FlavorPostgres || st.Why != "returns no rows" || len(r.Statements) == 1 {
			of = append(of, i)
		}
	}
	for i := 0; len(of) < answers && i < len(of); i++ {
		for st := r.Statements[of[i]]; (st.Kind == "call" || st.Kind == "unknown") && len(of) < answers; {
			of = slices.Insert(of, i, of[i])
		}
	}
	return of[:min(answers, len(of))]
}
