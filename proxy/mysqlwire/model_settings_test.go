package mysqlwire_test

import (
	"strconv"
	"strings"

	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// modelSettings are the settings of a session that say how many rows there are or how a
// text is read.
type modelSettings struct {
	// bound is sql_select_limit, -1 for none.
	bound int
	// raw reports that a backslash escapes nothing, and guards that texts are in a
	// character set that a door does not read.
	raw, guards bool
	// several reports that texts may have several statements.
	several bool
}

func (s *modelSettings) reset() {
	s.bound, s.raw, s.guards = -1, false, false
}

// modelBackslash is in a text that has a limit only where a backslash goes with the quote
// behind it.
const modelBackslash = `'\' <> '`

// modelSets are the statements that change settings, and one that is read by them.
func modelSets() []string {
	texts := []string{"SELECT n FROM r9 WHERE " + modelBackslash + " IS NOT NULL LIMIT 2 -- '\n",
		"SET sql_mode = 'NO_BACKSLASH_ESCAPES'", "SET sql_mode = ''", "SET NAMES swe7", "SET NAMES utf8mb4", "SET sql_select_limit = DEFAULT"}
	for _, limit := range []string{"0", "2", "3", "4", "5"} {
		texts = append(texts, "SET sql_select_limit = "+limit)
	}
	return texts
}

// set runs one of them.
func (s *modelSettings) set(text string) {
	name, value, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), "SET ")), " ")
	switch name {
	case "NAMES":
		s.guards = value == "swe7"
	case "sql_mode":
		s.raw = value == "= 'NO_BACKSLASH_ESCAPES'"
	case "sql_select_limit":
		s.bound = -1
		if n, err := strconv.Atoi(strings.TrimPrefix(value, "= ")); err == nil {
			s.bound = n
		}
	}
}

// learned answers a door's own question.
func (m *model) learned(command []byte) bool {
	if q, err := packet.DecodeQuery(command, m.caps); command[0] != byte(packet.ComQuery) || err != nil || !strings.HasPrefix(string(q.Text), "SELECT @@") {
		return false
	}
	m.write(packet.ColumnCount{Columns: 4, Metadata: true}.Append(nil, m.caps))
	for _, name := range []string{"@@sql_mode", "@@character_set_client", "@@sql_select_limit", "DATABASE()"} {
		m.column(name)
	}
	m.end(0, 0, false)
	mode, charset, bound := "", "utf8mb4", "18446744073709551615"
	if m.raw {
		mode = "NO_BACKSLASH_ESCAPES"
	}
	if m.guards {
		charset = "swe7"
	}
	if m.bound >= 0 {
		bound = strconv.Itoa(m.bound)
	}
	m.write(packet.AppendTextRow(nil, nil2(mode), []byte(charset), []byte(bound), nil))
	m.end(0, 0, true)
	return true
}
