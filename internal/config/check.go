package config

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind is what a key's value can be.
type Kind string

// The kinds of values. A Time is written with its unit, as "30s".
const (
	Text   Kind = "a text in quotes"
	Number Kind = "a whole number"
	Switch Kind = "true or false"
	Time   Kind = `a time in quotes, as "30s"`
	List   Kind = "a list of texts"
)

// Knob is one key that a section can have.
type Knob struct {
	Name string
	Kind Kind
	// Enum are the values of a Text that has few, nil for any.
	Enum []string
}

// Check reports the first section or key that means nothing, or whose value is of
// another kind. known says which keys each section can have; sources and queries are
// known here. The error is an *Error.
func (f *File) Check(known map[string][]Knob) error {
	if keys := f.root.keys(); len(keys) > 0 {
		return f.errorf(f.root.values[keys[0]].Line, "the key %q stands in no section: put it below a header such as [policy]", keys[0])
	}
	for _, name := range f.root.names() {
		s := f.root.sections[name]
		switch knobs, ok := known[name]; {
		case name == sourcesSection || name == queriesSection:
			if keys := s.keys(); len(keys) > 0 {
				return f.errorf(s.values[keys[0]].Line, "the key %q stands outside of [%s.NAME]", keys[0], name)
			}
		case !ok:
			return f.errorf(s.line, "the section [%s] is not known: use one of %s", name, strings.Join(sectionNames(known), ", "))
		default:
			if err := f.checkSection(s, knobs); err != nil {
				return err
			}
		}
	}
	if _, err := f.Sources(); err != nil {
		return err
	}
	_, err := f.Queries()
	return err
}

func sectionNames(known map[string][]Knob) []string {
	all := []string{"[" + sourcesSection + ".NAME]", "[" + queriesSection + ".NAME]"}
	for name := range known {
		all = append(all, "["+name+"]")
	}
	slices.Sort(all)
	return all
}

func (f *File) checkSection(s *section, knobs []Knob) error {
	if inner := s.names(); len(inner) > 0 {
		return f.errorf(s.sections[inner[0]].line, "the section [%s.%s] is not known", s.name, inner[0])
	}
	for _, key := range s.keys() {
		i := slices.IndexFunc(knobs, func(k Knob) bool { return k.Name == key })
		if i < 0 {
			names := make([]string, len(knobs))
			for i, k := range knobs {
				names[i] = k.Name
			}
			return f.unknownKey(s, key, names)
		}
		v := s.values[key]
		if err := knobs[i].check(v.Any); err != nil {
			return f.errorf(v.Line, "%s: %v", key, err)
		}
	}
	return nil
}

func (f *File) unknownKey(s *section, key string, known []string) *Error {
	slices.Sort(known)
	if len(known) == 0 {
		return f.errorf(s.values[key].Line, "the key %q is not known: [%s] has none yet", key, s.name)
	}
	return f.errorf(s.values[key].Line, "the key %q is not known in [%s]: use one of %s", key, s.name, strings.Join(known, ", "))
}

func (k Knob) check(value any) error {
	ok := false
	switch k.Kind {
	case Text:
		var s string
		if s, ok = value.(string); ok && k.Enum != nil && !slices.Contains(k.Enum, s) {
			return fmt.Errorf("%q is not known: use one of %s", s, strings.Join(k.Enum, ", "))
		}
	case Number:
		var n int64
		n, ok = value.(int64)
		ok = ok && n >= 0
	case Switch:
		_, ok = value.(bool)
	case Time:
		_, err := duration(value)
		ok = err == nil
	case List:
		_, err := texts(value)
		return err
	}
	if !ok {
		return fmt.Errorf("%s is needed, and here stands %s", k.Kind, shown(value))
	}
	return nil
}

// shown is a value for an error message, without what may be secret.
func shown(value any) string {
	switch v := value.(type) {
	case int64, float64, bool:
		return fmt.Sprint(v)
	case string:
		return "a text"
	case []any:
		return "a list"
	case map[string]any:
		return "a table"
	}
	return "a value of another type"
}

func duration(value any) (time.Duration, error) {
	s, ok := value.(string)
	if !ok {
		return 0, fmt.Errorf("%s is needed, and here stands %s", Time, shown(value))
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%s is needed, and here stands %q", Time, s)
	}
	return d, nil
}

func texts(value any) ([]string, error) {
	list, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf("%s is needed, and here stands %s", List, shown(value))
	}
	all := make([]string, len(list))
	for i, v := range list {
		if all[i], ok = v.(string); !ok {
			return nil, fmt.Errorf("%s is needed, and %s is in it", List, shown(v))
		}
	}
	return all, nil
}
