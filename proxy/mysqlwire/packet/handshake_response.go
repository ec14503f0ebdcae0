package packet

import "encoding/binary"

// HandshakeResponse is the client's answer to a Greeting
// (page_protocol_connection_phase_packets_protocol_handshake_response.html). An
// SSL request is its first 32 bytes alone.
type HandshakeResponse struct {
	Capabilities  Capabilities
	MaxPacketSize uint32
	Collation     byte
	// SSLRequest reports that the packet ends here: a TLS handshake follows.
	SSLRequest bool
	User       []byte
	Auth       []byte
	Database   []byte
	AuthPlugin []byte
	// Attributes are the connection attributes as they stand, without their
	// length.
	Attributes []byte
	// Rest is what follows, as the level for zstd compression.
	Rest []byte
}

// HandshakeFixed is the length of an SSL request, with which every
// HandshakeResponse begins.
const HandshakeFixed = 32

// DecodeHandshakeResponse reads a HandshakeResponse. The fields share b's memory.
func DecodeHandshakeResponse(b []byte) (HandshakeResponse, error) {
	const name = "handshake response"
	var r HandshakeResponse
	s := scan{b: b}
	r.Capabilities = Capabilities(s.u32())
	if !s.bad && !r.Capabilities.Has(Protocol41) {
		return r, &MalformedError{Packet: name, Why: "the client speaks the protocol from before version 4.1"}
	}
	r.MaxPacketSize = s.u32()
	r.Collation = s.u8()
	s.bytes(19)
	extended := s.u32()
	if !r.Capabilities.Has(LongPassword) {
		r.Capabilities |= Capabilities(extended) << 32
	}
	if r.SSLRequest = len(b) == HandshakeFixed && r.Capabilities.Has(SSL); r.SSLRequest {
		return r, nil
	}
	r.User = s.nul()
	switch {
	case r.Capabilities.Has(PluginAuthLenenc):
		r.Auth = s.lenencString()
	case r.Capabilities.Has(SecureConnection):
		r.Auth = s.bytes(uint64(s.u8()))
	default:
		r.Auth = s.nul()
	}
	// Clients leave out what the last flags promise: these parts may be missing.
	if r.Capabilities.Has(ConnectWithDB) && s.left() > 0 {
		r.Database = s.nul()
	}
	if r.Capabilities.Has(PluginAuth) && s.left() > 0 {
		r.AuthPlugin = s.nul()
	}
	if r.Capabilities.Has(ConnectAttrs) && s.left() > 0 {
		r.Attributes = s.lenencString()
	}
	r.Rest = s.rest()
	return r, s.err(name)
}

// Append appends the payload to b.
func (r HandshakeResponse) Append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(r.Capabilities))
	b = binary.LittleEndian.AppendUint32(b, r.MaxPacketSize)
	b = append(b, r.Collation)
	b = append(b, make([]byte, 19)...)
	b = binary.LittleEndian.AppendUint32(b, uint32(r.Capabilities>>32))
	if r.SSLRequest {
		return b
	}
	b = append(append(b, r.User...), 0)
	switch {
	case r.Capabilities.Has(PluginAuthLenenc):
		b = AppendLenencString(b, r.Auth)
	case r.Capabilities.Has(SecureConnection):
		b = append(append(b, byte(len(r.Auth))), r.Auth...)
	default:
		b = append(append(b, r.Auth...), 0)
	}
	if r.Capabilities.Has(ConnectWithDB) {
		b = append(append(b, r.Database...), 0)
	}
	if r.Capabilities.Has(PluginAuth) {
		b = append(append(b, r.AuthPlugin...), 0)
	}
	if r.Capabilities.Has(ConnectAttrs) {
		b = AppendLenencString(b, r.Attributes)
	}
	return append(b, r.Rest...)
}

// MaskHandshakeResponse takes the capabilities out of the payload of a
// HandshakeResponse that are not in keep, and puts those of the protocol's own word
// in that are in add, in place.
func MaskHandshakeResponse(b []byte, keep, add Capabilities) error {
	if len(b) < HandshakeFixed {
		return &MalformedError{Packet: "handshake response", Why: "it ends too early"}
	}
	mariadb := b[0]&byte(LongPassword) == 0
	for i := range 4 {
		b[i] = b[i]&byte(keep>>(8*i)) | byte(add>>(8*i))
		if mariadb {
			b[28+i] &= byte(keep >> (32 + 8*i))
		}
	}
	return nil
}

// ReplaceAuth returns the payload b of r with another plugin and what it says.
func (r HandshakeResponse) ReplaceAuth(b []byte, plugin string, auth []byte) []byte {
	r.AuthPlugin, r.Auth = []byte(plugin), auth
	out := r.Append(nil)
	copy(out[:HandshakeFixed], b)
	return out
}

// AsksForTLS reports that the client sets the capability for TLS; b has
// HandshakeFixed bytes at least.
func AsksForTLS(b []byte) bool { return b[1]&byte(SSL>>8) != 0 }

// Attribute returns the value of one of the connection attributes, "" if it is not
// there.
func (r HandshakeResponse) Attribute(name string) string {
	s := scan{b: r.Attributes}
	for s.left() > 0 && !s.bad {
		key, value := s.lenencString(), s.lenencString()
		if !s.bad && string(key) == name {
			return string(value)
		}
	}
	return ""
}
