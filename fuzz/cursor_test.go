package fuzz

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/rowcap/rowcap/internal/query"
)

// FuzzCursor reads cursors that were written, altered and invented. One that was written
// is read back as its place by a call of the same arguments and the same key, and by no
// other; no other text is a cursor.
func FuzzCursor(f *testing.F) {
	f.Add(uint64(100), uint64(10), "SELECT a FROM t ORDER BY a", "key", "AQAA", uint16(3))
	f.Add(uint64(0), uint64(0), "", "", "", uint16(0))
	f.Add(uint64(1)<<63, uint64(1), "SELECT 1", "a\x00b", "!!", uint16(700))
	f.Fuzz(func(t *testing.T, offset, limit uint64, sql, key, invented string, at uint16) {
		cursors := query.Cursors{Key: []byte("0123456789abcdef")}
		place := query.Place{Offset: offset, Limit: limit, After: []query.Param{{Text: key, Number: at%2 == 0}, {Text: sql}}}
		q := query.Request{SQL: sql, Params: []query.Param{{Text: key}}}
		bound := query.Bound("query", "shop", "app", q)
		cursor := cursors.Write(place, bound)
		if got, err := cursors.Read(cursor, bound); err != nil || !reflect.DeepEqual(got, place) {
			t.Fatalf("%+v is read as %+v, %v", place, got, err)
		}
		refused := func(what string, c query.Cursors, cursor string, bound []byte) {
			t.Helper()
			if got, err := c.Read(cursor, bound); !errors.Is(err, query.ErrCursor) || !reflect.DeepEqual(got, query.Place{}) {
				t.Fatalf("%s: %q is read as %+v, %v", what, cursor, got, err)
			}
		}
		refused("another key", query.Cursors{Key: []byte("0123456789abcdeg")}, cursor, bound)
		if invented != cursor {
			refused("an invented text", cursors, invented, bound)
		}
		refused("more behind it", cursors, cursor+"A", bound)
		refused("cut", cursors, cursor[:int(at)%len(cursor)], bound)
		altered := []byte(cursor)
		altered[int(at)%len(altered)] ^= 1 << (at >> 12 & 7)
		if string(altered) != cursor {
			refused("a changed bit", cursors, string(altered), bound)
		}
		// No byte may move from one argument into its neighbour.
		for _, other := range []query.Request{
			{SQL: sql + key, Params: []query.Param{{}}},
			{SQL: sql, Params: []query.Param{{Text: key}, {}}},
			{SQL: sql, Params: []query.Param{{Text: key, Null: true}}},
			{SQL: sql, Params: []query.Param{{Text: key, Number: true}}},
			{SQL: sql, Stages: []query.Stage{{SQL: key}}},
		} {
			if reflect.DeepEqual(other, q) {
				continue
			}
			if b := query.Bound("query", "shop", "app", other); bytes.Equal(b, bound) {
				t.Fatalf("%+v and %+v have the same digest", q, other)
			} else {
				refused("another request", cursors, cursor, b)
			}
		}
		for _, b := range [][]byte{query.Bound("queryshop", "", "app", q), query.Bound("query", "shopapp", "", q), query.Bound("query", "shop", "other", q)} {
			refused("another call", cursors, cursor, b)
		}
	})
}
