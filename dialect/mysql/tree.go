package mysql

// tree is a parser's view of one statement that returns rows. It does not
// change, but is not safe for concurrent use.
type tree interface {
	// facts notes what the tree tells of the outermost level of s.
	facts(f *queryFacts, s *source)
	// limit returns the outermost limit.
	limit() treeLimit
	// sameButCount reports that other is a tree of the same parser and differs in
	// nothing but the count of the outermost limit.
	sameButCount(other tree) bool
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
