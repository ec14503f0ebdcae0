// Package rewrite decides, for one SQL text under one policy, what to send to
// the database and what to say of the rows that come back.
//
// It is the core of rowcap and depends on the standard library only. A Dialect
// reads statements into facts and writes a limit as byte edits; a Rewriter
// resolves the cap and makes a Plan for every statement; a Meter counts the
// rows of the answer; an Outcome says whether rows are missing; a Notice puts
// that into words. Every door (wire protocol, command line, tool server) runs
// the same five steps: parse, plan, run, count, report.
//
// A limit is what the SQL says. A cap is what rowcap applies. Rows are
// truncated when rows that the statement asked for are missing because of a
// cap, never because of the statement's own limit.
package rewrite
