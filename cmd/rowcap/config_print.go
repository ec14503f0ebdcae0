package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/rowcap/rowcap/internal/config"
	"github.com/rowcap/rowcap/internal/query"
)

// configCmd is rowcap config.
type configCmd struct {
	Print configPrintCmd `cmd:"" help:"Print every setting as it is, and where each comes from."`
}

// configPrintCmd is rowcap config print.
type configPrintCmd struct{}

// Help says what is printed.
func (configPrintCmd) Help() string {
	return `Prints the settings of all commands as they would be without flags: from variables, from the file, or the defaults. The output is a configuration file itself, but for passwords, which are not shown.`
}

// Run prints the settings.
func (configPrintCmd) Run(std streams, file *config.File, ctx *kong.Context) error {
	var b bytes.Buffer
	if file.Name == "" {
		fmt.Fprintf(&b, "# There is no %s here, and no other file was given.\n", config.DefaultPath)
	}
	for _, command := range ctx.Model.Children {
		sections := sectionsOf(ctx.Model.Node, command)
		if len(sections) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n[%s]\n", command.Name)
		for _, flag := range command.Flags {
			if isKnob(flag) {
				printKnob(&b, file, sections, flag)
			}
		}
	}
	if err := printSources(&b, file); err != nil {
		return err
	}
	_, err := std.out.Write(bytes.TrimLeft(b.Bytes(), "\n"))
	return err
}

// printKnob prints one setting of a command.
func printKnob(w io.Writer, file *config.File, sections []string, flag *kong.Flag) {
	if name, set := variable(flag); set {
		printValue(w, flag.Name, ofText(flag, os.Getenv(name)), name)
		return
	}
	if v, ok := configured(file, sections, flag); ok {
		printValue(w, flag.Name, v.Any, file.Place(v))
		return
	}
	if flag.HasDefault {
		printValue(w, flag.Name, ofText(flag, flag.Default), "default")
		return
	}
	if config.NewKnob(flag.Name, flag.Target.Type(), "").Kind == config.Switch {
		printValue(w, flag.Name, false, "default")
		return
	}
	fmt.Fprintf(w, "# %s is not set\n", flag.Name)
}

// ofText is a text from a variable or a tag as a value of the flag's own type.
func ofText(flag *kong.Flag, text string) any {
	switch config.NewKnob(flag.Name, flag.Target.Type(), "").Kind {
	case config.Number:
		return json.Number(text)
	case config.Switch:
		return slices.Contains([]string{"true", "1", "yes"}, strings.ToLower(text))
	case config.List:
		if flag.Tag.Sep < 0 {
			return []any{text}
		}
		var list []any
		for _, item := range kong.SplitEscaped(text, flag.Tag.Sep) {
			list = append(list, item)
		}
		return list
	}
	return text
}

// printValue prints one line of TOML. JSON's texts and lists are TOML's too.
func printValue(w io.Writer, key string, value any, from string) {
	switch v := value.(type) {
	case string:
		value = query.HideSecrets(v)
	case time.Duration:
		value = v.String()
	}
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err) // texts, numbers and lists always have a form
	}
	fmt.Fprintf(w, "%s = %s # %s\n", key, strings.TrimSpace(text.String()), from)
}

// printSources prints the named sources and the saved queries.
func printSources(w io.Writer, file *config.File) error {
	sources, err := file.Sources()
	if err != nil {
		return err
	}
	for _, s := range sources {
		fmt.Fprintf(w, "\n[sources.%s]\n", s.Name)
		for _, v := range s.Values() {
			printValue(w, v.Key, v.Any, file.Place(v.Value))
		}
	}
	queries, err := file.Queries()
	if err != nil {
		return err
	}
	for _, q := range queries {
		fmt.Fprintf(w, "\n[queries.%s]\n", q.Name)
		for _, v := range q.Values() {
			printValue(w, v.Key, v.Any, file.Place(v.Value))
		}
	}
	return nil
}
