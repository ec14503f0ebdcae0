package dbtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
)

// Ports are taken below the range from which the system gives out ephemeral
// ones, so that no outgoing connection of a test can take a server's.
const (
	firstPort = 20000
	lastPort  = 31999
)

// errPortTaken says that another process took the port between the look and the
// server's start.
var errPortTaken = errors.New("the port was taken meanwhile")

// freePort returns a TCP port on which nothing listens right now.
func freePort() (int, error) {
	var last error
	for range 100 {
		port := firstPort + rand.IntN(lastPort-firstPort+1)
		l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
		if err != nil {
			last = err
			continue
		}
		return port, l.Close()
	}
	return 0, fmt.Errorf("no free port from %d to %d: %w", firstPort, lastPort, last)
}
