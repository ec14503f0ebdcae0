package mysqlwire_test

import (
	"encoding/binary"
	"fmt"
	"sort"
	"strings"

	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// answer reads an answer to its end and prints it. id is the statement's whose rows
// are in the binary encoding, 0 for text.
func (c *wireSide) answer(id uint32) string {
	var b strings.Builder
	for c.result(&b, id) {
	}
	return b.String()
}

func (c *wireSide) result(b *strings.Builder, id uint32) (more bool) {
	n := c.seq
	p, err := c.tryRead()
	switch {
	case err != nil:
		fmt.Fprintf(b, "%d closed\n", n)
		return false
	case p[0] == packet.OKHeader, p[0] == packet.ErrHeader:
		return c.last(b, n, p).Has(packet.StatusMoreResults)
	case p[0] == packet.EOFHeader && len(p) < 9:
		return c.last(b, n, p).Has(packet.StatusMoreResults)
	case p[0] == 0xfb:
		fmt.Fprintf(b, "%d file %s\n", n, p[1:])
		return false
	}
	count, err := packet.DecodeColumnCount(p, c.caps)
	if err != nil {
		c.t.Fatal(err)
	}
	line := fmt.Sprintf("%d columns %d", n, count.Columns)
	var types []packet.FieldType
	if count.Metadata {
		line += ":"
		for range count.Columns {
			n := c.seq
			p := c.read()
			if p[0] == packet.ErrHeader {
				c.last(b, n, p)
				return false
			}
			col, err := packet.DecodeColumn(p, c.caps)
			if err != nil {
				c.t.Fatal(err)
			}
			line += " " + string(col.Name)
			types = append(types, col.Type)
		}
		c.cached[id] = types
	} else {
		types = c.cached[id]
	}
	b.WriteString(line + "\n")
	if !c.caps.Has(packet.DeprecateEOF) {
		n := c.seq
		p := c.read()
		status := c.last(b, n, p)
		switch {
		case p[0] == packet.ErrHeader:
			return false
		case status.Has(packet.StatusCursorExists) && c.opens:
			return false
		case status.Has(packet.StatusPSOutParams | packet.StatusMoreResults):
			c.rows(b, types, id)
			return true
		}
	}
	return c.rows(b, types, id).Has(packet.StatusMoreResults)
}

// rows reads and prints rows, in the binary encoding if id is not 0, and what ends
// them.
func (c *wireSide) rows(b *strings.Builder, types []packet.FieldType, id uint32) packet.Status {
	for {
		n := c.seq
		p, err := c.tryRead()
		switch {
		case err != nil:
			fmt.Fprintf(b, "%d closed\n", n)
			return 0
		case packet.EndsRows(len(p), p[0], c.caps.Has(packet.DeprecateEOF)), p[0] == packet.ErrHeader:
			return c.last(b, n, p)
		}
		fmt.Fprintf(b, "%d row", n)
		if id == 0 {
			values, err := packet.DecodeTextRow(p)
			if err != nil {
				c.t.Fatal(err)
			}
			for _, v := range values {
				if v == nil {
					b.WriteString(" NULL")
				} else {
					fmt.Fprintf(b, " %s", v)
				}
			}
		} else {
			values, err := packet.DecodeBinaryRow(p, types)
			if err != nil {
				c.t.Fatal(err)
			}
			for _, v := range values {
				b.WriteString(" " + binaryText(v))
			}
		}
		b.WriteString("\n")
	}
}

func binaryText(v packet.BinaryValue) string {
	switch {
	case v.Null:
		return "NULL"
	case v.Type == packet.TypeLong:
		return fmt.Sprint(int32(binary.LittleEndian.Uint32(v.Value)))
	case v.Type == packet.TypeLongLong:
		return fmt.Sprint(int64(binary.LittleEndian.Uint64(v.Value)))
	case v.Type == packet.TypeVarString:
		return string(v.Value[packet.LenencSize(v.Value[0]):])
	}
	return fmt.Sprintf("%x", v.Value)
}

var statusNames = []string{"trans", "", "", "more", "", "", "cursor", "last-row", "db-dropped", "no-backslash-escapes",
	"", "", "out-params", "read-only", "state-changed", "ansi-quotes"}

func statusText(s packet.Status) string {
	text := ""
	for i, name := range statusNames {
		if name != "" && s&(1<<i) != 0 {
			text += " " + name
		}
	}
	return text
}

// last prints OK, EOF or ERR.
func (c *wireSide) last(b *strings.Builder, n byte, p []byte) packet.Status {
	switch {
	case p[0] == packet.ErrHeader:
		e, err := packet.DecodeErr(p)
		if err != nil {
			c.t.Fatal(err)
		}
		for i, id := range c.ids {
			e.Message = strings.ReplaceAll(e.Message, fmt.Sprintf("(%d)", id), fmt.Sprintf("(%d)", i+1))
		}
		fmt.Fprintf(b, "%d err %d %s %s\n", n, e.Code, e.State, e.Message)
		return 0
	case p[0] == packet.EOFHeader && !c.caps.Has(packet.DeprecateEOF):
		e, err := packet.DecodeEOF(p)
		if err != nil {
			c.t.Fatal(err)
		}
		fmt.Fprintf(b, "%d eof warnings=%d%s\n", n, e.Warnings, statusText(e.Status))
		return e.Status
	}
	o, err := packet.DecodeOK(p, c.caps)
	if err != nil {
		c.t.Fatal(err)
	}
	name := map[byte]string{packet.OKHeader: "ok", packet.EOFHeader: "ok-eof"}[o.Header]
	fmt.Fprintf(b, "%d %s rows=%d warnings=%d%s", n, name, o.AffectedRows, o.Warnings, statusText(o.Status))
	if len(o.Info) > 0 {
		fmt.Fprintf(b, " info=%q", o.Info)
	}
	changes, err := packet.DecodeSessionState(o.SessionState)
	if err != nil {
		c.t.Fatal(err)
	}
	sort.Slice(changes, func(i, j int) bool { return changes[i].Name < changes[j].Name }) // servers keep no order
	for _, change := range changes {
		fmt.Fprintf(b, " track(%d %s=%s)", change.Kind, change.Name, change.Value)
	}
	b.WriteString("\n")
	return o.Status
}

// prepared reads and prints the answer to COM_STMT_PREPARE.
func (c *wireSide) prepared() string {
	var b strings.Builder
	n := c.seq
	p := c.read()
	if p[0] == packet.ErrHeader {
		c.last(&b, n, p)
		return b.String()
	}
	ok, err := packet.DecodePrepareOK(p, c.caps)
	if err != nil {
		c.t.Fatal(err)
	}
	c.ids = append(c.ids, ok.StatementID)
	fmt.Fprintf(&b, "%d prepared %d params=%d columns=%d\n", n, len(c.ids), ok.Params, ok.Columns)
	var types []packet.FieldType
	for i, count := range []uint16{ok.Params, ok.Columns} {
		for range count {
			if !ok.Metadata {
				break
			}
			col, err := packet.DecodeColumn(c.read(), c.caps)
			if err != nil {
				c.t.Fatal(err)
			}
			if i == 1 {
				types = append(types, col.Type)
			}
		}
		if count > 0 && !c.caps.Has(packet.DeprecateEOF) {
			n := c.seq
			c.last(&b, n, c.read())
		}
	}
	c.cached[ok.StatementID] = types
	return b.String()
}

// fields reads and prints the answer to COM_FIELD_LIST.
func (c *wireSide) fields() string {
	var b strings.Builder
	for {
		n := c.seq
		p := c.read()
		if p[0] == packet.EOFHeader || p[0] == packet.ErrHeader {
			c.last(&b, n, p)
			return b.String()
		}
		col, err := packet.DecodeColumn(p, c.caps)
		if err != nil {
			c.t.Fatal(err)
		}
		fmt.Fprintf(&b, "%d field %s\n", n, col.Name)
	}
}
