package packet

// The first bytes of what a server says while it authenticates, beside OK and
// ERR (page_protocol_connection_phase_packets.html).
const (
	AuthMoreHeader       = 0x01
	AuthNextFactorHeader = 0x02
	AuthSwitchHeader     = 0xfe
)

// AuthSwitch asks the client to authenticate by another plugin.
type AuthSwitch struct {
	Plugin string
	// Data is the plugin's data as it stands, with the zero byte that most end
	// with. It is nil in a lone header only.
	Data []byte
}

// DecodeAuthSwitch reads an AuthSwitch. A lone header asks for the method from
// before version 4.1 and has an empty Plugin.
func DecodeAuthSwitch(b []byte) (AuthSwitch, error) {
	s := scan{b: b}
	if s.u8() != AuthSwitchHeader {
		return AuthSwitch{}, &MalformedError{Packet: "auth switch", Why: "its first byte is not 0xfe"}
	}
	if s.left() == 0 {
		return AuthSwitch{}, nil
	}
	a := AuthSwitch{Plugin: string(s.nul())}
	a.Data = s.rest()
	return a, s.err("auth switch")
}

// Append appends the payload to b.
func (a AuthSwitch) Append(b []byte) []byte {
	b = append(b, AuthSwitchHeader)
	if a.Plugin == "" && a.Data == nil {
		return b
	}
	return append(append(append(b, a.Plugin...), 0), a.Data...)
}

// fastAuthOK is what caching_sha2_password says to a client whose proof was good
// enough (fast_auth_success in sha2_password.cc).
const fastAuthOK = 3

// IsFastAuthOK reports that a payload says that the client has done its part: the
// server speaks again, without an answer to this.
func IsFastAuthOK(b []byte) bool {
	return len(b) == 2 && b[0] == AuthMoreHeader && b[1] == fastAuthOK
}
