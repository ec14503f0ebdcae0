package main

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"time"

	"github.com/alecthomas/kong"
)

// cli is the command line: one field for each subcommand, one file for each.
type cli struct {
	Serve   serveCmd   `cmd:"" help:"Stand between clients and their servers and cap every result."`
	Rewrite rewriteCmd `cmd:"" help:"Print what would be sent to the server for a text of SQL, and why."`
	Query   queryCmd   `cmd:"" help:"Run SQL on a server and print its capped rows."`
	Lint    lintCmd    `cmd:"" help:"Say what the policy would do to the SQL of files before it runs."`
	MCP     mcpCmd     `cmd:"" name:"mcp" help:"Offer capped queries to an AI agent as tools of the Model Context Protocol."`
	Demo    demoCmd    `cmd:"" help:"Show on a server of yours what a row cap that tells is."`
	Config  configCmd  `cmd:"" help:"Show the settings that the commands would use."`
	Version versionCmd `cmd:"" help:"Print which build this is."`

	ConfigFile string `name:"config" env:"ROWCAP_CONFIG" placeholder:"FILE" help:"File with settings: flags by their names, sources, saved queries. Default: rowcap.toml in the current folder, if it is there."`
}

// Exit statuses.
const (
	exitOK     = 0
	exitFailed = 1 // refused, or an error of the server or the system
	exitUsage  = 2 // the command line or the input makes no sense
)

// streams are the standard streams.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// usageError is an error of the caller's, found after the flags were read.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// errReported ends a command whose failure has been printed already.
var errReported = errors.New("reported")

// run runs one command line and returns its exit status.
func run(args []string, std streams) (status int) {
	exit := exitOK
	parser, err := kong.New(&cli{},
		kong.Name("rowcap"),
		kong.Description("Holds the results of SQL statements to a row cap, and always says whether rows are missing, which cap did it and how to get more."),
		kong.Writers(std.out, std.err),
		kong.Exit(func(s int) { exit = s; panic(exited{}) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.ValueFormatter(helpWithDefault),
		kong.KindMapper(reflect.Uint64, kong.MapperFunc(readCount)),
		kong.TypeMapper(reflect.TypeFor[time.Duration](), kong.MapperFunc(readTime)),
		kong.DefaultEnvars("ROWCAP"),
		kong.PostBuild(settle),
	)
	if err != nil {
		fmt.Fprintf(std.err, "rowcap: %v\n", err)
		return exitFailed
	}
	defer func() { // --help has been printed
		if v := recover(); v != nil {
			if _, ok := v.(exited); !ok {
				panic(v)
			}
			status = exit
		}
	}()
	ctx, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(std.err, "rowcap: %v; see rowcap --help\n", err)
		return exitUsage
	}
	return report(ctx.Run(std), std.err)
}

type exited struct{}

// helpWithDefault adds a flag's default to its help where a placeholder stands
// in for it.
func helpWithDefault(v *kong.Value) string {
	help := kong.DefaultHelpValueFormatter(v)
	if v.HasDefault && v.Tag != nil && v.Tag.PlaceHolder != "" {
		help += fmt.Sprintf(" Default: %s.", v.Default)
	}
	return help
}

// report prints err, if it has not been printed, and returns the exit status.
func report(err error, to io.Writer) int {
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errReported):
		return exitFailed
	case errors.As(err, &usage):
		fmt.Fprintf(to, "rowcap: %v\n", err)
		return exitUsage
	}
	fmt.Fprintf(to, "rowcap: %v\n", err)
	return exitFailed
}
