package mysqlwire

import (
	"fmt"

	"github.com/rowcap/rowcap/proxy"
)

// checkUser keeps clients from logging in by rowcap's own identity. On a unix socket a
// server may take the other end's user of the operating system for the login
// (unix_socket, auth_socket), and that is whoever runs rowcap, not the client.
func (s *session) checkUser(name string) error {
	if !s.up.unix || name == "" || name != proxy.OSUser() || s.client.same {
		return nil
	}
	return &deniedError{code: codeDenied, state: stateDenied, text: fmt.Sprintf(
		"Access denied for user '%s': on the server's socket rowcap itself would be taken for this user of the operating system, whose name it runs under; "+
			"run rowcap as a user without an account in the database, or have it reach the server by TCP", name)}
}
