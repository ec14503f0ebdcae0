package lint

import (
	"github.com/rowcap/rowcap/rewrite"
)

// Fix returns the text of a file with the edits of its findings made, and how many
// findings they mend. Suppressed and known findings stay. The result needs its text;
// see Options.Keep.
func Fix(r Result) (text string, fixed int) {
	var edits []rewrite.Edit
	last := -1 // the end of the last edit
	for i := range r.Findings {
		f := &r.Findings[i]
		// Two findings of one statement would write the same limit.
		if !f.Counts() || len(f.Fixes) == 0 || f.Fixes[0].Start <= last {
			continue
		}
		edits = append(edits, f.Fixes...)
		last = f.Fixes[len(f.Fixes)-1].End
		fixed++
	}
	return rewrite.ApplyEdits(r.Text, edits), fixed
}
