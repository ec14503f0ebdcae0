package query

import (
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// MaskedText stands in the place of a masked value.
const MaskedText = "[masked]"

// mark puts MaskedText into the columns of a result that are masked columns as they
// are. What was computed of them is NULL and stays so.
func (c *substitution) mark(r *Result) {
	for i := range r.Columns {
		if !c.shows(i, r) {
			continue
		}
		r.Columns[i].Masked, r.Columns[i].Class = true, Text
		for _, row := range r.Rows {
			row[i] = Value{Text: MaskedText}
		}
	}
}

// shows reports that column i of a result is a masked column. All its values are
// NULL then.
func (c *substitution) shows(i int, r *Result) bool {
	for _, row := range r.Rows {
		if !row[i].Null {
			return false
		}
	}
	stars := false
	for _, item := range c.shown {
		stars = stars || item.Star
	}
	if !stars {
		return i < len(c.shown) && c.names[c.shown[i].Column]
	}
	// Where the stars' columns end is not known; so it goes by names.
	name := strings.ToLower(r.Columns[i].Name)
	for _, item := range c.shown {
		if item.Name != "" && strings.ToLower(item.Name) == name {
			return c.names[item.Column]
		}
	}
	return c.names[name]
}

// warning says what was masked.
func (c *substitution) warning() rewrite.Warning { return rewrite.Masked(c.masked) }
