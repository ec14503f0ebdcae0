package dialect

import (
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/rowcap/rowcap/rewrite"
)

const (
	// maxText is the length in bytes of the longest text that is remembered.
	// Longer ones are read anew each time: they are rare, seldom repeat to the
	// byte, and would push out many short ones.
	maxText = 16 << 10
	// maxEntries and maxBytes bound one memory, whatever clients send.
	maxEntries = 16_384
	maxBytes   = 32 << 20
	// maxVariants is how many combinations of settings keep a shared identity.
	maxVariants = 256
	// maxSetting is the length in bytes of the longest setting that gets one.
	maxSetting = 1 << 10
)

// cached is a Dialect that remembers what the Dialect under it answered. All
// variants that With makes of it share one bounded memory, in which each finds
// its own answers only.
type cached struct {
	under    rewrite.Dialect
	settings []setting // ascending by name; what With changed so far
	variant  uint64    // tells this variant's entries apart in memory
	shared   *shared
}

type setting struct{ name, value string }

// shared is what all variants of one cached Dialect have in common.
type shared struct {
	memory   *memory
	variants *lru.Cache[string, *cached]
	last     atomic.Uint64 // the latest variant number
}

// Cached wraps d so that Parse answers from memory for a text it has read
// before, and SetLimit for a statement and number it has written before. The
// memory is bounded in entries and in bytes, and long texts are not kept.
// Answers are shared: callers must not change the slices that they get.
func Cached(d rewrite.Dialect) rewrite.Dialect {
	variants, err := lru.New[string, *cached](maxVariants)
	if err != nil {
		panic(err) // the size is a positive constant
	}
	return &cached{under: d, shared: &shared{memory: newMemory(maxEntries, maxBytes), variants: variants}}
}

// Name is the name of the dialect beneath.
func (c *cached) Name() string { return c.under.Name() }

// Parse reads a script, or remembers how it was read.
func (c *cached) Parse(sql string) ([]rewrite.Statement, error) {
	if len(sql) > maxText {
		return c.under.Parse(sql)
	}
	k := key{variant: c.variant, text: sql}
	if a, ok := c.shared.memory.get(k); ok {
		return a.statements, a.err
	}
	// The copy keeps a large buffer that sql may be part of out of the memory.
	k.text = strings.Clone(sql)
	var a answer
	a.statements, a.err = c.under.Parse(k.text)
	c.shared.memory.put(k, a)
	return a.statements, a.err
}

// SetLimit writes a limit, or remembers how it was written.
func (c *cached) SetLimit(st rewrite.Statement, rows uint64) ([]rewrite.Edit, error) {
	if len(st.Text) > maxText {
		return c.under.SetLimit(st, rows)
	}
	k := key{variant: c.variant, text: st.Text, rows: rows, limit: true}
	if a, ok := c.shared.memory.get(k); ok {
		return a.edits, a.err
	}
	k.text = strings.Clone(st.Text)
	var a answer
	a.edits, a.err = c.under.SetLimit(st, rows)
	c.shared.memory.put(k, a)
	return a.edits, a.err
}

// With returns the variant that reads statements as a session does in which
// setting has value. Sessions with the same settings get the same variant,
// whatever the order in which their settings became known.
func (c *cached) With(name, value string) rewrite.Dialect {
	under := c.under.With(name, value)
	if under == c.under {
		return c
	}
	settings := withSetting(c.settings, setting{name, value})
	v := &cached{under: under, settings: settings, shared: c.shared}
	id, short := identity(settings)
	if !short {
		v.variant = c.shared.last.Add(1)
		return v
	}
	if known, ok := c.shared.variants.Get(id); ok {
		return known
	}
	v.variant = c.shared.last.Add(1)
	if known, ok, _ := c.shared.variants.PeekOrAdd(id, v); ok {
		return known
	}
	return v
}

// withSetting returns a copy of settings in which s replaces the setting of
// its name.
func withSetting(settings []setting, s setting) []setting {
	i, found := slices.BinarySearchFunc(settings, s.name, func(e setting, name string) int {
		return strings.Compare(e.name, name)
	})
	s = setting{strings.Clone(s.name), strings.Clone(s.value)}
	changed := slices.Clone(settings)
	if found {
		changed[i] = s
		return changed
	}
	return slices.Insert(changed, i, s)
}

// identity returns settings as one string, and whether they are short enough
// to be kept under it.
func identity(settings []setting) (id string, short bool) {
	var b strings.Builder
	for _, s := range settings {
		if len(s.name)+len(s.value) > maxSetting {
			return "", false
		}
		// Quoted, so that no value can pass for another combination.
		b.WriteString(strconv.Quote(s.name))
		b.WriteString(strconv.Quote(s.value))
	}
	return b.String(), true
}
