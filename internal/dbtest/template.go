package dbtest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// templateRevision is raised when templates are to be made anew.
const templateRevision = "1"

// templateFor returns a folder with a fresh data folder and certificates to
// copy from, and makes it if it is not there. Test binaries that run at the same
// time make it once.
func templateFor(r *recipe, p programs, a *account) (string, error) {
	cache := CacheFolder()
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", fmt.Errorf("make the cache folder (set ROWCAP_CACHE_DIR to another): %w", err)
	}
	owner := "self"
	if a != nil {
		owner = a.name
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{templateRevision, p.server, p.version, owner}, "\x00")))
	path := filepath.Join(cache, fmt.Sprintf("template-%s-%s-%s", r.flavor, p.version, hex.EncodeToString(sum[:4])))
	lock, err := lockFile(path+".lock", true)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if _, err := os.Stat(path); err == nil {
		return path, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	removeOld(filepath.Join(cache, "making-*"), time.Hour) // of those who were killed at it
	dir, err := os.MkdirTemp(cache, "making-"+r.flavor+"-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", err
	}
	if err := a.own(dir); err != nil {
		return "", err
	}
	if err := r.prepare(p, dir, a); err != nil {
		return "", fmt.Errorf("make a data folder of %s %s: %w", r.flavor, p.version, err)
	}
	if err := writeCertificates(filepath.Join(dir, "tls"), a); err != nil {
		return "", fmt.Errorf("make certificates: %w", err)
	}
	return path, os.Rename(dir, path)
}

// runFolder makes an empty folder for a server to run in, and removes those
// whose test binary is gone. The folder is this process's as long as it holds
// the lock.
func runFolder(flavor string, a *account) (dir string, lock *os.File, err error) {
	base := os.TempDir()
	if len(base) > 60 {
		base = "/tmp" // a unix socket's path has 107 bytes at most
	}
	sweep(base)
	if dir, err = os.MkdirTemp(base, "rowcap-"+flavor+"-"); err != nil {
		return "", nil, err
	}
	if err = os.Chmod(dir, 0o755); err == nil {
		err = a.own(dir)
	}
	if err == nil {
		lock, err = lockFile(filepath.Join(dir, "owner"), true)
	}
	if err != nil {
		os.RemoveAll(dir)
		return "", nil, err
	}
	return dir, lock, nil
}

// sweep removes run folders that nobody owns any more.
func sweep(base string) {
	for _, flavor := range []string{FlavorPostgres, FlavorMariaDB, FlavorMySQL} {
		old, _ := filepath.Glob(filepath.Join(base, "rowcap-"+flavor+"-*"))
		for _, dir := range old {
			info, err := os.Stat(dir)
			if err != nil || time.Since(info.ModTime()) < 10*time.Minute {
				continue
			}
			if lock, err := lockFile(filepath.Join(dir, "owner"), false); err == nil {
				os.RemoveAll(dir)
				lock.Close()
			}
		}
	}
}

// removeOld removes what matches and has not changed for some time.
func removeOld(pattern string, age time.Duration) {
	old, _ := filepath.Glob(pattern)
	for _, path := range old {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > age {
			os.RemoveAll(path)
		}
	}
}

// copyFolder copies what is in from into the folder to, with modes, for a.
func copyFolder(from, to string, a *account) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil || rel == "." {
			return err
		}
		target := filepath.Join(to, rel)
		info, err := entry.Info()
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir():
			if err := os.Mkdir(target, info.Mode().Perm()); err != nil {
				return err
			}
		case info.Mode().IsRegular():
			if err := copyFile(path, target, info.Mode().Perm()); err != nil {
				return err
			}
		default:
			return nil // sockets and pipes are of a server that is gone
		}
		return a.own(target)
	})
}

func copyFile(from, to string, mode fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
