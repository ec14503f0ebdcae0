package packet

// ParamType is what a client says of a parameter before it sends values.
type ParamType struct {
	Type     FieldType
	Unsigned bool
	// Name is a query attribute's name, empty for a statement's own parameter.
	Name []byte
}

// unsignedParam is the flag in the second byte of a parameter's type.
const unsignedParam = 0x80

// Param is one value, of a statement's parameter or a query attribute.
type Param struct {
	ParamType
	Null bool
	// Long reports that the value was sent ahead by COM_STMT_SEND_LONG_DATA.
	Long bool
	// Value is the value in the binary encoding as it stands, with its length
	// where it has one; nil if Null or Long.
	Value []byte
}

// params reads null bitmap, types and values of n parameters. known are the types
// to use where the packet has none; long says whose value was sent ahead.
func (s *scan) params(n int, names bool, known []ParamType, long func(int) bool) (ps []Param, fresh bool) {
	if n == 0 {
		return nil, false
	}
	nulls := s.bytes(uint64(n+7) / 8)
	fresh = s.u8() == 1
	if s.bad || (!fresh && len(known) < n) {
		s.bad = true
		return nil, fresh
	}
	ps = make([]Param, n)
	for i := range ps {
		if !fresh {
			ps[i].ParamType = known[i]
			continue
		}
		ps[i].Type = FieldType(s.u8())
		ps[i].Unsigned = s.u8()&unsignedParam != 0
		if names {
			ps[i].Name = s.lenencString()
		}
	}
	for i := range ps {
		switch {
		case long != nil && long(i):
			ps[i].Long = true
		case nulls[i/8]&(1<<(i%8)) != 0:
			ps[i].Null = true
		default:
			ps[i].Value = ps[i].Type.value(s)
		}
	}
	return ps, fresh
}

// appendParams appends what scan.params reads, always with the types.
func appendParams(b []byte, ps []Param, names bool) []byte {
	if len(ps) == 0 {
		return b
	}
	nulls := len(b)
	b = append(b, make([]byte, (len(ps)+7)/8)...)
	b = append(b, 1)
	for i, p := range ps {
		if p.Null {
			b[nulls+i/8] |= 1 << (i % 8)
		}
		flag := byte(0)
		if p.Unsigned {
			flag = unsignedParam
		}
		b = append(b, byte(p.Type), flag)
		if names {
			b = AppendLenencString(b, p.Name)
		}
	}
	for _, p := range ps {
		b = append(b, p.Value...)
	}
	return b
}
