// Package lint says what a policy would do to the SQL of files before it runs. It asks
// the same dialects and the same planner as the doors, so that a finding and the plan
// that production makes of the statement are one.
//
// A [Linter] reads a file by package source, plans each of its statements, and has each
// [Rule] look at the plan. Package report prints what it finds.
package lint
