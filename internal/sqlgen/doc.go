// Package sqlgen draws random statements that a real server accepts, over a small
// fixed schema with fixed data.
//
// [Statements] is a generator of pgregory.net/rapid, so that a property that fails is
// shrunk to a small statement, and one that holds can be turned into a fuzz target
// with rapid.MakeFuzz. A [Target] says for which server: dialect, version and the
// session's quoting. Classes of statements are drawn by weight: see [Classes].
//
// A [Statement] is a list of tokens, so that comments and white space can stand in
// any gap and literals can be exchanged: [Statement.Sibling] is the same statement
// with other literals. It knows what an oracle needs: the limit it brings, the
// columns it is ordered by, whether its answer is settled by the data alone.
//
// [Schema] makes the tables that the statements are about: NULLs, duplicates, ties, an
// empty table, a view, and names that need quotes.
package sqlgen
