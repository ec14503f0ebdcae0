package mysql

import "github.com/rowcap/rowcap/rewrite"

// writeLimit notes the limit of UPDATE or DELETE.
func (i *inspection) writeLimit(q query) {
	switch {
	case q.offsetAt >= 0:
		i.add(rewrite.PartForeignLimit, q.offsetAt, q.offsetAt+1)
	case i.severalTables() && (i.is(0, "DELETE") || !i.settings.mariadb):
		i.add(rewrite.PartForeignLimit, q.countAt, q.countAt+1)
	case !q.ordered:
		i.add(rewrite.PartWriteLimit, q.countAt, q.countAt+1)
	}
}

// severalTables reports UPDATE or DELETE in the form that names several tables.
func (i *inspection) severalTables() bool {
	if i.is(0, "DELETE") {
		k := 1
		for i.is(k, "LOW_PRIORITY") || i.is(k, "QUICK") || i.is(k, "IGNORE") || i.is(k, "HISTORY") {
			k++
		}
		if !i.is(k, "FROM") {
			return true
		}
	}
	for k := 1; k < len(i.tokens) && !i.is(k, "SET") && !i.is(k, "WHERE"); k++ {
		switch {
		case i.isOp(k, '('):
			k = i.behindBrackets(k) - 1
		case i.is(k, "JOIN"), i.is(k, "STRAIGHT_JOIN"), i.is(k, "USING"), i.isOp(k, ',') && i.is(0, "UPDATE"):
			return true
		}
	}
	return false
}

// foreign notes tokens [from, to) that MariaDB reads and MySQL does not.
func (i *inspection) foreign(from, to int) {
	if !i.settings.mariadb {
		i.add(rewrite.PartForeignLimit, from, min(to, len(i.tokens)))
	}
}

func (i *inspection) isSetOperation(k int) bool {
	return i.is(k, "UNION") || i.is(k, "EXCEPT") || i.is(k, "INTERSECT")
}

// isBranch reports that the brackets at [k, end) hold a query that the one at [from, to)
// is put together from.
func (i *inspection) isBranch(k, from, end, to int) bool {
	if k > from {
		return i.isSetOperation(k-1) || (i.is(k-1, "ALL") || i.is(k-1, "DISTINCT")) && i.isSetOperation(k-2)
	}
	return end == to || i.isSetOperation(end) || i.is(end, "ORDER") || i.is(end, "LIMIT") || i.is(end, "OFFSET") || i.is(end, "FETCH")
}

// quantified reports that the bracket at k stands behind IN, or behind ALL, ANY or SOME
// of a comparison.
func (i *inspection) quantified(k int) bool {
	if i.is(k-1, "IN") {
		return !i.is(k-3, "FOR") // a loop of MariaDB's
	}
	return k > 1 && i.tokens[k-2].kind == tokenOp && (i.is(k-1, "ALL") || i.is(k-1, "ANY") || i.is(k-1, "SOME"))
}
