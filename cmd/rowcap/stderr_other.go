//go:build !unix

package main

import "os"

// standardError returns standard error.
func standardError() *os.File { return os.Stderr }
