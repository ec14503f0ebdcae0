package pgwire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Codes in the place of a version (src/include/libpq/pqcomm.h).
const (
	codeCancel     = 1234<<16 | 5678
	codeSSL        = 1234<<16 | 5679
	codeGSS        = 1234<<16 | 5680
	startupMinimum = 8
	cancelMinimum  = 12
	tlsHandshake   = 0x16
)

// admit reads the client's first packets and answers the requests for
// encryption with N, which rowcap does not offer. It returns the startup or
// cancel packet as it came, or nil for a client that left before it sent one.
func (s *session) admit() (packet []byte, cancels bool, err error) {
	s.client.SetReadDeadline(time.Now().Add(s.door.StartupTimeout))
	asked := map[uint32]string{codeSSL: "SSLRequest", codeGSS: "GSSENCRequest"}
	for {
		packet, err := readStartup(s.up)
		if errors.Is(err, io.EOF) && s.up.w == s.up.r {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, fmt.Errorf("wait for the startup packet: %w", err)
		}
		code := binary.BigEndian.Uint32(packet[4:])
		if name, ok := asked[code]; ok {
			delete(asked, code)
			if s.up.w > s.up.r {
				return nil, false, violation(fmt.Sprintf("data was sent after the %s and before its answer", name))
			}
			if _, err := s.client.Write([]byte{'N'}); err != nil {
				return nil, false, gone{err}
			}
			continue
		}
		if code == codeCancel {
			if len(packet) < cancelMinimum {
				return nil, false, violation("the CancelRequest is too short")
			}
			return packet, true, nil
		}
		if err := checkStartup(packet); err != nil {
			return nil, false, err
		}
		s.client.SetReadDeadline(time.Time{})
		return packet, false, nil
	}
}

// readStartup takes one packet without a type byte off p. The packet is a copy.
func readStartup(p *pipe) ([]byte, error) {
	for {
		waiting := p.buf[p.r:p.w]
		if len(waiting) >= 4 {
			n := binary.BigEndian.Uint32(waiting)
			switch {
			case waiting[0] == tlsHandshake:
				return nil, violation("the first packet is a TLS handshake, and this listener does not speak TLS")
			case n < startupMinimum || n > smallLimit:
				return nil, violation(fmt.Sprintf("invalid length of startup packet: %d bytes, where 8 to %d are possible", n, smallLimit))
			case len(waiting) >= int(n):
				packet := append([]byte(nil), waiting[:n]...)
				p.r += int(n)
				p.from, p.mark = p.r, p.r
				return packet, nil
			}
			p.want = int(n)
		}
		if err := p.fill(); err != nil {
			return nil, err
		}
	}
}

// checkStartup looks at the version and the parameters of a startup packet.
// Minor versions that do not exist yet are for the server to negotiate.
func checkStartup(packet []byte) error {
	version := binary.BigEndian.Uint32(packet[4:])
	if version>>16 != 3 {
		return &fault{severity: severityFatal, code: codeUnsupported,
			message: fmt.Sprintf("unsupported frontend protocol %d.%d: rowcap carries version 3", version>>16, version&0xffff),
			hint:    "connect with a client of the PostgreSQL protocol, version 3"}
	}
	rest := packet[8:]
	for {
		name, after, ok := cutString(rest)
		if ok && len(name) == 0 && len(after) == 0 {
			return nil
		}
		value, after, more := cutString(after)
		if !ok || len(name) == 0 || !more {
			return violation("invalid startup packet layout: the parameters do not end as they must")
		}
		if string(name) == "replication" && replicates(string(value)) {
			return &fault{severity: severityFatal, code: codeUnsupported,
				message: "replication connections are refused: their rows cannot be capped",
				hint:    "connect to the server directly for replication and backups"}
		}
		rest = after
	}
}

// replicates reads the value of the replication parameter as the server does
// (parse_bool in src/backend/utils/adt/bool.c): words may be cut short where
// they stay distinct.
func replicates(value string) bool {
	if value == "database" || value == "1" {
		return true
	}
	value = strings.ToLower(value)
	return value != "" && (strings.HasPrefix("true", value) || strings.HasPrefix("yes", value) || value == "on")
}
