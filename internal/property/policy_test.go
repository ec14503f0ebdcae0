package property

import (
	"pgregory.net/rapid"

	"github.com/rowcap/rowcap/rewrite"
)

// drawCap draws a number of rows about total: one below, just it, one above, or any.
func drawCap(t *rapid.T, total int) uint64 {
	n := rapid.SampledFrom([]int{total, total - 1, total + 1, 1, 2, total / 2, total + 7, -1}).Draw(t, "cap")
	if n < 1 {
		n = rapid.IntRange(1, total+9).Draw(t, "any cap")
	}
	return uint64(n)
}

// drawPolicy draws a policy and what a request asks for, for an answer of total rows.
func drawPolicy(t *rapid.T, total int, mysql bool) (p rewrite.Policy, ask rewrite.Ask) {
	p = rewrite.DefaultPolicy()
	p.DefaultLimit, p.MaxLimit = drawCap(t, total), 0
	switch rapid.SampledFrom([]string{"default", "default and maximum", "maximum", "equal", "both large"}).Draw(t, "policy") {
	case "default and maximum":
		p.MaxLimit = p.DefaultLimit + uint64(rapid.IntRange(0, 20).Draw(t, "above"))
	case "maximum":
		p.MaxLimit, p.DefaultLimit = p.DefaultLimit, 0
	case "equal":
		p.MaxLimit = p.DefaultLimit
	case "both large":
		p.DefaultLimit, p.MaxLimit = 100, 1000
	}
	one := func(name string, in int) bool { return rapid.IntRange(0, in-1).Draw(t, name) == in-1 }
	if one("trust", 8) {
		p.Explicit = rewrite.ExplicitTrust
	}
	if one("guard only", 10) {
		p.PushDown = false
	}
	if one("catalogues too", 2) {
		p.Catalogs = rewrite.CatalogsCap
	}
	if one("asked for", 4) {
		ask.Limit = drawCap(t, total)
	}
	if mysql && one("session's bound", 6) {
		n := drawCap(t, total)
		ask.Session = &n
	}
	return p, ask
}
