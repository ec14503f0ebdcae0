// Package property checks what rowcap promises of any statement, with statements that
// are drawn at random and real servers for oracles. It has tests only.
//
// Each test draws statements with package sqlgen, plans them under a drawn policy,
// both by parsing and by the shape of a sibling, runs the original and what would be
// sent, and compares. Those of parameters prepare both, and bind the limit as the doors
// do, and those of a sidecar send the original through a door. go test runs some hundreds of
// each; -rapid.checks=100000 runs more, and -rapid.seed repeats what a failure names. With ROWCAP_SHOW_REJECTED set, the
// statements that a server refuses are printed; with ROWCAP_HOSTILE_ALL every family of
// hostile texts is read at 64 MiB.
package property
