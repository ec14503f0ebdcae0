package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set by release builds with -ldflags "-X main.version=…".
var version string

// versionCmd is rowcap version.
type versionCmd struct{}

// Run prints the build's version, revision, Go version and platform.
func (versionCmd) Run(std streams) error {
	v, revision := version, ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if v == "" {
			v = info.Main.Version
		}
		changed := ""
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				revision = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = " with changes"
			}
		}
		if revision != "" {
			revision = fmt.Sprintf(" (revision %s%s)", revision, changed)
		}
	}
	if v == "" {
		v = "(devel)"
	}
	_, err := fmt.Fprintf(std.out, "rowcap %s%s, %s, %s/%s\n", v, revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
