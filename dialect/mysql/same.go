package mysql

import (
	"maps"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// sameNodes reports that two of TiDB's trees are the same, wherever their nodes stand
// in their texts. Every field of every node is compared, those of no interest
// included, so that none is overlooked, nor one that a later version adds.
//
// Which fields there are is asked of reflection once for a type. To read them through
// reflection each time would cost half of what the parser takes.
func sameNodes(a, b ast.Node) bool { return sameValues(a, b) }

// sameValues compares what two interfaces hold.
func sameValues(a, b any) bool {
	if a == nil || b == nil {
		return a == b
	}
	t := reflect.TypeOf(a)
	switch {
	case t != reflect.TypeOf(b):
		return false
	case t.Kind() == reflect.Pointer:
		return sameTargets(comparisonOf(t.Elem()), reflect.ValueOf(a).UnsafePointer(), reflect.ValueOf(b).UnsafePointer())
	}
	return t.Comparable() && a == b
}

// comparison reports that the values of one type at a and b are the same. It only
// reads.
type comparison func(a, b unsafe.Pointer) bool

// comparisons has those of the types met so far. The map does not change.
var comparisons atomic.Pointer[map[reflect.Type]comparison]

func comparisonOf(t reflect.Type) comparison {
	known := comparisons.Load()
	if known != nil {
		if c, ok := (*known)[t]; ok {
			return c
		}
	}
	c := newComparison(t)
	for {
		known, more := comparisons.Load(), map[reflect.Type]comparison{t: c}
		if known != nil {
			maps.Copy(more, *known)
		}
		if comparisons.CompareAndSwap(known, &more) {
			return c
		}
	}
}

func newComparison(t reflect.Type) comparison {
	switch t.Kind() {
	case reflect.Bool, reflect.Int8, reflect.Uint8:
		return equal[uint8]
	case reflect.Int16, reflect.Uint16:
		return equal[uint16]
	case reflect.Int32, reflect.Uint32:
		return equal[uint32]
	case reflect.Int64, reflect.Uint64:
		return equal[uint64]
	case reflect.Int, reflect.Uint, reflect.Uintptr:
		return equal[uint]
	case reflect.Float64:
		return equal[float64]
	case reflect.String:
		return equal[string]
	case reflect.Pointer:
		target := sync.OnceValue(func() comparison { return comparisonOf(t.Elem()) })
		return func(a, b unsafe.Pointer) bool {
			return sameTargets(target(), *(*unsafe.Pointer)(a), *(*unsafe.Pointer)(b))
		}
	case reflect.Slice:
		return sameElements(t.Elem())
	case reflect.Struct:
		return sameFields(t)
	}
	switch t {
	case reflect.TypeFor[ast.ExprNode]():
		return sameContents[ast.ExprNode]
	case reflect.TypeFor[ast.ResultSetNode]():
		return sameContents[ast.ResultSetNode]
	case reflect.TypeFor[ast.Node]():
		return sameContents[ast.Node]
	case reflect.TypeFor[any]():
		return sameContents[any]
	}
	// All others come to nil.
	return func(a, b unsafe.Pointer) bool {
		x, y := reflect.NewAt(t, a).Elem(), reflect.NewAt(t, b).Elem()
		if t.Kind() == reflect.Interface && !x.IsNil() && !y.IsNil() {
			return sameValues(x.Interface(), y.Interface())
		}
		return x.IsZero() && y.IsZero()
	}
}

func equal[T comparable](a, b unsafe.Pointer) bool { return *(*T)(a) == *(*T)(b) }

func sameContents[T any](a, b unsafe.Pointer) bool { return sameValues(*(*T)(a), *(*T)(b)) }

// sameTargets compares what two pointers point to.
func sameTargets(same comparison, a, b unsafe.Pointer) bool {
	if a == nil || b == nil {
		return a == b
	}
	return same(a, b)
}

// sameElements compares slices.
func sameElements(t reflect.Type) comparison {
	element := sync.OnceValue(func() comparison { return comparisonOf(t) })
	return func(a, b unsafe.Pointer) bool {
		// Only length and place are taken of the slices.
		x, y := *(*[]struct{})(a), *(*[]struct{})(b)
		if len(x) != len(y) {
			return false
		}
		a, b = unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(y))
		for i := range x {
			at := uintptr(i) * t.Size()
			if !element()(unsafe.Add(a, at), unsafe.Add(b, at)) {
				return false
			}
		}
		return true
	}
}

// field is a field of a struct, or of one within it.
type field struct {
	offset uintptr
	same   comparison
}

// sameFields compares structs field by field.
func sameFields(t reflect.Type) comparison {
	fields := fieldsOf(t, 0, nil)
	return func(a, b unsafe.Pointer) bool {
		for _, f := range fields {
			if !f.same(unsafe.Add(a, f.offset), unsafe.Add(b, f.offset)) {
				return false
			}
		}
		return true
	}
}

// fieldsOf appends the fields of a struct that stands at an offset, but for those that
// say where in the text it stands and how the text reads there.
func fieldsOf(t reflect.Type, offset uintptr, fields []field) []field {
	for i := range t.NumField() {
		switch f := t.Field(i); {
		case isPlace(t, f):
		case f.Type.Kind() == reflect.Struct:
			fields = fieldsOf(f.Type, offset+f.Offset, fields)
		default:
			fields = append(fields, field{offset + f.Offset, comparisonOf(f.Type)})
		}
	}
	return fields
}

// isPlace reports a field that says where in the text its struct stands. Every node
// has its place and its text in an embedded struct of its own.
func isPlace(t reflect.Type, f reflect.StructField) bool {
	switch t {
	case reflect.TypeFor[ast.SelectField]():
		if f.Name == "Offset" {
			return true
		}
	case reflect.TypeFor[param]():
		return f.Name == "offset"
	}
	return f.Anonymous && f.Name == "node"
}
