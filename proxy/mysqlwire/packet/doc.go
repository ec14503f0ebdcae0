// Package packet encodes and decodes the packets of the MySQL and MariaDB
// client/server protocol. It knows no session: what a packet's shape depends on
// (capabilities, the number of parameters) is passed in.
//
// There is one file for each packet. Decoders take the payload without its
// header, never panic, keep no reference to anything but the payload, and
// answer a *MalformedError for what is no such packet. The shapes follow the
// "Client/Server Protocol" chapters of the MySQL source documentation
// (page_protocol_basics.html) and of the MariaDB knowledge base.
package packet
