package packet

import "encoding/binary"

// ChangeUser is COM_CHANGE_USER (page_protocol_com_change_user.html).
type ChangeUser struct {
	User       []byte
	Auth       []byte
	Database   []byte
	Collation  uint16
	AuthPlugin []byte
	// Rest is what follows: the connection attributes.
	Rest []byte
	// short reports that the packet ends after the database, as those of old
	// clients do.
	short bool
}

// DecodeChangeUser reads a ChangeUser under the capabilities of its session. The
// fields share b's memory.
func DecodeChangeUser(b []byte, c Capabilities) (ChangeUser, error) {
	var u ChangeUser
	s := scan{b: b}
	if Command(s.u8()) != ComChangeUser || s.bad {
		return u, &MalformedError{Packet: "COM_CHANGE_USER", Why: "its first byte is not 0x11"}
	}
	u.User = s.nul()
	if c.Has(SecureConnection) {
		u.Auth = s.bytes(uint64(s.u8()))
	} else {
		u.Auth = s.nul()
	}
	u.Database = s.nul()
	if u.short = s.left() < 2; u.short {
		u.Rest = s.rest()
		return u, s.err("COM_CHANGE_USER")
	}
	u.Collation = s.u16()
	if c.Has(PluginAuth) && s.left() > 0 {
		u.AuthPlugin = s.nul()
	}
	u.Rest = s.rest()
	return u, s.err("COM_CHANGE_USER")
}

// Append appends the payload to b.
func (u ChangeUser) Append(b []byte, c Capabilities) []byte {
	b = append(b, byte(ComChangeUser))
	b = append(append(b, u.User...), 0)
	if c.Has(SecureConnection) {
		b = append(append(b, byte(len(u.Auth))), u.Auth...)
	} else {
		b = append(append(b, u.Auth...), 0)
	}
	b = append(append(b, u.Database...), 0)
	if u.short {
		return append(b, u.Rest...)
	}
	b = binary.LittleEndian.AppendUint16(b, u.Collation)
	if c.Has(PluginAuth) && u.AuthPlugin != nil {
		b = append(append(b, u.AuthPlugin...), 0)
	}
	return append(b, u.Rest...)
}
