// Package demo tells what a row cap does to a reader: the same question is put
// to the same server by a client without a cap, by a tool that caps in silence,
// and through rowcap. Every number that it prints was read from an answer of
// the server; where rowcap's part does not hold, Tell fails.
//
// The story is told of the embedded database of the demo module and of any
// server that a DSN names (Load puts the tables there, Drop takes them away).
package demo
