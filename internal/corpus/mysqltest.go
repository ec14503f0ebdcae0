package corpus

import (
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mysqltest reads files of the language in which MySQL's and MariaDB's suites are
// written (client/mysqltest.cc), as far as is needed to get at their statements:
// commands are passed over, the bodies of if and while are taken once, sourced
// files are read in place, and a statement with a variable that is not known is
// left out.
type mysqltest struct {
	// folder is the suite's own, which names of sourced files are relative to.
	folder    string
	delimiter string
	variables map[string]string
	// statement is called with each statement, without its delimiter. It returns
	// false to stop.
	statement func(string) bool
	stopped   bool
	depth     int
}

// mysqltestCommands are the words that begin a command of the language, those that
// begin a statement left out.
var mysqltestCommands = func() map[string]bool {
	commands := map[string]bool{}
	for _, name := range strings.Fields(`connect connection disconnect dirty_close source echo sleep real_sleep inc dec let expr error
		result require rpl_probe enable_rpl_parse disable_rpl_parse wait_for_slave_to_stop exec execw exec_in_background delimiter
		vertical_results horizontal_results sorted_result partially_sorted_result lowercase_result replace_column replace_result
		replace_regex replace_numeric_round ping if while assert end start_timer end_timer die exit skip perl append_file write_file
		cat_file diff_files remove_file remove_files_wildcard copy_file copy_files_wildcard move_file mkdir rmdir force-rmdir force-cpdir
		chmod file_exists list_files list_files_write_file list_files_append_file reap send_quit change_user shutdown_server send_shutdown
		query_attributes output character_set reset_connection optimizer_trace result_format save_master_pos sync_with_master
		sync_slave_with_master query_get_value system rpl_get_value disable_parsing enable_parsing log_output read disable_abort_on_error
		enable_abort_on_error disable_query_log enable_query_log disable_result_log enable_result_log disable_warnings enable_warnings
		disable_info enable_info disable_metadata enable_metadata disable_ps_protocol enable_ps_protocol disable_reconnect
		enable_reconnect disable_connect_log enable_connect_log disable_session_track_info enable_session_track_info
		disable_testcase enable_testcase disable_prepare_warnings enable_prepare_warnings disable_ps2_protocol enable_ps2_protocol
		disable_cursor_protocol enable_cursor_protocol disable_view_protocol enable_view_protocol disable_async_client
		enable_async_client disable_column_names enable_column_names disable_service_connection enable_service_connection
		disable_non_blocking_api enable_non_blocking_api disable_enable_ssl wait_condition timer enable_column_names`) {
		commands[name] = true
	}
	return commands
}()

// skippedIncludes are the beginnings of names of sourced files that steer the suite's
// own driver and hold no statements of interest.
var skippedIncludes = []string{"have_", "not_", "no_", "wait_", "restart", "rpl", "sync", "start_", "stop_", "kill", "shutdown", "check",
	"count_", "search_", "master", "mtr_", "force", "install", "uninstall", "setup_fake", "have", "begin_", "end_", "save_", "assert",
	"ctype_have", "default_", "expect", "explain_", "io_", "show_", "galera", "analyze"}

// neededIncludes are of files that would take too long, or another server.
var neededIncludes = []string{"big_test", "long_test", "have_ndb", "have_debug_sync", "master-slave", "have_group_replication", "have_wsrep",
	"have_tokudb", "have_rocksdb", "have_gdb", "have_component_keyring"}

// Statements yields the statements of a file of MySQL's or MariaDB's suite, in order and
// without their delimiters. folder is the suite's own; the file's path is relative to it.
func Statements(folder, file string) iter.Seq[string] {
	return func(yield func(string) bool) {
		m := &mysqltest{folder: folder, delimiter: ";", variables: map[string]string{}, statement: yield}
		m.file(filepath.Join(folder, file))
	}
}

// file reads one file.
func (m *mysqltest) file(path string) {
	text, err := os.ReadFile(path)
	if err != nil || m.depth > 8 {
		return
	}
	m.depth++
	defer func() { m.depth-- }()
	m.read(string(text))
}

// read reads text as read_line in mysqltest.cc does.
func (m *mysqltest) read(text string) {
	for text != "" && !m.stopped {
		text = strings.TrimLeft(text, " \t\r\n\f\v")
		switch {
		case text == "":
		case text[0] == '#' || text[0] == '-':
			var line string
			line, text, _ = strings.Cut(text, "\n")
			if command, ok := strings.CutPrefix(line, "--"); ok {
				text = m.command(strings.TrimSpace(command), text, true)
			}
		case text[0] == '}':
			text = text[1:]
		case strings.HasPrefix(text, m.delimiter):
			text = text[len(m.delimiter):]
		default:
			var command string
			command, text = m.until(text)
			text = m.command(command, text, false)
		}
	}
}

// until cuts text behind the next delimiter outside of quotes, or behind the
// opening brace of an if or a while.
func (m *mysqltest) until(text string) (command, rest string) {
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case strings.HasPrefix(text[i:], m.delimiter):
			return text[:i], text[i+len(m.delimiter):]
		case c == '{' && (strings.HasPrefix(text, "while") || strings.HasPrefix(text, "if")):
			return text[:i], text[i+1:]
		case c == '\'' || c == '"' || c == '`':
			quote = c
		}
	}
	return text, ""
}

