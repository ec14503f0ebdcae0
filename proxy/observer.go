package proxy

import (
	"context"
	"net"

	"github.com/rowcap/rowcap/rewrite"
)

// Protocol carries sessions of one wire protocol.
type Protocol interface {
	// Name is the protocol's name in metrics and logs: postgres or mysql.
	Name() string
	// Serve carries one session until either side ends it or ctx is done, and
	// closes client. When ctx is done, an idle session ends at once, and a busy
	// one after the answer it is at, or when the time for that is over; see
	// OnShutdown. The client is told so in its own protocol where its stream
	// stands between two messages. The error is nil for a session that the
	// client ended or that ended in order, and not for one cut amid an answer.
	Serve(ctx context.Context, client net.Conn) error
}

// Observer is told what happens in sessions. Its methods are called from many
// goroutines and must not block.
type Observer interface {
	// SessionStarted is called when a client was accepted.
	SessionStarted(protocol string)
	// SessionEnded is called when a session is over; err is Serve's.
	SessionEnded(protocol string, client net.Addr, err error)
	// Planned is called for every statement that was planned.
	Planned(protocol string, p rewrite.Plan)
	// Answered is called for every answer that was delivered to its end.
	Answered(protocol string, o rewrite.Outcome)
}

// NoObserver is an Observer that does nothing.
type NoObserver struct{}

// SessionStarted does nothing.
func (NoObserver) SessionStarted(string) {}

// SessionEnded does nothing.
func (NoObserver) SessionEnded(string, net.Addr, error) {}

// Planned does nothing.
func (NoObserver) Planned(string, rewrite.Plan) {}

// Answered does nothing.
func (NoObserver) Answered(string, rewrite.Outcome) {}
