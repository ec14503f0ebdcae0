package query

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/rewrite"
)

// Pages by key. Where a statement shows the rows of one table in an order that is
// total by a unique key of the table, the next page is the rows behind the last one
// shown, whatever was inserted or deleted meanwhile. Elsewhere it is those behind a
// number of rows. The statement's own LIMIT bounds the pages together: of its rows the
// next page has as many at most as are left.

// maxKey bounds the values that a cursor holds, in bytes.
const maxKey = 600

// keyTypes are the types, in upper case, whose values compare as parameters just as they
// do in the table.
var keyTypes = map[string][]string{
	"postgres": {"INT2", "INT4", "INT8", "TEXT", "VARCHAR", "UUID", "DATE", "TIMESTAMP", "TIMESTAMPTZ", "NUMERIC"},
	"mysql":    {"TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT", "VARCHAR", "CHAR", "DATE", "DATETIME"},
}

// totalOrder returns the shortest beginning of the statement's ORDER BY that no two rows
// have alike, nil if there is none or that is not known. It runs in a transaction of its
// own.
func (s *Source) totalOrder(ctx context.Context, session reader, d rewrite.Dialect, text string) ([]rewrite.OrderItem, error) {
	text, ok := withoutLimit(d, text)
	if !ok {
		return nil, nil
	}
	reads, err := dialect.Reads(d, text)
	if err != nil || !reads.Rows || len(reads.Order) == 0 {
		return nil, nil
	}
	if err := session.begin(ctx, s.Timeout); err != nil {
		return nil, err
	}
	keys, never, err := session.catalog().keys(ctx, reads.Tables[0])
	if err != nil {
		return nil, err
	}
	if err := session.end(ctx); err != nil {
		return nil, err
	}
	same := func(a, b string) bool { return a == b }
	if d.Name() != "postgres" {
		same = strings.EqualFold
	}
	in := func(all []string, name string) bool {
		return slices.ContainsFunc(all, func(other string) bool { return same(other, name) })
	}
	var begun []string
	for i, item := range reads.Order {
		if !in(never, item.Column) {
			return nil, nil
		}
		begun = append(begun, item.Column)
		for _, key := range keys {
			if !slices.ContainsFunc(key, func(column string) bool { return !in(begun, column) }) {
				return reads.Order[:i+1], nil
			}
		}
	}
	return nil, nil
}

// keyColumns returns which columns of an answer hold the key; ok is false if one is not
// there as it is in the table, or its values do not go into a cursor.
func (a Answer) keyColumns(order []rewrite.OrderItem) (columns []int, ok bool) {
	postgres := a.Dialect == "postgres"
	types := keyTypes["mysql"]
	if postgres {
		types = keyTypes["postgres"]
	}
	seen := map[string]bool{}
	for _, c := range a.Columns {
		name := strings.ToLower(c.Name)
		if seen[name] && !postgres {
			return nil, false // a query in FROM must not have two columns of one name
		}
		seen[name] = true
	}
	bytes := 0
	for _, item := range order {
		found := -1
		for i, c := range a.Columns {
			if c.Name == item.Column || !postgres && strings.EqualFold(c.Name, item.Column) {
				if found >= 0 {
					return nil, false
				}
				found = i
			}
		}
		if found < 0 || a.Columns[found].Masked || !slices.Contains(types, strings.TrimPrefix(strings.ToUpper(a.Columns[found].Type), "UNSIGNED ")) {
			return nil, false
		}
		columns = append(columns, found)
	}
	for _, row := range a.Rows {
		for _, i := range columns {
			if row[i].Null || strings.ContainsRune(row[i].Text, utf8.RuneError) {
				return nil, false
			}
			bytes = max(bytes, len(row[i].Text))
		}
	}
	return columns, bytes*len(columns) <= maxKey && len(columns) > 0
}

// mayBeCut reports that the rows together may have more than chars characters, however
// they are printed; 0 is no bound.
func (a Answer) mayBeCut(chars int) bool {
	const quoted = 6 // bytes of an escaped character
	size := 0
	for _, row := range a.Rows {
		for _, v := range row {
			size += quoted * (len(v.Text) + 1)
		}
	}
	return chars > 0 && len(a.Rows) > 1 && size > chars
}

// KeyAt returns the values of the key in a row, for Request.After.
func (a Answer) KeyAt(row int) []Param {
	if a.Key == nil || row < 0 || row >= len(a.Rows) {
		return nil
	}
	after := make([]Param, len(a.Key))
	for i, column := range a.Key {
		after[i] = Param{Text: a.Rows[row][column].Text, Number: a.Columns[column].Class == Number}
	}
	return after
}

// behind returns the statement for the rows behind those of a key, and its parameters.
func behind(d rewrite.Dialect, statement string, order []rewrite.OrderItem, params, after []Param) (string, []Param) {
	params = slices.Clone(params)
	value := func(i int) string {
		params = append(params, after[i])
		if d.Name() == "postgres" {
			return fmt.Sprintf("$%d", len(params))
		}
		return "?"
	}
	operator := func(i int) string {
		if order[i].Desc {
			return " < "
		}
		return " > "
	}
	names, sorted := make([]string, len(order)), make([]string, len(order))
	uniform := true
	for i, item := range order {
		names[i] = quoteName(d, item.Column)
		sorted[i] = names[i]
		if item.Desc {
			sorted[i] += " DESC"
		}
		uniform = uniform && item.Desc == order[0].Desc
	}
	var condition string
	if uniform && d.Name() == "postgres" {
		values := make([]string, len(order))
		for i := range order {
			values[i] = value(i)
		}
		condition = "(" + strings.Join(names, ", ") + ")" + operator(0) + "(" + strings.Join(values, ", ") + ")"
	} else {
		var either []string
		for i := range order {
			var all []string
			for j := range i {
				all = append(all, names[j]+" = "+value(j))
			}
			either = append(either, strings.Join(append(all, names[i]+operator(i)+value(i)), " AND "))
		}
		condition = strings.Join(either, " OR ")
	}
	return "SELECT * FROM (" + statement + "\n) AS page WHERE " + condition + " ORDER BY " + strings.Join(sorted, ", "), params
}

// readBehind changes a request for the rows behind a key into one without, of which
// q.Offset came before. The statement has been planned as first, and may run.
func (s *Source) readBehind(ctx context.Context, session reader, d rewrite.Dialect, own string, first rewrite.Plan, q Request) (Request, error) {
	order, err := s.totalOrder(ctx, session, d, own)
	if err != nil {
		return q, err
	}
	text, ok := withoutLimit(d, first.Statement.Text)
	if !ok || len(order) != len(q.After) {
		return q, &rewrite.RefusedError{Message: "the pages cannot be continued: the order is not known to be total any more", Hint: "leave out the cursor to begin with the first row"}
	}
	q.SQL, q.Params = behind(d, text, order, q.Params, q.After)
	if l := first.Statement.Limit; l.Form == rewrite.LimitLiteral {
		if left := leftOf(l, q.Offset); left <= first.Cap.Rows {
			q.SQL += fmt.Sprintf("\nLIMIT %d", left)
		} else {
			q.Limit = first.Cap.Rows
		}
	}
	return q, nil
}

// continues gives the plan for the rows behind a key the words of the statement's own plan.
func continues(behind, first rewrite.Plan) rewrite.Plan {
	behind.Warnings, behind.Statement.Limit = first.Warnings, first.Statement.Limit
	if behind.Cap.Source != rewrite.SourceUserSQL {
		behind.Cap = first.Cap
	}
	return behind
}
