package mysql

// tree is a parser's view of one statement that returns rows.
type tree interface {
	// limit returns the outermost limit.
	limit() treeLimit
	// print returns the tree as text. Two trees are the same if their texts are.
	print() (string, error)
	// bound makes rows the outermost limit; the offset stays.
	bound(rows uint64)
}

// treeLimit is an outermost LIMIT as a parser saw it.
type treeLimit struct {
	// there reports that there is one.
	there         bool
	count, offset operand
}

// operand is a number or a parameter.
type operand struct {
	rows uint64
	// param is the number of a parameter, 0 for a literal; bad reports anything
	// else.
	param int
	bad   bool
}
