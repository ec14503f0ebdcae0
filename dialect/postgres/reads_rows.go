package postgres

import "github.com/rowcap/rowcap/rewrite"

// rows notes whether the result's rows are those of one table, and their order.
func (f *readFinder) rows(sel node) {
	from := sel.get("fromClause")
	table := from.only().get("RangeVar")
	// An alias with a list of columns gives the table's columns other names.
	f.Rows = f.Queries == 1 && len(f.Tables) == 1 && from.count() == 1 && table.there() && !table.get("alias", "colnames").there()
	for _, clause := range []string{"distinctClause", "groupClause", "havingClause", "withClause", "lockingClause", "windowClause"} {
		f.Rows = f.Rows && !sel.get(clause).there()
	}
	for _, item := range f.Shown {
		f.Rows = f.Rows && item.Name == "" && (item.Star || item.Column != "")
	}
	for item := range sel.get("sortClause").children {
		by := item.get("SortBy")
		names := last(by.get("node", "ColumnRef", "fields").strings())
		dir, nulls := by.get("sortby_dir").text(), by.get("sortby_nulls").text()
		if len(names) != 1 || names[0] == "" || nulls != "SORTBY_NULLS_DEFAULT" || dir != "SORTBY_DEFAULT" && dir != "SORTBY_ASC" && dir != "SORTBY_DESC" {
			f.Order = nil
			return
		}
		f.Order = append(f.Order, rewrite.OrderItem{Column: names[0], Desc: dir == "SORTBY_DESC"})
	}
}
