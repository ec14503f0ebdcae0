package query

import "slices"

// keyColumn is a column with a unique index that it belongs to, "" for none; a column of
// several indexes comes once for each.
type keyColumn struct {
	index, name string
	// never reports that the column is never NULL.
	never bool
}

// keysOf gathers the columns of indexes. An index with a column that may be NULL is no
// key: it may hold several rows with NULL.
func keysOf(columns []keyColumn) (keys [][]string, never []string) {
	byIndex := map[string][]string{}
	var names, broken []string
	for _, c := range columns {
		if c.never && !slices.Contains(never, c.name) {
			never = append(never, c.name)
		}
		if c.index == "" {
			continue
		}
		if byIndex[c.index] == nil {
			names = append(names, c.index)
		}
		byIndex[c.index] = append(byIndex[c.index], c.name)
		if !c.never {
			broken = append(broken, c.index)
		}
	}
	for _, name := range names {
		if !slices.Contains(broken, name) {
			keys = append(keys, byIndex[name])
		}
	}
	return keys, never
}
