// Package mysqlwire carries sessions of the MySQL and MariaDB protocol between a
// client and an upstream server, unchanged except where a plan or an outcome
// says so.
//
// A session has two goroutines. The client loop reads commands, plans them and
// sends them on; the upstream loop relays the answers, counts their rows and says
// what is missing. They take turns: a command is sent only when the answer to the
// one before has been relayed, so that all a session knows belongs to one of
// them at a time. Both are always reading, so that a client or a server that
// goes away is noticed at once, and neither hands packets to the other.
//
// Connections without TLS are read by system calls of the package's own (plain.go,
// carry.go): one for each batch of packets, into a buffer that is taken when data is
// there. What is not changed goes out from that buffer (writer.lend). An end that came
// in the same moment as the last data is found by looking, twice a second.
//
// What a session knows of the settings that change how its statements are
// read is in settings.go; with anything unknown, statements are not read but
// guarded.
package mysqlwire
