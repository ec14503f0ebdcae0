package rowcap_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// step is a step of a job of GitHub Actions, as far as it is checked.
type workflowStep struct {
	Uses, Run string
	With      map[string]string
}

// TestFuzzWorkflow reads the files by which other machines fuzz. What they run is there.
func TestFuzzWorkflow(t *testing.T) {
	var workflow struct {
		On struct {
			Schedule []struct{ Cron string }
		}
		Jobs map[string]struct {
			RunsOn string `yaml:"runs-on"`
			Steps  []workflowStep
		}
	}
	readYAML(t, ".github/workflows/fuzz.yml", &workflow)
	if len(workflow.On.Schedule) != 1 || len(strings.Fields(workflow.On.Schedule[0].Cron)) != 5 {
		t.Errorf("the schedule is %+v", workflow.On.Schedule)
	}
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]bool{}
	for name, job := range workflow.Jobs {
		if job.RunsOn == "" || len(job.Steps) == 0 {
			t.Errorf("the job %s is %+v", name, job)
		}
		for _, step := range job.Steps {
			if (step.Uses == "") == (step.Run == "") {
				t.Errorf("a step of %s has no use: %+v", name, step)
			}
			if _, command, ok := strings.Cut(step.Run, "make "); ok {
				target := strings.Fields(command)[0]
				if made[target] = true; !strings.Contains(string(makefile), "\n"+target+":") {
					t.Errorf("%s: there is no make %s", name, target)
				}
			}
			if name == "clusterfuzzlite" && step.With["sanitizer"] != "address" {
				t.Errorf("ClusterFuzzLite is run with %v", step.With)
			}
		}
	}
	if !made["fuzz"] || !made["fuzz-server"] {
		t.Errorf("only %v are made", made)
	}
	var project struct {
		Language   string
		Sanitizers []string
	}
	readYAML(t, ".clusterfuzzlite/project.yaml", &project)
	if project.Language != "go" || !slices.Equal(project.Sanitizers, []string{"address"}) {
		t.Errorf("the project is %+v", project)
	}
}

func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = yaml.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// TestFuzzBuild runs the script that builds the targets elsewhere, with a compiler that notes
// what it is asked for: every target is built once, under a name of its own.
func TestFuzzBuild(t *testing.T) {
	bin, out := t.TempDir(), t.TempDir()
	compiler := "#!/bin/sh\necho \"$1 $2\" >>\"$OUT/log\"\n: >\"$OUT/$3\"\n"
	if err := os.WriteFile(filepath.Join(bin, "compile_native_go_fuzzer_v2"), []byte(compiler), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", ".clusterfuzzlite/build.sh")
	cmd.Env = append(os.Environ(), "OUT="+out, "PATH="+bin+":"+os.Getenv("PATH"))
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	log, err := os.ReadFile(filepath.Join(out, "log"))
	if err != nil {
		t.Fatal(err)
	}
	asked := strings.Fields(string(log))
	built, err := filepath.Glob(filepath.Join(out, "*_Fuzz*"))
	if err != nil {
		t.Fatal(err)
	}
	targets, dictionaries := 0, 0
	for _, path := range built {
		if filepath.Ext(path) == ".dict" {
			dictionaries++
		} else {
			targets++
		}
	}
	if targets != len(asked)/2 || targets < 30 || dictionaries < 10 {
		t.Errorf("%d targets and %d dictionaries were built, asked for was %q", targets, dictionaries, asked)
	}
	for _, want := range []string{module + "/fuzz FuzzRewritePostgres", module + "/internal/query FuzzMaskMySQL", module + "/proxy/pgwire FuzzPortals"} {
		if !strings.Contains(string(log), want+"\n") {
			t.Errorf("%s was not asked for", want)
		}
	}
}
