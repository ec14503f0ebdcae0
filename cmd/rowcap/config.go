package main

import (
	"errors"
	"io/fs"
	"os"
	"reflect"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/rowcap/rowcap/internal/config"
)

// policySection has the knobs that hold for every command that has them.
const policySection = "policy"

// unconfigured are the commands whose flags no section of the file sets.
var unconfigured = []string{"demo", "version", "config"}

// BeforeResolve reads the configuration, whose values stand in for flags that are
// given neither on the command line nor by a variable.
func (*cli) BeforeResolve(ctx *kong.Context) error {
	none := &config.File{}
	ctx.Bind(none)
	if command := ctx.Selected(); command == nil || len(sectionsOf(ctx.Model.Node, command)) == 0 && command.Name != "print" {
		return nil
	}
	path := ""
	for _, flag := range ctx.Model.Flags {
		if flag.Name == "config" {
			path, _ = ctx.FlagValue(flag).(string)
		}
	}
	if path == "" {
		path = config.DefaultPath
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	file, err := config.Read(path)
	if err != nil {
		return err
	}
	if err := file.Check(knownKnobs(ctx.Model.Node)); err != nil {
		return err
	}
	*none = *file
	ctx.AddResolver(kong.ResolverFunc(func(_ *kong.Context, at *kong.Path, flag *kong.Flag) (any, error) {
		if _, set := variable(flag); set {
			return nil, nil
		}
		if v, ok := configured(file, sectionsOf(ctx.Model.Node, at.Node()), flag); ok {
			return v.Any, nil
		}
		return nil, nil
	}))
	return nil
}

// sectionsOf returns the sections that set the flags of a command, the one that wins
// first.
func sectionsOf(app, command *kong.Node) []string {
	if command == nil || command == app || command.Parent != app || slices.Contains(unconfigured, command.Name) {
		return nil
	}
	return []string{command.Name, policySection}
}

// knownKnobs returns the keys of the sections of all commands.
func knownKnobs(app *kong.Node) map[string][]config.Knob {
	known := map[string][]config.Knob{policySection: config.PolicyKnobs()}
	for _, command := range app.Children {
		if len(sectionsOf(app, command)) == 0 {
			continue
		}
		knobs := []config.Knob{}
		for _, flag := range command.Flags {
			if isKnob(flag) {
				knobs = append(knobs, config.NewKnob(flag.Name, flag.Target.Type(), flag.Enum))
			}
		}
		known[command.Name] = knobs
	}
	return known
}

// isKnob reports flags that hold for more than one run.
func isKnob(flag *kong.Flag) bool { return flag.Name != "help" && flag.Name != "cursor" }

// configured returns what the file says of a flag.
func configured(file *config.File, sections []string, flag *kong.Flag) (config.Value, bool) {
	for _, section := range sections {
		if section == policySection && !slices.ContainsFunc(config.PolicyKnobs(), func(k config.Knob) bool { return k.Name == flag.Name }) {
			continue
		}
		if v, ok := file.Lookup(section, flag.Name); ok {
			return v, true
		}
	}
	return config.Value{}, false
}

// variable returns the environment variable that sets a flag.
func variable(flag *kong.Flag) (name string, set bool) {
	for _, name := range flag.Tag.Envs {
		if _, set := os.LookupEnv(name); set {
			return name, true
		}
	}
	return "", false
}

// settle takes from rowcap mcp the knobs of the policy that have no meaning there, so
// that the policy is declared once and no flag is without effect.
func settle(k *kong.Kong) error {
	for _, command := range k.Model.Children {
		if command.Name != "mcp" {
			continue
		}
		command.Flags = slices.DeleteFunc(command.Flags, func(f *kong.Flag) bool {
			if !slices.Contains(fixedInMCP, f.Name) {
				return false
			}
			if f.Target.Kind() == reflect.String {
				f.Target.SetString(f.Default)
			}
			return true
		})
		for _, flag := range command.Flags {
			if flag.Name == "default-limit" {
				flag.Aliases = append(flag.Aliases, "mcp-default-limit")
			}
		}
	}
	return nil
}
