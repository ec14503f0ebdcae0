package packet

// DecodeTextRow reads the values of a row in the text encoding; a NULL is nil
// (page_protocol_com_query_response_text_resultset_row.html). The values share b's
// memory.
func DecodeTextRow(b []byte) ([][]byte, error) {
	s := scan{b: b}
	var values [][]byte
	for s.left() > 0 && !s.bad {
		if s.b[s.pos] == lenencNull {
			s.pos++
			values = append(values, nil)
			continue
		}
		values = append(values, s.lenencString())
	}
	return values, s.err("row")
}

// AppendTextRow appends the payload of a row in the text encoding.
func AppendTextRow(b []byte, values ...[]byte) []byte {
	for _, v := range values {
		if v == nil {
			b = append(b, lenencNull)
			continue
		}
		b = AppendLenencString(b, v)
	}
	return b
}
