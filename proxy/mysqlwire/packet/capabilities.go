package packet

// Capabilities are the features that server and client agree on. The low half is
// the protocol's own word (mysql_com.h, group__group__cs__capabilities__flags),
// the high half MariaDB's extension of it, which is only there where
// LongPassword is not.
type Capabilities uint64

// The capabilities of the protocol.
const (
	// LongPassword is set by MySQL servers and clients; MariaDB's leave it out to
	// say that the extended word is there (CLIENT_MYSQL).
	LongPassword Capabilities = 1 << iota
	FoundRows
	LongFlag
	ConnectWithDB
	NoSchema
	Compress
	ODBC
	LocalFiles
	IgnoreSpace
	Protocol41
	Interactive
	SSL
	IgnoreSigpipe
	Transactions
	Reserved
	SecureConnection
	MultiStatements
	MultiResults
	PSMultiResults
	PluginAuth
	ConnectAttrs
	PluginAuthLenenc
	CanHandleExpiredPasswords
	SessionTrack
	DeprecateEOF
	OptionalResultsetMetadata
	ZstdCompression
	QueryAttributes
	MultiFactorAuthentication
	CapabilityExtension
	SSLVerifyServerCert
	RememberOptions
)

// MariaDB's extended capabilities (MARIADB_CLIENT_…).
const (
	MariaDBProgress Capabilities = 1 << (32 + iota)
	MariaDBComMulti
	MariaDBBulkOperations
	MariaDBExtendedMetadata
	MariaDBCacheMetadata
	MariaDBBulkUnitResults
)

// Has reports that all of want are set.
func (c Capabilities) Has(want Capabilities) bool { return c&want == want }
