package dbtest

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
)

// account is whom a server runs as; nil stands for whoever runs the tests.
type account struct {
	name     string
	uid, gid int
}

// serverAccount returns the first of names that this machine knows when the
// tests run as root, whom PostgreSQL refuses to run as.
func serverAccount(names []string) (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range names {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.Atoi(u.Uid)
		gid, gidErr := strconv.Atoi(u.Gid)
		if uidErr == nil && gidErr == nil {
			return &account{name: name, uid: uid, gid: gid}, nil
		}
	}
	return nil, fmt.Errorf("servers do not run as root, and none of the users %v exists: create one of them", names)
}

// own gives path to a.
func (a *account) own(path string) error {
	if a == nil {
		return nil
	}
	return os.Lchown(path, a.uid, a.gid)
}
