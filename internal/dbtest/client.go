package dbtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// clientTimeout bounds one run of a command line client.
const clientTimeout = 60 * time.Second

// errNotFound says that a program is not on this machine.
var errNotFound = errors.New("not found")

// errNotMySQL says that the mysqld of this machine is MariaDB.
var errNotMySQL = fmt.Errorf("the mysqld on the PATH is MariaDB; MySQL itself %w", errNotFound)

// run sends script to database (empty: the server's own) through the server's
// command line client.
func (s *Server) run(database, script string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), clientTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.client, s.clientArgs(database)...)
	cmd.Env = s.clientEnv()
	cmd.Stdin = strings.NewReader(script)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %v: %s", filepath.Base(s.client), err, strings.TrimSpace(errs.String()))
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// clientArgs are the client's arguments: no start-up file, stop at the first
// error, plain output.
func (s *Server) clientArgs(database string) []string {
	if s.Flavor == FlavorPostgres {
		if database == "" {
			database = "postgres"
		}
		host := s.Host
		if s.Socket != "" {
			host = filepath.Dir(s.Socket)
		}
		return []string{"-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1",
			"-h", host, "-p", strconv.Itoa(s.Port), "-U", s.User, "-d", database, "-f", "-"}
	}
	args := []string{"--no-defaults", "--batch", "--skip-column-names", "--user=" + s.User}
	if s.Socket != "" {
		args = append(args, "--protocol=socket", "--socket="+s.Socket)
	} else {
		args = append(args, "--protocol=tcp", "--host="+s.Host, "--port="+strconv.Itoa(s.Port))
	}
	if database != "" {
		args = append(args, database)
	}
	return args
}

// clientEnv is the environment less what would lead the client elsewhere.
func (s *Server) clientEnv() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "PG") && !strings.HasPrefix(v, "MYSQL_") && !strings.HasPrefix(v, "MARIADB_") {
			env = append(env, v)
		}
	}
	if s.Flavor == FlavorPostgres {
		return append(env, "PGPASSWORD="+s.Password, "PGCONNECT_TIMEOUT=10", "PGGSSENCMODE=disable")
	}
	return append(env, "MYSQL_PWD="+s.Password)
}

// findProgram returns the path of the first program that exists: each name in
// each folder, then on the PATH, then where Debian puts servers.
func findProgram(folders []string, names ...string) (string, error) {
	for _, folder := range append(folders, "") {
		for _, name := range names {
			if folder != "" {
				name = filepath.Join(folder, name)
			}
			if path, err := exec.LookPath(name); err == nil {
				return path, nil
			}
		}
	}
	for _, folder := range []string{"/usr/sbin", "/usr/local/sbin"} {
		for _, name := range names {
			if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
				return path, nil
			}
		}
	}
	return "", fmt.Errorf("%s %w", strings.Join(names, " or "), errNotFound)
}

// findIn returns the path of a program in the first folder that has it.
func findIn(folders []string, name string) (string, error) {
	for _, folder := range folders {
		if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s in %s %w", name, strings.Join(folders, " or "), errNotFound)
}

// programVersion runs path with --version and returns the word after before:
// the version as the program prints it.
func programVersion(path, before string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), clientTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--no-defaults", "--version").Output()
	if err != nil {
		out, err = exec.CommandContext(ctx, path, "--version").Output()
	}
	if err != nil {
		return "", fmt.Errorf("%s --version: %v", path, err)
	}
	words := strings.Fields(string(out))
	for i := 0; i+1 < len(words); i++ {
		if words[i] == before {
			return words[i+1], nil
		}
	}
	return "", fmt.Errorf("%s --version printed %q: no version after %q", path, out, before)
}
