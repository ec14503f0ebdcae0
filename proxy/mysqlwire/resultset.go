package mysqlwire

import (
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

// resultSet relays a result set, whose first packet has header h, to its end.
func (a *answer) resultSet(h packet.Header) (rowsEnd, error) {
	b, err := a.up.in.payload(h, maxControl)
	if err != nil {
		return rowsEnd{}, err
	}
	count, err := packet.DecodeColumnCount(b, a.caps)
	if err != nil {
		return rowsEnd{}, err
	}
	if err := a.client.out.taken(&a.up.in, b); err != nil {
		return rowsEnd{}, err
	}
	merge := a.merging(count)
	if count.Metadata {
		if failed, err := a.columns(count.Columns, merge); err != nil || failed {
			return rowsEnd{failed: failed}, err
		}
	}
	plan := a.plan()
	if !plan.Statement.ReturnsRows {
		plan = a.rewriter.Guard("a statement that should return no rows returned some")
	}
	meter := plan.Meter()
	// MySQL forgets at the end of the OUT parameters' row that more results
	// follow; clients go by what stood before the row (libmysql's
	// read_binary_rows).
	var outParams packet.Status
	if !a.caps.Has(packet.DeprecateEOF) {
		end, err := a.endOfColumns()
		if err != nil || end.failed {
			return end, err
		}
		if a.opens(end.status) {
			return end, a.opened(meter, end.payload)
		}
		if err := a.writeEnd(end, a.flags(end.status), 0); err != nil {
			return end, err
		}
		if end.status.Has(packet.StatusPSOutParams) {
			outParams = end.status & packet.StatusMoreResults
		}
	}
	end, err := a.rows(&meter, merge)
	if err != nil || end.failed {
		return end, err
	}
	if a.opens(end.status) {
		return end, a.opened(meter, end.payload)
	}
	end.failed, err = a.close(&meter, end, merge)
	end.status |= outParams
	return end, err
}

// endOfColumns takes the EOF packet between columns and rows. It is the end of the
// answer where a cursor was opened.
func (a *answer) endOfColumns() (rowsEnd, error) {
	for {
		h, first, err := a.up.in.head()
		if err != nil {
			return rowsEnd{}, err
		}
		if first != packet.ErrHeader {
			return a.readEnd(h)
		}
		more, err := a.relayError(h)
		if err != nil || !more {
			return rowsEnd{failed: true}, err
		}
	}
}

// columns relays n column definitions; merge is told of them. failed reports that an
// ERR packet came in the place of one: a server may fail at any packet (MariaDB does, where
// its stack ends).
func (a *answer) columns(n uint64, merge *merge) (failed bool, err error) {
	for n > 0 {
		h, first, err := a.up.in.head()
		if err != nil {
			return false, err
		}
		if first == packet.ErrHeader {
			if progress, err := a.relayError(h); err != nil || !progress {
				return true, err
			}
			continue
		}
		if first == packet.EOFHeader {
			return false, &packet.MalformedError{Packet: "column definition", Why: "another packet stands in its place"}
		}
		n--
		if merge == nil {
			if _, err := a.client.out.forward(&a.up.in, h); err != nil {
				return false, err
			}
			continue
		}
		b, err := a.up.in.payload(h, maxControl)
		if err != nil {
			return false, err
		}
		col, err := packet.DecodeColumn(b, a.caps)
		if err != nil {
			return false, err
		}
		merge.types = append(merge.types, col.Type)
		if err := a.client.out.packet(b); err != nil {
			return false, err
		}
	}
	return false, nil
}

// rowsEnd is what stood behind the rows that were relayed.
type rowsEnd struct {
	payload  []byte
	status   packet.Status
	warnings uint16
	// failed reports that an ERR packet ended the answer; it has been relayed.
	failed bool
}

// rows relays the rows that meter lets pass, up to what ends them.
func (s *session) rows(meter *rewrite.Meter, merge *merge) (rowsEnd, error) {
	in, out := &s.up.in, &s.client.out
	deprecate := s.caps.Has(packet.DeprecateEOF)
	for {
		if merge == nil {
			s.rowsAtHand(meter)
		}
		h, first, err := in.head()
		switch {
		case err != nil:
			return rowsEnd{}, err
		case packet.EndsRows(h.Length, first, deprecate):
			return s.readEnd(h)
		case first == packet.ErrHeader:
			b, err := in.payload(h, maxControl)
			if err != nil {
				return rowsEnd{}, err
			}
			if err := out.packet(b); err != nil {
				return rowsEnd{}, err
			}
			if !packet.IsProgress(b) {
				s.notes.server = 1
				return rowsEnd{failed: true}, nil
			}
		case meter.Row() != rewrite.Deliver:
			if _, err := in.skip(h); err != nil {
				return rowsEnd{}, err
			}
		case merge != nil:
			if err := merge.row(h); err != nil {
				return rowsEnd{}, err
			}
		default:
			if _, err := out.forward(in, h); err != nil {
				return rowsEnd{}, err
			}
		}
	}
}

// rowsAtHand relays the rows that have come as a whole, up to a packet that may be
// none.
func (s *session) rowsAtHand(meter *rewrite.Meter) {
	in, out := &s.up.in, &s.client.out
	b, from, at, seq := in.buf[:in.w], in.r, in.r, out.seq
	for len(b)-at > packet.HeaderSize {
		h, first := packet.DecodeHeader(b[at:]), b[at+packet.HeaderSize]
		next := at + packet.HeaderSize + h.Length
		if h.Length == 0 || next > len(b) || first == packet.EOFHeader || first == packet.ErrHeader {
			break
		}
		if meter.Row() == rewrite.Deliver {
			b[at+packet.HeaderSize-1] = seq
			seq++
		} else {
			out.lend(in, from, at)
			from = next
		}
		at = next
	}
	out.lend(in, from, at)
	in.r, out.seq = at, seq
}

// readEnd takes the packet that ends the rows.
func (s *session) readEnd(h packet.Header) (rowsEnd, error) {
	b, err := s.up.in.payload(h, maxControl)
	if err != nil {
		return rowsEnd{}, err
	}
	if !s.caps.Has(packet.DeprecateEOF) {
		eof, err := packet.DecodeEOF(b)
		return rowsEnd{payload: b, status: eof.Status, warnings: eof.Warnings}, err
	}
	ok, err := packet.DecodeOK(b, s.caps)
	if err != nil {
		return rowsEnd{}, err
	}
	s.track(ok.SessionState)
	return rowsEnd{payload: b, status: ok.Status, warnings: ok.Warnings}, nil
}

// close settles the outcome of a result set and relays its end, or the error that
// ends it.
func (a *answer) close(meter *rewrite.Meter, end rowsEnd, merge *merge) (failed bool, err error) {
	if a.shows.kind.reads() {
		return false, a.closeDiagnostics(meter, end, merge)
	}
	a.notes.server = end.warnings
	if e := a.settle(meter.Outcome(), end); e != nil {
		a.settings.observe(end.status)
		return true, a.client.out.packet(e)
	}
	return false, a.writeEnd(end, a.flags(end.status), a.told)
}

// settle reports an outcome and keeps its notice. It returns the error that is to stand
// in the place of end, nil if there is none.
func (a *answer) settle(o rewrite.Outcome, end rowsEnd) []byte {
	o = ownBound(o)
	a.door.observer.Answered(a.door.Name(), o)
	if e := a.exceeded(o, end); e != nil {
		return e
	}
	if n, ok := a.rewriter.Notice(o); ok {
		a.notes.list = append(a.notes.list, note{level: levelWarning, code: CodeNotice, text: message(n), result: a.number})
		a.told++
	}
	return nil
}

// ownBound makes an answer complete whose rows beyond the client's own setting for its
// session had to be counted here, as the text that the server has brings a limit of
// ours: the client gets what it asked for. Where it is the client's text that lets
// the server go beyond the setting (SET_VAR), rows are missing.
func ownBound(o rewrite.Outcome) rewrite.Outcome {
	if o.Plan.Cap.Source == rewrite.SourceSession && o.Completeness == rewrite.Truncated && len(o.Plan.Edits) > 0 {
		o.Completeness = rewrite.Complete
	}
	return o
}

// writeEnd relays the end of rows with another status and more warnings.
func (s *session) writeEnd(end rowsEnd, status packet.Status, added int) error {
	b := end.payload
	if status != end.status || added > 0 {
		warnings := addWarnings(end.warnings, added)
		if !s.caps.Has(packet.DeprecateEOF) {
			b = packet.EOF{Warnings: warnings, Status: status}.Append(nil)
		} else if err := packet.PatchOK(b, status, warnings); err != nil {
			return err
		}
	}
	return s.client.out.taken(&s.up.in, b)
}

// addWarnings is n more warnings than a packet says, as far as it can say.
func addWarnings(warnings uint16, n int) uint16 {
	return uint16(min(int(warnings)+n, 1<<16-1))
}
