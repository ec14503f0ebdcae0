package rowcap_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// lintFolder makes a folder with SQL to look at, and one with rowcap on the PATH.
func lintFolder(t *testing.T) (folder, bin string) {
	t.Helper()
	folder, bin = t.TempDir(), filepath.Dir(buildRowcap(t))
	for name, text := range map[string]string{"db/a.sql": "SELECT id FROM a;\n", "db/-b c.sql": "SELECT id FROM b ORDER BY id LIMIT 5;\n"} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder, bin
}

// TestLintTools tries what docs/lint.md says of other tools, as far as that goes without
// them.
func TestLintTools(t *testing.T) {
	folder, bin := lintFolder(t)
	t.Run("github", func(t *testing.T) { lintAction(t, folder, bin) })
	t.Run("pre-commit", func(t *testing.T) { lintHook(t, folder, bin) })
	t.Run("gitlab", func(t *testing.T) { lintGitLab(t, folder, bin) })
}

// runIn runs a command in a folder and returns what it prints and its exit status.
func runIn(t *testing.T, folder, bin string, env []string, args ...string) (string, int) {
	t.Helper()
	if args[0] == "rowcap" {
		args[0] = filepath.Join(bin, args[0])
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), append(env, "PATH="+bin+":"+os.Getenv("PATH"))...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%q: %v", args, err)
	}
	status := cmd.ProcessState.ExitCode()
	if status > 1 {
		t.Logf("%q: %s", args, errs.String())
	}
	return string(out), status
}

// lintAction runs the steps of action.yml as a runner does, but for those of other
// actions. Its build is looked at only.
func lintAction(t *testing.T, folder, bin string) {
	t.Helper()
	var action struct {
		Name, Description string
		Inputs            map[string]struct{ Required bool }
		Runs              struct {
			Using string
			Steps []struct {
				Uses, Run, Shell, Name string
				Dir                    string `yaml:"working-directory"`
				Env, With              map[string]string
			}
		}
	}
	readYAML(t, "action.yml", &action)
	if action.Name == "" || action.Description == "" || action.Runs.Using != "composite" || !action.Inputs["args"].Required {
		t.Errorf("the action is %+v", action)
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	const args = "--dialect postgres\n  --fail-on warning\ndb\n"
	fill := strings.NewReplacer("${{ github.action_path }}", root, "${{ inputs.args }}", args).Replace
	linted := false
	for _, step := range action.Runs.Steps {
		if step.Uses != "" {
			for name, value := range step.With {
				if _, err := os.Stat(fill(value)); err != nil {
					t.Errorf("%s of %s: %v", name, step.Uses, err)
				}
			}
			continue
		}
		if step.Shell != "bash" {
			t.Errorf("the step %s has the shell %q", step.Name, step.Shell)
		}
		env := []string{"RUNNER_TEMP=" + bin}
		for name, value := range step.Env {
			env = append(env, name+"="+fill(value))
		}
		in := folder
		if step.Dir != "" {
			in = fill(step.Dir)
		}
		build := strings.Contains(step.Run, "go build")
		out, status := runIn(t, in, bin, env, "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", strings.Replace(step.Run, "go build", "go build -n", 1))
		if build {
			if status != 0 {
				t.Errorf("the step %s ends with %d", step.Name, status)
			}
			continue
		}
		linted = true
		if status != 1 || !strings.HasPrefix(out, "::warning file=db/a.sql,line=1,") {
			t.Errorf("the step %s ends with %d: %s", step.Name, status, out)
		}
	}
	if !linted {
		t.Error("no step looks at anything")
	}
}

// lintHook runs the command of the hook for pre-commit as pre-commit does: with the
// hook's arguments and the names of files.
func lintHook(t *testing.T, folder, bin string) {
	t.Helper()
	var hooks []struct {
		ID, Name, Entry, Language string
		Types                     []string `yaml:"types_or"`
	}
	readYAML(t, ".pre-commit-hooks.yaml", &hooks)
	if len(hooks) != 1 || hooks[0].ID == "" || hooks[0].Name == "" || hooks[0].Language != "golang" || !slices.Contains(hooks[0].Types, "sql") {
		t.Fatalf("the hooks are %+v", hooks)
	}
	command := append(strings.Fields(hooks[0].Entry), "--dialect", "postgres", "db/a.sql", "db/-b c.sql")
	if out, status := runIn(t, folder, bin, nil, command...); status != 1 || !strings.Contains(out, "2 statements in 2 files") {
		t.Errorf("%d: %s", status, out)
	}
	command[len(command)-2] = command[len(command)-1]
	if out, status := runIn(t, folder, bin, nil, command...); status != 0 {
		t.Errorf("%d: %s", status, out)
	}
	page := yamlBlocks(t)
	if repos, ok := page["repos"].([]any); !ok || !strings.Contains(marshal(t, repos), `"id":"`+hooks[0].ID+`"`) {
		t.Errorf("docs/lint.md has another hook: %v", page["repos"])
	}
}

// lintGitLab runs the last command of the job for GitLab, and reads its report.
func lintGitLab(t *testing.T, folder, bin string) {
	t.Helper()
	job, ok := yamlBlocks(t)["rowcap"].(map[string]any)
	if !ok {
		t.Fatal("docs/lint.md has no job")
	}
	script := job["script"].([]any)
	if _, status := runIn(t, folder, bin, nil, "sh", "-ec", script[len(script)-1].(string)); status != 1 {
		t.Errorf("the job ends with %d", status)
	}
	artifacts := job["artifacts"].(map[string]any)
	report, err := os.ReadFile(filepath.Join(folder, artifacts["reports"].(map[string]any)["codequality"].(string)))
	if err != nil {
		t.Fatal(err)
	}
	var issues []struct {
		Location struct{ Path string }
	}
	if err := json.Unmarshal(report, &issues); err != nil || len(issues) != 1 || issues[0].Location.Path != "db/a.sql" || artifacts["when"] != "always" {
		t.Errorf("%v: %s", err, report)
	}
}

// yamlBlocks returns the members of the blocks of YAML in docs/lint.md that are mappings.
func yamlBlocks(t *testing.T) map[string]any {
	t.Helper()
	text, err := os.ReadFile("docs/lint.md")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]any{}
	for _, block := range strings.Split(string(text), "\n```yaml\n")[1:] {
		body, _, _ := strings.Cut(block, "\n```\n")
		if strings.HasPrefix(body, "-") {
			continue
		}
		if err := yaml.Unmarshal([]byte(body), &all); err != nil {
			t.Fatalf("%v in %s", err, body)
		}
	}
	return all
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
