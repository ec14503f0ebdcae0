package dbtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// startTimeout bounds how long a server may take until it answers.
const startTimeout = 90 * time.Second

// recipe says how one flavor of server is made and started.
type recipe struct {
	flavor string
	// variable is the environment variable that gives a server.
	variable string
	// install tells a person which package to install.
	install string
	// note is the file in the cache folder in which set-up says why it could not
	// get the server, empty if it says so nowhere.
	note string
	// accounts are the users to run as when this process is root, best first.
	accounts []string
	// find looks for the programs of this flavor.
	find func() (programs, error)
	// prepare makes an empty data folder in dir/data, as a.
	prepare func(p programs, dir string, a *account) error
	// command returns the arguments of the server program for a run folder.
	command func(p programs, dir string, port int) []string
	// socket is the unix socket's file for a run folder.
	socket func(dir string, port int) string
	// ready says whether the server answers.
	ready func(in *running) bool
	// user and password are of the account with all rights.
	user, password string
}

// programs are the files that a flavor needs.
type programs struct {
	server  string
	prepare string // the program that makes a data folder, if it is another
	client  string
	version string // of the server
}

// StartPostgres starts a PostgreSQL for one test only, to be killed, frozen and
// restarted. It ends with the test. The arguments are added to the server's.
func StartPostgres(t testing.TB, args ...string) *Server {
	t.Helper()
	return startFor(t, &postgresRecipe, args)
}

// StartMariaDB is StartPostgres for MariaDB.
func StartMariaDB(t testing.TB, args ...string) *Server {
	t.Helper()
	return startFor(t, &mariadbRecipe, args)
}

// StartMySQL is StartPostgres for MySQL.
func StartMySQL(t testing.TB, args ...string) *Server {
	t.Helper()
	return startFor(t, &mysqlRecipe, args)
}

func startFor(t testing.TB, r *recipe, args []string) *Server {
	t.Helper()
	s, err := start(r, args)
	if err != nil {
		giveUp(t, r, err)
	}
	t.Cleanup(s.instance.remove)
	return s
}

// start starts a private server of r.
func start(r *recipe, args []string) (*Server, error) {
	p, err := r.find()
	if err != nil {
		return nil, err
	}
	a, err := serverAccount(r.accounts)
	if err != nil {
		return nil, err
	}
	template, err := templateFor(r, p, a)
	if err != nil {
		return nil, err
	}
	dir, lock, err := runFolder(r.flavor, a)
	if err != nil {
		return nil, err
	}
	in := &running{recipe: r, programs: p, account: a, dir: dir, lock: lock, args: args}
	s := &Server{
		Flavor: r.flavor, Host: "127.0.0.1", User: r.user, Password: r.password,
		CA: filepath.Join(dir, "tls", "ca.pem"), client: p.client, instance: in,
	}
	if err := copyFolder(template, dir, a); err != nil {
		in.remove()
		return nil, fmt.Errorf("copy the template of a data folder: %w", err)
	}
	for try := 1; ; try++ {
		if in.port, err = freePort(); err == nil {
			err = in.launch()
		}
		if err == nil {
			break
		}
		if try == 5 || !errors.Is(err, errPortTaken) {
			in.remove()
			return nil, err
		}
	}
	s.Port, s.Socket = in.port, r.socket(dir, in.port)
	if err := s.readVersion(); err != nil {
		in.remove()
		return nil, err
	}
	return s, nil
}

// readVersion asks the server for its version and keeps what all builds of that
// version have in common.
func (s *Server) readVersion() error {
	query := "SELECT version()"
	if s.Flavor == FlavorPostgres {
		query = "SHOW server_version"
	}
	version, err := s.run("", query)
	if err != nil {
		return err
	}
	version, _, _ = strings.Cut(version, " ")
	number, rest, _ := strings.Cut(version, "-")
	if s.Flavor == FlavorMariaDB && strings.HasPrefix(rest, "MariaDB") {
		number += "-MariaDB"
	}
	s.Version = number
	return nil
}

// unavailable returns why set-up could not get the server, empty if it did not say
// so.
func (r *recipe) unavailable() string {
	if r.note == "" {
		return ""
	}
	why, err := os.ReadFile(filepath.Join(CacheFolder(), r.note))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(why))
}

// isMissing says whether err is that a program is not installed.
func isMissing(err error) bool { return errors.Is(err, errNotFound) }

// The account with all rights of every private server.
const (
	adminUser     = "rowcap"
	adminPassword = "rowcap"
)
