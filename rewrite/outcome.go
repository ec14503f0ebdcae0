package rewrite

import "encoding/json"

// Completeness says whether rows that the statement asked for are missing from
// an answer because of a cap.
type Completeness uint8

const (
	// Complete: none are missing.
	Complete Completeness = iota
	// Truncated: some are missing.
	Truncated
	// Unknown: the cap was reached and nothing was asked for beyond it.
	Unknown
)

var completenessNames = [...]string{"complete", "truncated", "unknown"}

// String returns the word.
func (c Completeness) String() string { return completenessNames[c] }

// MarshalText returns the word.
func (c Completeness) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Outcome is what is known of one answer after its last row.
type Outcome struct {
	Plan Plan
	// Rows is the number of rows delivered.
	Rows         uint64
	Completeness Completeness
	// Beyond is the number of rows beyond the cap that were delivered all the same,
	// as the policy only observes.
	Beyond uint64
}

// MarshalJSON returns the facts for programs: completeness, rows, limit (null
// if there is none), limitSource, method and, where the maximum lowered a known
// number, wanted; beyond where the policy only observes.
func (o Outcome) MarshalJSON() ([]byte, error) {
	facts := struct {
		Completeness Completeness `json:"completeness"`
		Rows         uint64       `json:"rows"`
		Limit        *uint64      `json:"limit"`
		LimitSource  Source       `json:"limitSource"`
		Wanted       uint64       `json:"wanted,omitempty"`
		Method       Method       `json:"method"`
		Beyond       uint64       `json:"beyond,omitempty"`
	}{o.Completeness, o.Rows, nil, o.Plan.Cap.Source, o.Plan.Cap.Wanted, o.Plan.Method, o.Beyond}
	if c := o.Plan.Cap; c.Source != SourceNone && c.Rows != NoLimit {
		facts.Limit = &o.Plan.Cap.Rows
	}
	return json.Marshal(facts)
}
