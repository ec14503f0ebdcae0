package packet

// HeaderSize is the number of bytes before each payload.
const HeaderSize = 4

// MaxPayload is the longest payload of one packet. A payload of just this length
// is continued by the next packet (server: MAX_PACKET_LENGTH in net_serv.cc).
const MaxPayload = 1<<24 - 1

// Header is the length of a payload and its place in the exchange.
type Header struct {
	Length int
	// Seq counts the packets of one exchange, over both directions, modulo 256.
	Seq byte
}

// DecodeHeader reads the first HeaderSize bytes of b, which has at least as many.
func DecodeHeader(b []byte) Header {
	return Header{Length: int(b[0]) | int(b[1])<<8 | int(b[2])<<16, Seq: b[3]}
}

// Append appends the header to b.
func (h Header) Append(b []byte) []byte {
	return append(b, byte(h.Length), byte(h.Length>>8), byte(h.Length>>16), h.Seq)
}

// Append appends payload to b as one packet, or as several where it is too long
// for one, numbered from seq. It returns the number after the last one.
func Append(b []byte, seq byte, payload []byte) ([]byte, byte) {
	for {
		n := min(len(payload), MaxPayload)
		b = Header{Length: n, Seq: seq}.Append(b)
		b = append(b, payload[:n]...)
		payload = payload[n:]
		seq++
		if n < MaxPayload {
			return b, seq
		}
	}
}
