package packet

// The kinds of session state that a server tracks (mysql_com.h,
// enum_session_state_type).
const (
	TrackSystemVariables byte = iota
	TrackSchema
	TrackStateChange
	TrackGTIDs
	TrackTransactionCharacteristics
	TrackTransactionState
)

// StateChange is one change of session state that an OK packet reports.
type StateChange struct {
	Kind byte
	// Name is the variable's name for TrackSystemVariables, else empty.
	Name string
	// Value is the variable's new value, the schema's name, or the raw data of
	// the other kinds.
	Value string
}

// DecodeSessionState reads OK.SessionState. MariaDB puts several variables into
// one entry, MySQL makes an entry of each.
func DecodeSessionState(b []byte) ([]StateChange, error) {
	var changes []StateChange
	s := scan{b: b}
	for s.left() > 0 && !s.bad {
		kind := s.u8()
		data := scan{b: s.lenencString()}
		switch kind {
		case TrackSystemVariables:
			for data.left() > 0 && !data.bad {
				name := string(data.lenencString())
				changes = append(changes, StateChange{Kind: kind, Name: name, Value: string(data.lenencString())})
			}
		case TrackSchema:
			changes = append(changes, StateChange{Kind: kind, Value: string(data.lenencString())})
		default:
			changes = append(changes, StateChange{Kind: kind, Value: string(data.rest())})
		}
		s.bad = s.bad || data.bad
	}
	return changes, s.err("session state")
}

// AppendSessionState appends changes, an entry for each, to b.
func AppendSessionState(b []byte, changes []StateChange) []byte {
	for _, c := range changes {
		var data []byte
		switch c.Kind {
		case TrackSystemVariables:
			data = AppendLenencString(AppendLenencString(nil, c.Name), c.Value)
		case TrackSchema:
			data = AppendLenencString(nil, c.Value)
		default:
			data = []byte(c.Value)
		}
		b = AppendLenencString(append(b, c.Kind), data)
	}
	return b
}
