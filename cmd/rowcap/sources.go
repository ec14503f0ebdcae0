package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rowcap/rowcap/internal/config"
	"github.com/rowcap/rowcap/internal/query"
)

// dsnFlags say which database a command uses.
type dsnFlags struct {
	DSN          string `name:"dsn" env:"ROWCAP_DSN" placeholder:"URL" help:"Server and database: postgres://user:password@host:port/database, mysql://… or mariadb://…; for a unix socket postgres:///database?host=/folder or mysql://user@/database?unix_socket=/path."`
	PasswordFile string `name:"password-file" env:"ROWCAP_PASSWORD_FILE" placeholder:"FILE" help:"File whose first line is the password for --dsn."`
}

func (f dsnFlags) validate() error {
	if f.DSN == "" {
		if f.PasswordFile != "" {
			return errors.New("--password-file would not be used: give --dsn too; a source in the configuration has a password-file of its own")
		}
		return nil
	}
	return query.CheckDSN(f.DSN)
}

// address returns the DSN with its password.
func (f dsnFlags) address() (string, error) {
	if f.PasswordFile == "" {
		return f.DSN, nil
	}
	password, err := config.ReadPassword(f.PasswordFile)
	if err != nil {
		return "", fmt.Errorf("--password-file: %w", err)
	}
	return query.WithPassword(f.DSN, password)
}

// addressOf returns the DSN of a source that is declared in the configuration.
func addressOf(s config.Source) (string, error) {
	url, password, ok, err := s.Address()
	if err != nil {
		return "", err
	}
	if ok {
		url, err = query.WithPassword(url, password)
	}
	if err == nil {
		err = query.CheckDSN(url)
	}
	if err != nil {
		return "", fmt.Errorf("source %s: %w", s.Name, err)
	}
	return url, nil
}

// sourceNamed finds a source in the configuration; with one source only, no name is
// needed.
func sourceNamed(file *config.File, name string) (config.Source, error) {
	all, err := file.Sources()
	if err != nil {
		return config.Source{}, usageError{err}
	}
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	switch i := slices.Index(names, name); {
	case i >= 0:
		return all[i], nil
	case name == "" && len(all) == 1:
		return all[0], nil
	case len(all) == 0:
		return config.Source{}, usagef("there is no database: give --dsn URL, or declare one as [sources.NAME] in %s", config.DefaultPath)
	case name == "":
		return config.Source{}, usagef("there are several sources: give --source, one of %s", strings.Join(names, ", "))
	}
	return config.Source{}, usagef("the source %q is not declared: use one of %s", name, strings.Join(names, ", "))
}

// maskFlags say which columns are not shown.
type maskFlags struct {
	Mask       []string `name:"mask" sep:"|" placeholder:"NAMES" help:"Columns whose values are never shown nor used, by name: password|*token*|users.email. A star stands for any characters."`
	MaskUse    string   `name:"mask-use" default:"refuse" enum:"refuse,null" help:"What becomes of a statement that uses a masked column for more than showing it, as in WHERE: ${enum}. With null the column reads as NULL there."`
	MaskExempt []string `name:"mask-exempt" sep:"|" placeholder:"NAMES" help:"Views and functions that may be used though what they read cannot be told, or is masked."`
}

// of returns the mask of a source: what it says itself, and else the flags.
func (f maskFlags) of(s config.Source) query.Mask {
	if len(s.Mask) > 0 {
		f.Mask = s.Mask
	}
	if s.MaskUse != "" {
		f.MaskUse = s.MaskUse
	}
	if len(s.MaskExempt) > 0 {
		f.MaskExempt = s.MaskExempt
	}
	return f.mask()
}

func (f maskFlags) mask() query.Mask {
	return query.Mask{Columns: f.Mask, Use: query.MaskUse(f.MaskUse), Exempt: f.MaskExempt}
}

// identity is a digest of what a source's cursors hold for.
func identity(name, dsn string) string {
	sum := sha256.Sum256([]byte(name + "\x00" + query.Identity(dsn)))
	return string(sum[:])
}

// orOwn returns what a source says itself, and else the flag.
func orOwn[T int | time.Duration](own, flag T) T {
	if own > 0 {
		return own
	}
	return flag
}
