package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/lint"
	lintreport "github.com/rowcap/rowcap/lint/report"
	"github.com/rowcap/rowcap/rewrite"
)

// lintCmd is rowcap lint.
type lintCmd struct {
	Paths     []string `arg:"" optional:"" name:"path" help:"Files, folders and patterns (** stands for any folders); - for standard input."`
	Dialect   string   `placeholder:"NAME" help:"Grammar of the SQL in files that name none by a line '-- dialect: NAME': postgres, mysql or mariadb."`
	DialectOf []string `placeholder:"FOLDER=NAME" sep:"none" help:"Grammar of the SQL below a folder, in the place of --dialect. Repeat the flag for several; the innermost folder counts."`
	rewrite.Policy
	Set           []string `placeholder:"NAME=VALUE" sep:"none" help:"A setting of the session that the SQL will run in, as for rowcap rewrite. Repeat the flag for several."`
	Format        string   `default:"text" enum:"text,json,sarif,github,gitlab,junit" help:"Output: ${enum}."`
	FailOn        string   `default:"warning" enum:"error,warning,note,never" help:"The weight from which on a finding makes the exit status 1: ${enum}."`
	Off           []string `placeholder:"RULE" help:"Rules that are not asked, by code or name."`
	DeepOffset    uint64   `default:"10000" placeholder:"N" help:"The offset from which on deep-offset finds one; 0 for never."`
	Schema        []string `placeholder:"PATH" help:"Files or folders of SQL that create the tables, for order-not-total. Repeat the flag for several."`
	Fix           bool     `help:"Write the limits of the policy into the files, where the planner can."`
	Diff          bool     `help:"Print what --fix would change, and change nothing."`
	Baseline      string   `placeholder:"FILE" type:"path" help:"Findings that this file has count for nothing."`
	WriteBaseline string   `placeholder:"FILE" type:"path" help:"Write all findings into this file, for --baseline."`
	Since         string   `placeholder:"REV" help:"Look only at files that differ from this revision of git, and at those that git does not know yet."`
	Color         string   `default:"auto" enum:"auto,always,never" help:"Colours: ${enum}. NO_COLOR in the environment turns them off as well."`
	List          bool     `help:"Print the rules, and end."`
	Explain       string   `placeholder:"RULE" help:"Print what a rule is about, by its code or name, and end."`
}

// Help describes what the command does and its exit status.
func (lintCmd) Help() string {
	return `Reads SQL files, migrations, scripts of psql and of the mysql client, SQL in Go programs and in Markdown, plans each statement as the sidecar would, and says what is found. A comment "-- rowcap:ignore RULE reason" suppresses a finding of the next statement, "-- rowcap:ignore-file RULE reason" those of the file.

Exit status: 0 if nothing weighs as much as --fail-on, 1 if something does, 2 if the command line makes no sense or a file could not be looked at.`
}

// Validate reports flags that have no meaning.
func (c lintCmd) Validate() error {
	if c.Explain != "" && lint.Lookup(c.Explain) == nil {
		return fmt.Errorf("no rule is called %q: rowcap lint --list names them", c.Explain)
	}
	if c.List || c.Explain != "" {
		return nil
	}
	if len(c.Paths) == 0 {
		return errors.New("name files, folders or patterns, or - for standard input")
	}
	if c.Dialect != "" {
		if _, err := dialect.Lookup(c.Dialect); err != nil {
			return err
		}
		if _, err := readSettings(c.Dialect, c.Set); err != nil {
			return err
		}
	} else if len(c.Set) > 0 {
		return errors.New("--set needs --dialect, as settings belong to one")
	}
	for _, of := range c.DialectOf {
		if _, err := folder(of); err != nil {
			return err
		}
	}
	for _, name := range c.Off {
		if lint.Lookup(name) == nil {
			return fmt.Errorf("--off: no rule is called %q: rowcap lint --list names them", name)
		}
	}
	for _, path := range c.Paths {
		if path == "-" && c.Fix && !c.Diff {
			return errors.New("--fix cannot change standard input: add --diff to see what it would change")
		}
	}
	if c.WriteBaseline != "" && c.Since != "" {
		return errors.New("--write-baseline writes down what is found in all files: leave --since out")
	}
	return c.Policy.Validate()
}

