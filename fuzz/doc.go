// Package fuzz has the fuzz targets that need no more than exported names, one file
// for each subject. It has tests only; docs/fuzzing.md says how to run them, and where
// the targets are that look inside of a package.
//
// A target's comment states the property that it holds. What it begins with are the
// cases of testdata/cases, the words of testdata/*.dict, and the files of
// testdata/fuzz, where go puts an input that failed as well.
package fuzz
