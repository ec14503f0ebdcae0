package proxy

import (
	"os"
	"os/user"
	"strconv"
	"sync"
)

// OSUser returns the name of the operating system's user that rowcap runs as, "" if the
// system has none for it. On a unix socket a server may take the other end's user for a
// login (peer, unix_socket, auth_socket), and that is whoever runs rowcap, not the
// client.
var OSUser = sync.OnceValue(func() string {
	u, err := user.LookupId(strconv.Itoa(os.Geteuid())) // user.Current would believe $USER
	if err != nil {
		return ""
	}
	return u.Username
})