// command follows a command or hands on a statement, and returns what is left of
// rest.
func (m *mysqltest) command(text, rest string, dashed bool) string {
	word := text
	if end := strings.IndexAny(text, " \t\r\n($"); end >= 0 {
		word = text[:end]
	}
	argument := strings.TrimSpace(strings.TrimPrefix(text, word))
	switch word = strings.ToLower(word); word {
	case "query", "send", "query_vertical", "query_horizontal":
		m.emit(argument)
	case "eval", "evalp", "send_eval":
		m.eval(argument)
	case "let":
		name, value, ok := strings.Cut(argument, "=")
		if ok {
			m.let(strings.Trim(name, " \t$"), strings.TrimSpace(value))
		}
	case "delimiter":
		if d := strings.TrimSpace(argument); d != "" {
			m.delimiter = d
		}
	case "source":
		m.source(strings.TrimSpace(argument))
	case "perl", "write_file", "append_file":
		return m.passText(argument, rest)
	case "disable_testcase":
		_, rest, _ = strings.Cut(rest, "enable_testcase")
	default:
		if !dashed && !mysqltestCommands[word] {
			m.emit(text)
		}
	}
	return rest
}

// passText passes over the lines that follow such a command, up to EOF or the word
// that it names.
func (m *mysqltest) passText(argument, rest string) string {
	end := "EOF"
	if words := strings.Fields(argument); len(words) > 0 && !strings.ContainsAny(words[len(words)-1], "$/.") {
		end = words[len(words)-1]
	}
	for line := range strings.Lines(rest) {
		rest = rest[len(line):]
		if strings.TrimRight(line, " \t\r\n;") == end {
			break
		}
	}
	return rest
}

func (m *mysqltest) emit(statement string) {
	statement = strings.TrimSpace(statement)
	if statement != "" && !m.stopped {
		m.stopped = !m.statement(statement)
	}
}

// eval hands on a statement with its variables replaced, if all are known.
func (m *mysqltest) eval(statement string) {
	if s, ok := m.replace(statement); ok {
		m.emit(s)
	}
}

// let keeps a value, unless it is calculated.
func (m *mysqltest) let(name, value string) {
	value, ok := m.replace(value)
	if !ok || strings.HasPrefix(value, "`") || strings.HasPrefix(value, "query_get_value") {
		delete(m.variables, name)
		return
	}
	m.variables[name] = value
}

func (m *mysqltest) replace(text string) (string, bool) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "$")
		b.WriteString(before)
		if !found {
			return b.String(), true
		}
		end := 0
		for end < len(after) && (isLetter(after[end]) || after[end] >= '0' && after[end] <= '9') {
			end++
		}
		if end == 0 {
			b.WriteByte('$')
			text = after
			continue
		}
		value, known := m.variables[after[:end]]
		if !known {
			return "", false
		}
		b.WriteString(value)
		text = after[end:]
	}
}

func isLetter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// source reads another file in place.
func (m *mysqltest) source(name string) {
	name, known := m.replace(name)
	base := filepath.Base(name)
	if slices.ContainsFunc(neededIncludes, func(n string) bool { return strings.HasPrefix(base, n) }) {
		m.stopped = true
		return
	}
	if !known || slices.ContainsFunc(skippedIncludes, func(n string) bool { return strings.HasPrefix(base, n) }) {
		return
	}
	m.file(filepath.Join(m.folder, name))
}
