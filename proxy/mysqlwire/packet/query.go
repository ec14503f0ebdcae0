package packet

// Query is COM_QUERY (page_protocol_com_query.html).
type Query struct {
	// Attributes are the query attributes as they stand before the text, their
	// counts included; nil where QueryAttributes is not agreed on.
	Attributes []byte
	Text       []byte
}

// DecodeQuery reads a Query under the capabilities of its session. The fields share
// b's memory.
func DecodeQuery(b []byte, c Capabilities) (Query, error) {
	s := scan{b: b}
	if Command(s.u8()) != ComQuery || s.bad {
		return Query{}, &MalformedError{Packet: "COM_QUERY", Why: "its first byte is not 0x03"}
	}
	if !c.Has(QueryAttributes) {
		return Query{Text: s.rest()}, nil
	}
	count, sets := s.lenenc(), s.lenenc()
	switch {
	case s.bad:
	case sets != 1:
		return Query{}, &MalformedError{Packet: "COM_QUERY", Why: "it has not just one set of attributes"}
	case count > uint64(s.left()):
		s.bad = true
	default:
		s.params(int(count), true, nil, nil)
	}
	if s.bad {
		return Query{}, s.err("COM_QUERY")
	}
	return Query{Attributes: b[1:s.pos:s.pos], Text: s.rest()}, nil
}

// Append appends the payload to b.
func (q Query) Append(b []byte) []byte {
	b = append(b, byte(ComQuery))
	return append(append(b, q.Attributes...), q.Text...)
}

// NoAttributes is Query.Attributes of a query without any under c.
func NoAttributes(c Capabilities) []byte {
	if c.Has(QueryAttributes) {
		return []byte{0, 1}
	}
	return nil
}
