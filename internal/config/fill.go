package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/rowcap/rowcap/rewrite"
)

// field is where a key's value goes: a field with the tag name.
type field struct {
	value reflect.Value
	enum  string
}

// fields returns the fields of structs by the names in their tags.
func fields(targets ...any) map[string]field {
	all := map[string]field{}
	for _, target := range targets {
		s := reflect.ValueOf(target).Elem()
		for i := range s.NumField() {
			tag := s.Type().Field(i).Tag
			if name := tag.Get("name"); name != "" {
				all[name] = field{s.Field(i), tag.Get("enum")}
			}
		}
	}
	return all
}

// fill puts the values of a section into the fields of structs that have their names.
func (f *File) fill(s *section, targets ...any) error {
	known := fields(targets...)
	if inner := s.names(); len(inner) > 0 {
		return f.errorf(s.sections[inner[0]].line, "the section [%s.%s] is not known", s.name, inner[0])
	}
	for _, key := range s.keys() {
		to, ok := known[key]
		v := s.values[key]
		if !ok {
			names := make([]string, 0, len(known))
			for name := range known {
				names = append(names, name)
			}
			return f.unknownKey(s, key, names)
		}
		if err := to.set(v.Any); err != nil {
			return f.errorf(v.Line, "%s: %v", key, err)
		}
	}
	return nil
}

func (to field) set(value any) error {
	k := Knob{Kind: kindOf(to.value.Type())}
	if to.enum != "" {
		k.Enum = strings.Split(to.enum, ",")
	}
	if err := k.check(value); err != nil {
		return err
	}
	switch k.Kind {
	case Time:
		d, err := duration(value)
		to.value.SetInt(int64(d))
		return err
	case List:
		all, err := texts(value)
		to.value.Set(reflect.ValueOf(all))
		return err
	case Text:
		to.value.SetString(value.(string))
	case Switch:
		to.value.SetBool(value.(bool))
	case Number:
		n := value.(int64)
		if to.value.CanUint() {
			to.value.SetUint(uint64(n))
		} else {
			to.value.SetInt(n)
		}
	}
	return nil
}

// kindOf says what a value of a Go type is written as. It panics for a type that no
// key has.
func kindOf(t reflect.Type) Kind {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return Time
	case t.Kind() == reflect.String:
		return Text
	case t.Kind() == reflect.Bool:
		return Switch
	case slices.Contains([]reflect.Kind{reflect.Int, reflect.Int64, reflect.Uint64}, t.Kind()):
		return Number
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String:
		return List
	}
	panic(fmt.Sprintf("no key has the type %s", t))
}

// NewKnob returns the knob for a flag that is kept in a Go value of type t. Pointers
// are for flags that may be absent.
func NewKnob(name string, t reflect.Type, enum string) Knob {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	k := Knob{Name: name, Kind: kindOf(t)}
	if enum != "" {
		k.Enum = strings.Split(enum, ",")
	}
	return k
}

// PolicyKnobs returns the knobs that rewrite.Policy declares.
func PolicyKnobs() []Knob {
	t := reflect.TypeFor[rewrite.Policy]()
	all := make([]Knob, t.NumField())
	for i := range all {
		all[i] = NewKnob(t.Field(i).Tag.Get("name"), t.Field(i).Type, t.Field(i).Tag.Get("enum"))
	}
	return all
}
