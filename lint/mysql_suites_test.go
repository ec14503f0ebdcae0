package lint_test

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/go-sql-driver/mysql"
	"github.com/rowcap/rowcap/internal/corpus"
	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

// TestMySQLSuites looks at the statements of MySQL's and MariaDB's own test suites:
// what is found is what the door plans, and the server itself judges every statement that
// cannot be read.
func TestMySQLSuites(t *testing.T) {
	for _, suite := range []struct {
		name, main string
		server     func(testing.TB) *dbtest.Server
	}{{"mysql", "t", dbtest.MySQL}, {"mariadb", "main", dbtest.MariaDB}} {
		t.Run(suite.name, func(t *testing.T) {
			folder := dbtest.Suite(t, suite.name)
			files, err := corpus.MySQLFiles(folder, suite.main)
			if err != nil {
				t.Fatal(err)
			}
			server := suite.server(t)
			r, l := both(t, suite.name, rewrite.DefaultPolicy(), [2]string{"server_version", server.Version})
			db, err := sql.Open("mysql", server.DSN(server.Database(t)))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			conn, err := db.Conn(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			seen := map[string]bool{}
			read, statements, encodings, unread, refused, rejected, taken := 0, 0, 0, 0, 0, 0, map[string]int{}
			for i, file := range files {
				if !*all && i%25 != 0 {
					continue
				}
				read++
				for text := range corpus.Statements(folder, file) {
					if seen[text] {
						continue
					}
					seen[text] = true
					if !utf8.ValidString(text) {
						encodings++
						continue
					}
					plans := r.Script(text, rewrite.Ask{}).Plans
					if len(plans) != l.Text("x.sql", text).Statements && refusal(conn, text) != nil {
						continue // nobody can tell where its statements end
					}
					statements += compare(t, l, r, text)
					for _, f := range l.Text("x.sql", text).Findings {
						if f.Rule.Name != "rejected-limit" {
							continue
						}
						rejected++
						if st, err := conn.PrepareContext(context.Background(), text); err == nil {
							st.Close()
							t.Errorf("%s: the server takes %.300q, and there is found at %d: %s", file, text, f.Start.Offset, f.Message)
						}
					}
					for _, p := range plans {
						st := p.Statement
						if st.Kind != rewrite.KindUnknown {
							continue
						}
						unread++
						if err := refusal(conn, st.Text); err != nil {
							refused++
							continue
						}
						if taken[st.Obstacle]++; *all {
							t.Logf("%s: %.300q: %s", file, st.Text, st.Obstacle)
						}
					}
				}
			}
			t.Logf("%d limits are found to be rejected", rejected)
			t.Logf("%d of %d files, %d statements, %d in other encodings; %d cannot be read, of which the server refuses %d, and accepts by why: %v",
				read, len(files), statements, encodings, unread, refused, taken)
			const doubtful = "the parsers cannot read the statement"
			if statements < 5_000 || taken[doubtful]*500 > statements {
				t.Errorf("%d statements, and %d are found to be errors that the server can read", statements, taken[doubtful])
			}
		})
	}
}

// accepted are the errors with which a server refuses what its parser took: there is no
// such table, column, database, function, view or user, or the protocol of prepared
// statements does not have it.
var accepted = []uint16{1146, 1054, 1049, 1305, 1109, 1051, 1295, 1046, 1227, 1356, 1410, 1286, 1193, 1243, 4091}

// refusal is why the server cannot read a statement, nil if it can.
func refusal(conn *sql.Conn, text string) error {
	st, err := conn.PrepareContext(context.Background(), text)
	if err == nil {
		st.Close()
		return nil
	}
	var said *mysql.MySQLError
	if errors.As(err, &said) && slices.Contains(accepted, said.Number) {
		return nil
	}
	return err
}
