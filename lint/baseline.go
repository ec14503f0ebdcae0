package lint

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Baseline is a list of findings that are known and count for nothing. They are known
// by their fingerprints, which stay the same when lines move.
type Baseline struct {
	known map[string]bool
}

// baselineFile is what a baseline looks like in a file.
type baselineFile struct {
	Version  int             `json:"version"`
	Findings []baselineEntry `json:"findings"`
}

type baselineEntry struct {
	Fingerprint string `json:"fingerprint"`
	Code        string `json:"code"`
	Path        string `json:"path"`
	Message     string `json:"message"`
}

// ReadBaseline reads what WriteBaseline wrote.
func ReadBaseline(in io.Reader) (*Baseline, error) {
	var f baselineFile
	if err := json.NewDecoder(in).Decode(&f); err != nil {
		return nil, fmt.Errorf("it is no baseline: %w", err)
	}
	if f.Version != 1 {
		return nil, fmt.Errorf("it is a baseline of version %d, and this program reads version 1", f.Version)
	}
	b := &Baseline{known: make(map[string]bool, len(f.Findings))}
	for _, e := range f.Findings {
		b.known[e.Fingerprint] = true
	}
	return b, nil
}

// WriteBaseline writes findings as a baseline, those that are suppressed left out.
func WriteBaseline(out io.Writer, findings []Finding) error {
	f := baselineFile{Version: 1, Findings: []baselineEntry{}}
	for _, x := range findings {
		if !x.Ignored {
			f.Findings = append(f.Findings, baselineEntry{x.Fingerprint, x.Rule.Code, x.Path, x.Message})
		}
	}
	slices.SortFunc(f.Findings, func(a, b baselineEntry) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return strings.Compare(a.Fingerprint, b.Fingerprint)
	})
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(f)
}

func (b *Baseline) has(fingerprint string) bool { return b != nil && b.known[fingerprint] }
