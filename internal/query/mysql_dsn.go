package query

import (
	"io"
	"log"
	"net"
	"net/url"
	"strings"

	driver "github.com/go-sql-driver/mysql"
)

// mysqlConfig reads a DSN; see the package comment for its form. The error is a
// *DSNError.
func mysqlConfig(dsn string) (*driver.Config, error) {
	u, err := url.Parse(dsn)
	if err != nil {
		return nil, &DSNError{"it is no URL; percent-encode special characters in user and password"}
	}
	params := u.Query()
	socket := params.Get("unix_socket")
	params.Del("unix_socket")
	config, err := driver.ParseDSN("/?" + strings.ReplaceAll(params.Encode(), "+", "%20"))
	if err != nil {
		return nil, &DSNError{"a parameter has no meaning: " + err.Error()}
	}
	switch {
	case socket != "" && u.Host != "":
		return nil, &DSNError{"it names both a host and a unix_socket: leave out one"}
	case socket != "":
		config.Net, config.Addr = "unix", socket
	case u.Hostname() == "":
		return nil, &DSNError{"it names neither a host nor a unix_socket"}
	default:
		port := u.Port()
		if port == "" {
			port = "3306"
		}
		config.Net, config.Addr = "tcp", net.JoinHostPort(u.Hostname(), port)
	}
	config.User = u.User.Username()
	config.Passwd, _ = u.User.Password()
	config.DBName = strings.TrimPrefix(u.Path, "/")
	config.ParseTime = false // values are shown as the server prints them
	config.MultiStatements = false
	config.Logger = log.New(io.Discard, "", 0) // its errors are returned as well
	if config.Timeout == 0 {
		config.Timeout = connectTimeout
	}
	return config, nil
}
