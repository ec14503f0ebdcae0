//go:build !cgo

package postgres

// share is how large a part of the texts the tests of shapes take: one in share.
// The WebAssembly parser is the C parser at a fraction of its speed.
const share = 12
