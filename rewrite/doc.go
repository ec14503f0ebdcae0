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
//
// # Use
//
// A program that sends SQL to a server makes one Rewriter for a dialect (see the
// package dialect) and a Policy, and for each text
//
//  1. has it planned: [Rewriter.Script] never fails, as text that cannot be read gets
//     a plan as well;
//  2. sends nothing if [Script.Refused] says why not, else [Script.SQL];
//  3. binds a parameter whose number is [Plan.Bind] to what [Plan.Bound] returns;
//  4. counts the rows of each answer with a [Meter] of the plan of its statement, and
//     delivers those only that [Meter.Row] lets through;
//  5. tells the reader what [Rewriter.Notice] says of the [Outcome]. An answer that was cut
//     and does not say so is the fault that this package exists to prevent.
//
// A session whose settings change how its text is read (sql_mode, character sets)
// follows them with [Rewriter.With], and passes what bounds its rows in an [Ask]. The
// server's error messages about an edited text speak of places in it:
// [OriginalOffset] maps them back.
//
// # Units
//
// Places in a text are offsets in bytes from its start, ends excluded; numbers of
// parameters count from 1; limits and caps are numbers of rows, and [NoLimit] is the
// one that bounds nothing. A Rewriter and a Dialect are safe for concurrent use, a
// Meter belongs to one answer.
package rewrite
