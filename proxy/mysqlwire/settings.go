package mysqlwire

import (
	"strconv"
	"strings"

	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

// settings are those of the session that change how its statements are read or
// how many rows the client itself wants.
//
// They come from four sources. (1) A query of rowcap's own (learn.go), whenever
// anything is unknown and the next statement is to be read. (2) Statements that
// were read: SET of a plain value, USE, COM_INIT_DB (effect.go). (3) Session
// tracking, where the client has agreed on it. (4) The status flags of every
// answer, which give away NO_BACKSLASH_ESCAPES and, on MariaDB, ANSI_QUOTES.
// Whatever may have changed a setting otherwise makes all of them unknown, and
// what is unknown is learned, or the statement is guarded.
//
// Stored programs need no watching: both servers put all four settings back at
// the end of a procedure (sp_head::execute; measured on MariaDB 10.11 and MySQL
// 9.7).
type settings struct {
	// base is the rewriter that knows of the server's version only.
	base *rewrite.Rewriter
	ok   bool

	mode, charset, database string
	// selectLimit is the client's own bound, nil if there is none. zeroIsAll says
	// that sql_select_limit has no bound where it is 0, and that is its default.
	selectLimit *uint64
	zeroIsAll   bool
	// setKeepsWarnings reports a server that still has the warnings of the statement
	// before behind a SET.
	setKeepsWarnings bool
	// flags are the status flags that tell of sql_mode, as they were when it
	// was learned.
	flags   packet.Status
	rewrite *rewrite.Rewriter
}

// modeFlags are the status flags that tell of sql_mode.
const modeFlags = packet.StatusNoBackslashEscapes | packet.StatusANSIQuotes

// noSelectLimit is sql_select_limit's value for no limit.
const noSelectLimit = 1<<64 - 1

// begin takes in what the server is that sessions begin with: the rewriter for it, and
// its version. Vitess takes 0 for no limit (vtgate, options.SqlSelectLimit), where MySQL
// and MariaDB return no rows.
func (s *settings) begin(base *rewrite.Rewriter, version string) {
	s.base, s.zeroIsAll = base, strings.Contains(version, "-Vitess")
	s.setKeepsWarnings = strings.Contains(version, "MariaDB")
}

func (s *settings) known() bool { return s.ok }

// forget makes all settings unknown.
func (s *settings) forget() { s.ok = false }

// ask is what the session's settings say of the number of rows.
func (s *settings) ask() rewrite.Ask {
	if !s.ok {
		return rewrite.Ask{}
	}
	return rewrite.Ask{Session: s.selectLimit}
}

// rewriter is that of a session with these settings.
func (s *settings) rewriter() *rewrite.Rewriter {
	if s.rewrite == nil {
		s.rewrite = s.base.With("sql_mode", s.mode).With("character_set_client", s.charset).With("database", s.database)
	}
	return s.rewrite
}

// observe takes in the status flags at the end of an answer.
func (s *settings) observe(status packet.Status) {
	if status&modeFlags != s.flags || status.Has(packet.StatusDBDropped) {
		s.forget()
	}
}

// set takes in a setting's new value, as the server prints it.
func (s *settings) set(name, value string) {
	switch name {
	case "sql_mode":
		s.mode = value
	case "character_set_client":
		s.charset = value
	case "database":
		s.database = value
	case "sql_select_limit":
		n, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			s.forget()
			return
		}
		s.selectLimit = &n
		if n == noSelectLimit || n == 0 && s.zeroIsAll {
			s.selectLimit = nil
		}
		return
	default:
		return
	}
	s.rewrite = nil
}

func (s *settings) setDatabase(name string) { s.set("database", name) }

// apply takes in what a script has done.
func (s *settings) apply(e effect) {
	if e.unknown {
		s.forget()
		return
	}
	for _, a := range e.sets {
		s.set(a.name, a.value)
	}
}

// track takes in the changes that an OK packet reports. What cannot be read may say
// anything.
func (s *session) track(state []byte) {
	changes, err := packet.DecodeSessionState(state)
	if err != nil {
		s.settings.forget()
		return
	}
	for _, c := range changes {
		switch c.Kind {
		case packet.TrackSchema:
			s.settings.setDatabase(c.Value)
		case packet.TrackSystemVariables:
			s.settings.set(c.Name, c.Value)
		}
	}
}
