package packet

// MalformedError says that a payload is not the packet that it should be.
type MalformedError struct {
	// Packet is the packet's name.
	Packet string
	// Why says in a few words what is wrong.
	Why string
}

func (e *MalformedError) Error() string { return "malformed " + e.Packet + " packet: " + e.Why }
