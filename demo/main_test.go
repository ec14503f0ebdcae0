package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"
)

// screen is what the demo writes to; several goroutines use it.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func TestOnce(t *testing.T) {
	out := new(screen)
	if err := run(t.Context(), out, "127.0.0.1:0", true); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	rest := out.String()
	for _, want := range []string{
		"1. A client without a cap", "(1847 rows)", `"1,847 invoices are overdue"`,
		"2. A silent cap", "(100 rows)", `"100 invoices are overdue"`, "Wrong by 1,747",
		"3. rowcap", "(100 rows)", "showing the first 100 rows; more rows exist", "1847", `"1,847 invoices are overdue"`, "101 rows were sent",
	} {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Fatalf("%q is missing, or in the wrong place, in:\n%s", want, out)
		}
		rest = after
	}
}

// TestOwnClient connects as the demo tells a reader to.
func TestOwnClient(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, ended := new(screen), make(chan error, 1)
	go func() { ended <- run(ctx, out, "127.0.0.1:0", false) }()
	for deadline := time.Now().Add(time.Minute); !strings.Contains(out.String(), "Ctrl-C ends the demo."); time.Sleep(20 * time.Millisecond) {
		select {
		case err := <-ended:
			t.Fatalf("ended with %v:\n%s", err, out)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("not ready:\n%s", out)
		}
	}
	_, after, _ := strings.Cut(out.String(), "for Go: ")
	dsn, _, _ := strings.Cut(after, "\n")
	config, err := driver.ParseDSN(dsn)
	if err != nil {
		t.Fatalf("%q: %v", dsn, err)
	}

	t.Run("go-sql-driver", func(t *testing.T) { goClient(t, dsn) })
	t.Run("command line", func(t *testing.T) { commandLine(t, config.Addr) })
	t.Run("taken address", func(t *testing.T) {
		if err := run(ctx, new(screen), config.Addr, true); err == nil || !strings.Contains(err.Error(), config.Addr) {
			t.Errorf("got %v", err)
		}
	})

	stop()
	if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("after Ctrl-C: %v", err)
	}
}

// goClient reads by simple and by prepared statements, in one session.
func goClient(t *testing.T, dsn string) {
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, c := range []struct {
		query   string
		args    []any
		rows    int
		warning string
	}{
		{"SELECT id FROM invoices", nil, 100, "showing the first 100 rows; more rows exist"},
		{"SELECT id FROM invoices WHERE status = ? ORDER BY id", []any{"overdue"}, 100, "showing the first 100 rows; more rows exist"},
		{"SELECT id FROM invoices WHERE id <= ?", []any{7}, 7, ""},
		{"SELECT id FROM invoices LIMIT ?", []any{5000}, 1000, "showing the first 1000 rows; more rows exist"},
		{"SELECT id FROM invoices LIMIT 250", nil, 250, ""},
		{"SELECT id FROM invoices LIMIT 5000", nil, 1000, "showing the first 1000 rows; more rows exist"},
		{"SHOW TABLES", nil, 2, ""},
		{"SELECT count(*) FROM invoices", nil, 1, ""},
	} {
		if got := countRows(t, conn, c.query, c.args...); got != c.rows {
			t.Errorf("%s: %d rows, want %d", c.query, got, c.rows)
		}
		warnings := showWarnings(t, conn)
		if c.warning == "" && warnings != "" || !strings.Contains(warnings, c.warning) {
			t.Errorf("%s: SHOW WARNINGS says %q, want %q", c.query, warnings, c.warning)
		}
	}
	if _, err := conn.QueryContext(t.Context(), "SELECT nothing FROM nowhere"); err == nil {
		t.Error("a wrong statement gave no error")
	}
	if got := countRows(t, conn, "SELECT 1"); got != 1 {
		t.Errorf("after an error: %d rows", got)
	}
}

func countRows(t *testing.T, conn *sql.Conn, query string, args ...any) int {
	t.Helper()
	rows, err := conn.QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		n++
	}
	if err := rows.Err(); err != nil {
		t.Errorf("%s: %v", query, err)
	}
	return n
}

func showWarnings(t *testing.T, conn *sql.Conn) string {
	t.Helper()
	rows, err := conn.QueryContext(t.Context(), "SHOW WARNINGS")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	all := ""
	for rows.Next() {
		var level, code, message string
		if err := rows.Scan(&level, &code, &message); err != nil {
			t.Fatal(err)
		}
		all += fmt.Sprintln(level, code, message)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// commandLine reads with the mariadb client, where it is installed.
func commandLine(t *testing.T, address string) {
	client, err := exec.LookPath("mariadb")
	if err != nil {
		if ci, _ := strconv.ParseBool(os.Getenv("CI")); ci {
			t.Fatal("no mariadb client on this machine: run make setup")
		}
		t.Skip("SKIPPED, NOT PASSED: no mariadb client on this machine: run make setup")
	}
	host, port, _ := strings.Cut(address, ":")
	out, err := exec.CommandContext(t.Context(), client, "--no-defaults", "--table", "--show-warnings", "--host="+host, "--port="+port,
		"--user=root", database, "--execute=SELECT number FROM invoices").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text := string(out)
	if n := strings.Count(text, "INV-"); n != 100 {
		t.Errorf("%d rows", n)
	}
	if want := "Warning (Code 61001): showing the first 100 rows; more rows exist"; !strings.Contains(text, want) {
		t.Errorf("%q is missing in the end of the output: %s", want, text[max(0, len(text)-400):])
	}
}
