package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// selectLimit is MySQL's name for a session's own bound on rows.
const selectLimit = "sql_select_limit"

// mysqlSettings and postgresSettings are the settings that --set takes: those that
// change how a text is read, and a session's own bound.
var (
	mysqlSettings    = []string{"sql_mode", "character_set_client", selectLimit, "database", "server_version"}
	postgresSettings = []string{"standard_conforming_strings", "client_encoding"}
)

// sqlModes are the modes of MySQL 9.7 and MariaDB 10.11, and those of older ones.
var sqlModes = []string{"ALLOW_INVALID_DATES", "ANSI", "ANSI_QUOTES", "DB2", "EMPTY_STRING_IS_NULL", "ERROR_FOR_DIVISION_BY_ZERO",
	"HIGH_NOT_PRECEDENCE", "IGNORE_BAD_TABLE_OPTIONS", "IGNORE_SPACE", "MAXDB", "MSSQL", "MYSQL323", "MYSQL40", "NO_AUTO_CREATE_USER",
	"NO_AUTO_VALUE_ON_ZERO", "NO_BACKSLASH_ESCAPES", "NO_DIR_IN_CREATE", "NO_ENGINE_SUBSTITUTION", "NO_FIELD_OPTIONS", "NO_KEY_OPTIONS",
	"NO_TABLE_OPTIONS", "NO_UNSIGNED_SUBTRACTION", "NO_ZERO_DATE", "NO_ZERO_IN_DATE", "ONLY_FULL_GROUP_BY", "ORACLE", "PAD_CHAR_TO_FULL_LENGTH",
	"PIPES_AS_CONCAT", "POSTGRESQL", "REAL_AS_FLOAT", "SIMULTANEOUS_ASSIGNMENT", "STRICT_ALL_TABLES", "STRICT_TRANS_TABLES",
	"TIME_ROUND_FRACTIONAL", "TIME_TRUNCATE_FRACTIONAL", "TRADITIONAL"}

// setting is one setting of a session; rows is the number of selectLimit.
type setting struct {
	name, value string
	rows        uint64
}

// readSettings reads the values of --set for a dialect's sessions.
func readSettings(dialect string, given []string) ([]setting, error) {
	known := mysqlSettings
	if strings.HasPrefix(dialect, "postgres") {
		known = postgresSettings
	}
	settings := make([]setting, len(given))
	for i, text := range given {
		name, value, ok := strings.Cut(text, "=")
		s := setting{name: strings.ToLower(strings.TrimSpace(name)), value: strings.TrimSpace(value)}
		if !ok || !slices.Contains(known, s.name) {
			return nil, fmt.Errorf("--set %q: use NAME=VALUE, where NAME is one of %s for %s", text, strings.Join(known, ", "), dialect)
		}
		switch s.name {
		case selectLimit:
			var err error
			if s.rows, err = strconv.ParseUint(s.value, 10, 64); err != nil {
				return nil, fmt.Errorf("--set %q: %s is a number of rows", text, s.name)
			}
		case "standard_conforming_strings":
			if !slices.Contains([]string{"on", "off", "true", "false", "yes", "no", "1", "0"}, strings.ToLower(s.value)) {
				return nil, fmt.Errorf("--set %q: %s is on or off", text, s.name)
			}
		case "server_version":
			if !isVersion(s.value) {
				return nil, fmt.Errorf("--set %q: write %s as the server does, such as 8.0.36 or 10.11.19-MariaDB", text, s.name)
			}
		}
		settings[i] = s
	}
	return settings, nil
}

// isVersion reports a text that begins with three numbers.
func isVersion(text string) bool {
	parts := strings.SplitN(text, ".", 3)
	if len(parts) < 3 || parts[2] == "" {
		return false
	}
	_, major := strconv.ParseUint(parts[0], 10, 8)
	_, minor := strconv.ParseUint(parts[1], 10, 8)
	return major == nil && minor == nil && parts[2][0] >= '0' && parts[2][0] <= '9'
}

// warnOfModes names the modes in sql_mode that rowcap does not know. They may be those
// of a newer server, so they are no error.
func warnOfModes(w io.Writer, settings []setting) {
	for _, s := range settings {
		if s.name != "sql_mode" {
			continue
		}
		if _, err := strconv.ParseUint(s.value, 10, 64); err == nil {
			continue
		}
		for mode := range strings.SplitSeq(s.value, ",") {
			mode = strings.ToUpper(strings.TrimSpace(mode))
			if mode != "" && !slices.Contains(sqlModes, mode) {
				fmt.Fprintf(w, "rowcap: warning: sql_mode %s is not known and changes nothing; known are %s\n", mode, strings.Join(sqlModes, ", "))
			}
		}
	}
}
