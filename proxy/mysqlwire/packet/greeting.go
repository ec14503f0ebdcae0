package packet

import "encoding/binary"

// Greeting is the server's first packet, protocol version 10
// (page_protocol_connection_phase_packets_protocol_handshake_v10.html).
type Greeting struct {
	ServerVersion string
	ConnectionID  uint32
	Capabilities  Capabilities
	Collation     byte
	Status        Status
	// AuthData is the authentication plugin's data, without the zero byte that
	// ends it.
	AuthData   []byte
	AuthPlugin string
}

// GreetingProtocol is the first byte of a Greeting: the only protocol version that
// servers since 3.21 speak.
const GreetingProtocol = 10

// DecodeGreeting reads a Greeting.
func DecodeGreeting(b []byte) (Greeting, error) {
	s := scan{b: b}
	var g Greeting
	if v := s.u8(); v != GreetingProtocol || s.bad {
		return g, &MalformedError{Packet: "greeting", Why: "it is not of protocol version 10"}
	}
	g.ServerVersion = string(s.nul())
	g.ConnectionID = s.u32()
	first := s.bytes(8)
	s.u8()
	low := s.u16()
	g.Collation = s.u8()
	g.Status = Status(s.u16())
	high := s.u16()
	size := int(s.u8())
	reserved := s.bytes(10)
	if err := s.err("greeting"); err != nil {
		return g, err
	}
	g.Capabilities = Capabilities(low) | Capabilities(high)<<16
	if !g.Capabilities.Has(LongPassword) {
		g.Capabilities |= Capabilities(binary.LittleEndian.Uint32(reserved[6:])) << 32
	}
	g.AuthData = append([]byte(nil), first...)
	second := s.bytes(uint64(min(max(13, size-8), s.left())))
	if n := len(second); n > 0 && second[n-1] == 0 {
		second = second[:n-1]
	}
	g.AuthData = append(g.AuthData, second...)
	if g.Capabilities.Has(PluginAuth) {
		plugin := s.rest()
		if n := len(plugin); n > 0 && plugin[n-1] == 0 {
			plugin = plugin[:n-1]
		}
		g.AuthPlugin = string(plugin)
	}
	return g, nil
}

// Append appends the payload to b. AuthData has at least 8 bytes.
func (g Greeting) Append(b []byte) []byte {
	b = append(b, GreetingProtocol)
	b = append(append(b, g.ServerVersion...), 0)
	b = binary.LittleEndian.AppendUint32(b, g.ConnectionID)
	b = append(append(b, g.AuthData[:8]...), 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(g.Capabilities))
	b = append(b, g.Collation)
	b = binary.LittleEndian.AppendUint16(b, uint16(g.Status))
	b = binary.LittleEndian.AppendUint16(b, uint16(g.Capabilities>>16))
	second := make([]byte, max(13, len(g.AuthData)-8+1))
	copy(second, g.AuthData[8:])
	b = append(b, byte(8+len(second)))
	b = append(b, 0, 0, 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(g.Capabilities>>32))
	b = append(b, second...)
	if g.Capabilities.Has(PluginAuth) {
		b = append(append(b, g.AuthPlugin...), 0)
	}
	return b
}

// MaskGreeting takes the capabilities out of the payload of a Greeting that are
// not in keep, and puts those of the protocol's own word in that are in add, in
// place.
func MaskGreeting(b []byte, keep, add Capabilities) error {
	s := scan{b: b}
	s.u8()
	s.nul()
	s.bytes(4 + 8 + 1)
	low := s.bytes(2)
	s.bytes(3)
	high := s.bytes(2)
	s.bytes(1 + 6)
	extended := s.bytes(4)
	if err := s.err("greeting"); err != nil {
		return err
	}
	mariadb := low[0]&byte(LongPassword) == 0
	for i := range low {
		low[i] = low[i]&byte(keep>>(8*i)) | byte(add>>(8*i))
		high[i] = high[i]&byte(keep>>(16+8*i)) | byte(add>>(16+8*i))
	}
	if mariadb {
		for i := range extended {
			extended[i] &= byte(keep >> (32 + 8*i))
		}
	}
	return nil
}
