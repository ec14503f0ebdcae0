package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// selectLimit is MySQL's name for a session's own bound on rows.
const selectLimit = "sql_select_limit"

// sessionSettings are the settings that --set takes: those that change how a
// text is read, and a session's own bound.
var sessionSettings = []string{"sql_mode", "character_set_client", selectLimit, "database", "server_version",
	"standard_conforming_strings", "client_encoding"}

// setting is one setting of a session; rows is the number of selectLimit.
type setting struct {
	name, value string
	rows        uint64
}

// readSettings reads the values of --set.
func readSettings(given []string) ([]setting, error) {
	settings := make([]setting, len(given))
	for i, text := range given {
		name, value, ok := strings.Cut(text, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if !ok || !slices.Contains(sessionSettings, name) {
			return nil, fmt.Errorf("--set %q: use NAME=VALUE, where NAME is one of %s", text, strings.Join(sessionSettings, ", "))
		}
		s := setting{name: name, value: value}
		if name == selectLimit {
			var err error
			if s.rows, err = strconv.ParseUint(value, 10, 64); err != nil {
				return nil, fmt.Errorf("--set %q: %s is a number of rows", text, name)
			}
		}
		settings[i] = s
	}
	return settings, nil
}
