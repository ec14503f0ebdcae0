package conformance

import (
	"fmt"
	"strings"
)

// clientTable is what the clients saw of one server.
type clientTable struct {
	server   string // with its version
	expected *expectations
	runs     []clientRun
}

// clientRun is one client in one mode.
type clientRun struct {
	client, version, mode string
	verdicts              map[string]verdict
}

func (c *clientTable) add(of client, mode string, verdicts map[string]verdict) {
	c.runs = append(c.runs, clientRun{of.name, versionOf(of), mode, verdicts})
}

// clientsPage is the clients' part of docs/conformance.md: a line for each client
// and mode and a column for each check, and the reasons of the exceptions below. A
// second server with the same verdicts gets a line only.
func clientsPage(tables []clientTable, e *expectations) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s behind the sidecar, `--default-limit %d --max-limit %d`.\n\n", tables[0].server, clientCap, clientMax)
	first := tables[0].lines()
	b.WriteString(first)
	for _, other := range tables[1:] {
		if lines := other.lines(); isPart(lines, first) {
			fmt.Fprintf(&b, "\n%s: the same for %d of these %d lines.\n", other.server, len(other.runs), len(tables[0].runs))
		} else {
			fmt.Fprintf(&b, "\n%s:\n\n%s", other.server, lines)
		}
	}
	b.WriteString("\n| client | mode | check | why it is not made, or not in full |\n|---|---|---|---|\n")
	for _, x := range e.exceptions {
		if x.used {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", x.Client, x.where(), x.Check, x.Why)
		}
	}
	return b.String()
}

// isPart says whether all lines of a text are in another.
func isPart(text, whole string) bool {
	for line := range strings.Lines(text) {
		if !strings.Contains(whole, line) {
			return false
		}
	}
	return true
}

// lines is the table of one server.
func (c *clientTable) lines() string {
	var b strings.Builder
	var common []string
	for _, want := range c.expected.checks {
		if want.Clients == nil {
			common = append(common, want.Check)
		}
	}
	fmt.Fprintf(&b, "| client | mode | %s | beside |\n|---|---|%s---|\n", strings.Join(common, " | "), strings.Repeat("---|", len(common)))
	for _, run := range c.runs {
		fmt.Fprintf(&b, "| %s %s | %s |", run.client, run.version, run.mode)
		for _, check := range common {
			fmt.Fprintf(&b, " %s |", run.verdicts[check])
		}
		var beside []string
		for _, want := range c.expected.checks {
			if v := run.verdicts[want.Check]; want.Clients != nil && v != "" && v != not {
				beside = append(beside, want.Check+" "+string(v))
			}
		}
		fmt.Fprintf(&b, " %s |\n", strings.Join(beside, ", "))
	}
	return b.String()
}

// where names the modes and servers of an exception.
func (x *exception) where() string {
	mode := x.Mode
	if mode == "" {
		mode = "all"
	}
	if x.Server != "" {
		mode += ", on " + serverNames[x.Server]
	}
	return mode
}
