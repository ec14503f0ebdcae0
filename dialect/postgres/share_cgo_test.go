//go:build cgo

package postgres

// share is how large a part of the texts the tests of shapes take: one in share.
const share = 1
