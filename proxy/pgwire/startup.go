package pgwire

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/rowcap/rowcap/rewrite"
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

// SQLSTATEs of the start-up.
const (
	codeAuthorization = "28000"
	codeUndefined     = "42704"
	codeInvalidValue  = "22023"
)

// encryptions are the requests for encryption. GSSAPI's is always answered N.
var encryptions = map[uint32]string{codeSSL: "SSLRequest", codeGSS: "GSSENCRequest"}

// Names of startup parameters. Those of rowcap are not sent on.
const (
	userParameter         = "user"
	optionsParameter      = "options"
	replicationParameter  = "replication"
	ownPrefix             = "rowcap."
	defaultLimitParameter = "rowcap.default_limit"
)

// startup is a client's first packet.
type startup struct {
	// packet is what the server gets: as it came, without rowcap's parameters.
	packet []byte
	// cancels says that it is a CancelRequest.
	cancels bool
	// user is the role to log in as.
	user string
	// replicates says that it asks for a replication connection.
	replicates bool
	// defaultLimit is the session's own default, 0 if it gave none.
	defaultLimit uint64
}

// readParameters reads a startup packet. Minor versions that do not exist yet and
// protocol parameters (_pq_.) are for the server to negotiate.
func readParameters(packet []byte) (*startup, error) {
	version := binary.BigEndian.Uint32(packet[4:])
	if version>>16 != 3 {
		return nil, &fault{severity: severityFatal, code: codeUnsupported,
			message: fmt.Sprintf("unsupported frontend protocol %d.%d: rowcap carries version 3", version>>16, version&0xffff),
			hint:    "connect with a client of the PostgreSQL protocol, version 3"}
	}
	s := &startup{}
	kept := append([]byte(nil), packet[:startupMinimum]...)
	var own, inOptions []setting
	for rest := packet[startupMinimum:]; ; {
		name, after, ok := textOf(rest)
		if ok && name == "" && len(after) == 0 {
			break
		}
		value, after, more := textOf(after)
		if !ok || name == "" || !more {
			return nil, violation("invalid startup packet layout: the parameters do not end as they must")
		}
		rest = after
		switch {
		case isOwn(name):
			own = append(own, setting{name, value})
			continue
		case name == optionsParameter:
			found, left, err := cutOptions(value)
			if err != nil {
				return nil, err
			}
			inOptions = append(inOptions, found...)
			if len(found) > 0 && left == "" {
				continue
			}
			value = left
		case name == userParameter:
			s.user = value // as the server has it, the last one counts
		case name == replicationParameter:
			s.replicates = replicates(value)
		}
		kept = appendString(appendString(kept, name), value)
	}
	// As the server has it, a parameter of its own wins over one in the options.
	for _, p := range append(inOptions, own...) {
		if err := s.set(p); err != nil {
			return nil, err
		}
	}
	s.packet = append(kept, 0)
	binary.BigEndian.PutUint32(s.packet, uint32(len(s.packet)))
	return s, nil
}

// setting is a parameter of rowcap's own.
type setting struct{ name, value string }

// isOwn reports a name that is rowcap's. Names of settings have no case.
func isOwn(name string) bool {
	return len(name) >= len(ownPrefix) && strings.EqualFold(name[:len(ownPrefix)], ownPrefix)
}

// set takes one parameter of rowcap's own.
func (s *startup) set(p setting) error {
	if !strings.EqualFold(p.name, defaultLimitParameter) {
		return &fault{severity: severityFatal, code: codeUndefined,
			message: fmt.Sprintf("rowcap does not know the parameter %q", p.name),
			hint:    "it knows " + defaultLimitParameter + ": rows at most where a statement has no limit of its own"}
	}
	n, err := strconv.ParseUint(strings.TrimSpace(p.value), 10, 64)
	if err == nil {
		err = rewrite.Ask{Default: n}.Validate()
	}
	if err != nil || n == 0 {
		return &fault{severity: severityFatal, code: codeInvalidValue, cause: err,
			message: fmt.Sprintf("invalid value for the parameter %q: %q", defaultLimitParameter, p.value),
			hint:    "use a number of rows from 1; the maximum of the policy bounds it"}
	}
	s.defaultLimit = n
	return nil
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