// Run looks at the files and prints what was found.
func (c lintCmd) Run(std streams) error {
	switch {
	case c.List:
		return listRules(std.out)
	case c.Explain != "":
		return explainRule(std.out, lint.Lookup(c.Explain))
	}
	options, err := c.options()
	if err != nil {
		return err
	}
	if options.Schema, err = c.schema(options); err != nil {
		return usageError{err}
	}
	l, err := lint.New(options)
	if err != nil {
		return usageError{err}
	}
	paths, err := c.files()
	if err != nil {
		return usageError{err}
	}
	out := bufio.NewWriterSize(std.out, 64<<10)
	rep, err := lintreport.New(c.Format, out, lintreport.Options{Color: c.colors(std.out), Version: buildVersion(), Baseline: c.Baseline != "", FailOn: c.weight()})
	if err != nil {
		return usageError{err}
	}
	if c.Diff {
		rep = &diffReport{out: out}
	}
	progress := newProgress(std.err, c.Paths)
	defer progress.stop()
	var tally lintreport.Tally
	var baseline []lint.Finding
	for r := range l.Run(context.Background(), paths, std.in) {
		if c.Fix && !c.Diff && r.Err == nil {
			fixed, err := fixFile(r)
			if err != nil {
				r.Err = err
			} else if fixed > 0 {
				tally.Fixed += fixed
				r = l.Path(r.Path)
			}
		}
		tally.Add(r)
		if c.WriteBaseline != "" {
			baseline = append(baseline, r.Findings...)
		}
		progress.clear()
		if err := rep.File(r); err != nil {
			return err
		}
		if progress.show(tally) { // what was found is seen as it is found
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
	progress.stop()
	if err := rep.End(tally); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return c.end(std, tally, baseline)
}

// end writes the baseline and makes the exit status of a tally.
func (c lintCmd) end(std streams, tally lintreport.Tally, baseline []lint.Finding) error {
	switch {
	case tally.Files == 0 && c.Since == "":
		return usagef("no file was found that may hold SQL: %s", strings.Join(c.Paths, ", "))
	case tally.Failed > 0:
		return usagef("%d of %d files could not be looked at", tally.Failed, tally.Files)
	}
	if c.WriteBaseline != "" {
		f, err := os.Create(c.WriteBaseline)
		if err != nil {
			return err
		}
		if err := errors.Join(lint.WriteBaseline(f, baseline), f.Close()); err != nil {
			return fmt.Errorf("writing the baseline: %w", err)
		}
		fmt.Fprintf(std.err, "rowcap: %d findings are in %s now\n", len(baseline)-tally.Suppressed, c.WriteBaseline)
		return nil
	}
	if weight := c.weight(); weight <= lint.SeverityError && tally.AtLeast(weight) > 0 {
		return errReported
	}
	return nil
}

// weight is that from which on a finding makes the exit status 1, above all for never.
func (c lintCmd) weight() lint.Severity {
	if weight, err := lint.ParseSeverity(c.FailOn); err == nil {
		return weight
	}
	return lint.SeverityError + 1
}

// options are the linter's.
func (c lintCmd) options() (lint.Options, error) {
	o := lint.Options{Policy: c.Policy, Dialect: strings.ToLower(c.Dialect), DeepOffset: c.DeepOffset, Keep: c.Fix || c.Diff}
	for _, of := range c.DialectOf {
		f, err := folder(of)
		if err != nil {
			return o, usageError{err}
		}
		o.Folders = append(o.Folders, f)
	}
	settings, err := readSettings(c.Dialect, c.Set)
	if err != nil {
		return o, usageError{err}
	}
	for _, s := range settings {
		if s.name == selectLimit {
			return o, usagef("--set %s has no part in linting", selectLimit)
		}
		o.Settings = append(o.Settings, [2]string{s.name, s.value})
	}
	for _, name := range c.Off {
		o.Off = append(o.Off, lint.Lookup(name))
	}
	if c.Baseline != "" {
		f, err := os.Open(c.Baseline)
		if err != nil {
			return o, usageError{err}
		}
		defer f.Close()
		if o.Baseline, err = lint.ReadBaseline(f); err != nil {
			return o, usagef("%s: %w", c.Baseline, err)
		}
	}
	return o, nil
}
