package packet

// Status is what the server says of the session in every OK and EOF packet
// (mysql_com.h, SERVER_STATUS_…).
type Status uint16

// The status flags.
const (
	StatusInTransaction Status = 1 << iota
	StatusAutocommit
	_
	StatusMoreResults
	StatusNoGoodIndexUsed
	StatusNoIndexUsed
	StatusCursorExists
	StatusLastRowSent
	StatusDBDropped
	StatusNoBackslashEscapes
	StatusMetadataChanged
	StatusQueryWasSlow
	StatusPSOutParams
	StatusInTransactionReadonly
	StatusSessionStateChanged
	// StatusANSIQuotes is MariaDB's.
	StatusANSIQuotes
)

// Has reports that all of want are set.
func (s Status) Has(want Status) bool { return s&want == want }
