package mysql

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/rowcap/rowcap/rewrite"
)

// printed returns the text that a parser's own printer makes of a tree, with 0 for the
// outermost count.
func printed(t *testing.T, tr tree) string {
	t.Helper()
	if v, ok := tr.(*vitessTree); ok {
		limit := v.clause()
		own := *limit
		defer func() { *limit = own }()
		*limit = &sqlparser.Limit{Rowcount: sqlparser.NewIntLiteral("0")}
		if own != nil {
			(*limit).Offset = own.Offset
		}
		return sqlparser.String(v.query)
	}
	q := tr.(*tidbTree)
	limit := q.clause()
	own := *limit
	defer func() { *limit = own }()
	*limit = &ast.Limit{Count: ast.NewValueExpr(uint64(0), "", "")}
	if own != nil {
		(*limit).Offset = own.Offset
	}
	var b strings.Builder
	if err := q.node().Restore(format.NewRestoreCtx(format.DefaultRestoreFlags|format.RestoreStringEscapeBackslash, &b)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// treeOf reads one query, and returns nil for what is none.
func treeOf(text string, s *settings) tree {
	src, obstacle := one(text, s)
	if obstacle != "" || !src.isQuery() {
		return nil
	}
	p, err := src.parse()
	if err != nil {
		return nil
	}
	return p.tree
}

// TestSameTrees compares queries with themselves in other white space, and with
// queries that differ in a byte or two: trees that are the same print the same.
func TestSameTrees(t *testing.T) {
	d := New().(dialect)
	random := rand.New(rand.NewPCG(20261130, 3))
	trees, other := 0, 0
	for _, text := range append(forms(t), longCTE) {
		a := treeOf(text, &d.settings)
		if a == nil {
			continue
		}
		trees++
		b := treeOf("/* moved */"+strings.ReplaceAll(text, ", ", " ,\n  "), &d.settings)
		if printed(t, a) == printed(t, b) && !a.sameButCount(b) {
			t.Errorf("%q is another query in other white space", text)
		}
		for range 20 {
			changed := nearby(text, random)
			b := treeOf(changed, &d.settings)
			if b == nil || !a.sameButCount(b) {
				continue
			}
			other++
			if x, y := printed(t, a), printed(t, b); x != y {
				t.Errorf("%q and %q are said to be the same:\n%s\n%s", text, changed, x, y)
			}
		}
	}
	t.Logf("%d queries; %d changed ones are the same", trees, other)
	if trees < 200 || other < 200 {
		t.Error("too few queries were compared")
	}
}

// TestSameTreesMissNothing changes every value in the trees of every form, one at a
// time: each change but one of a place in the text makes another tree.
func TestSameTreesMissNothing(t *testing.T) {
	d := New().(dialect)
	values := 0
	for _, text := range append(forms(t), longCTE) {
		a, ok := treeOf(text, &d.settings).(*tidbTree)
		if !ok {
			continue
		}
		b := treeOf(text, &d.settings).(*tidbTree)
		if !sameNodes(a.node(), b.node()) {
			t.Fatalf("%q is another query when read again", text)
		}
		eachValue(reflect.ValueOf(b.node()).Elem(), "", func(path string, v reflect.Value) {
			values++
			old := reflect.New(v.Type()).Elem()
			old.Set(v)
			change(v)
			if sameNodes(a.node(), b.node()) || sameNodes(b.node(), a.node()) {
				t.Errorf("%q: %s may be %v for %v", text, path, v, old)
			}
			v.Set(old)
		})
	}
	t.Logf("%d values", values)
	if values < 20_000 {
		t.Error("too few values were changed")
	}
}

// eachValue calls f for every value below v that is no struct and no place.
func eachValue(v reflect.Value, path string, f func(path string, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); !isPlace(v.Type(), field) {
				// Through its address a field may be set that is not exported.
				member := reflect.NewAt(field.Type, v.Field(i).Addr().UnsafePointer()).Elem()
				eachValue(member, path+"."+field.Name, f)
			}
		}
		return
	case reflect.Pointer, reflect.Interface:
		f(path, v)
		if !v.IsNil() && (v.Kind() == reflect.Pointer || v.Elem().Kind() == reflect.Pointer) {
			target := v.Elem()
			if v.Kind() == reflect.Interface {
				target = target.Elem()
			}
			eachValue(target, path, f)
		}
		return
	case reflect.Slice:
		f(path, v)
		for i := range v.Len() {
			eachValue(v.Index(i), path+"[]", f)
		}
		return
	}
	f(path, v)
}

// change makes v another value of its type.
func change(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() ^ 1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(v.Uint() ^ 1)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(v.Float() + 1)
	case reflect.Slice:
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		} else {
			v.SetZero()
		}
	case reflect.Interface:
		switch node := reflect.ValueOf(&ast.DefaultExpr{}); {
		case !v.IsNil():
			v.SetZero()
		case node.Type().Implements(v.Type()):
			v.Set(node)
		default:
			v.Set(reflect.ValueOf(&ast.TableSource{}))
		}
	default:
		panic("no tree was known to have a " + v.Type().String())
	}
}

// TestWrittenTwiceAtATime writes limits into one query from many sides, so that what
// was kept of its reading is taken by one and missed by the others.
func TestWrittenTwiceAtATime(t *testing.T) {
	for _, text := range []string{"SELECT a FROM t ORDER BY a", "SELECT a FROM t WHERE MATCH(a) AGAINST ('x') FOR UPDATE", longCTE} {
		t.Run("", func(t *testing.T) {
			d := NewMariaDB()
			statements, err := d.Parse(text + "; SELECT 1; " + text)
			if err != nil || len(statements) != 3 {
				t.Fatal(statements, err)
			}
			for i := range uint64(8) {
				t.Run("", func(t *testing.T) {
					t.Parallel()
					for j := range 8 {
						st := statements[j%2*2]
						edits, err := d.SetLimit(st, 10+i)
						if err != nil {
							t.Fatal(err)
						}
						again, err := d.Parse(rewrite.ApplyEdits(st.Text, edits))
						if err != nil || again[0].Limit.Rows != 10+i {
							t.Fatalf("%+v, %v", again, err)
						}
					}
				})
			}
		})
	}
}
