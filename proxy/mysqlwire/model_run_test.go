package mysqlwire_test

import (
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/internal/sqlgen"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// modelMost and modelMax are the caps of the tests of the model: of a statement without a
// limit, and of one with it.
const modelMost, modelMax = 3, 4

// modelOptions are capabilities that a server may have, and modelCarried those that a door
// lets both sides agree on.
var (
	modelOptions = []packet.Capabilities{packet.DeprecateEOF, packet.MultiStatements, packet.SessionTrack, packet.QueryAttributes, packet.OptionalResultsetMetadata,
		packet.ConnectAttrs, packet.PluginAuthLenenc, packet.LongPassword, packet.Compress, packet.ZstdCompression, packet.CapabilityExtension,
		packet.MariaDBProgress | packet.MariaDBCacheMetadata, packet.MariaDBExtendedMetadata, packet.MariaDBComMulti, packet.MariaDBBulkOperations, 1 << 60}
	modelCarried = packet.DeprecateEOF | packet.MultiStatements | packet.SessionTrack | packet.QueryAttributes | packet.OptionalResultsetMetadata |
		packet.ConnectAttrs | packet.PluginAuthLenenc | packet.LongPassword | packet.MariaDBProgress | packet.MariaDBCacheMetadata | packet.MariaDBExtendedMetadata | packet.MariaDBBulkOperations
)

func optionsOf(bits uint16) (c packet.Capabilities) {
	for i, one := range modelOptions {
		if bits>>i&1 != 0 {
			c |= one
		}
	}
	return c
}

// FuzzAnswers has a client that wants any capabilities say any commands to a server that has
// any, and is the model without a cap. What it gets through the door is what a client gets that
// speaks to the model with the cap and has what a door can carry of the capabilities: packet
// for packet, with their numbers.
func FuzzAnswers(f *testing.F) {
	for i := range modelTexts() {
		f.Add([]byte{0, byte(i), 0, 3, byte(i), 0, 4, 0, 0, 4, 0, 1, 5, 0, 2, 5, 0, 2, 5, 0, 9, 2, byte(i), 7, 1, byte(i), 8, 0, 0, 0}, uint16(0x83|i<<2), ^uint16(0))
	}
	f.Add([]byte{3, 20, 0, 4, 0, 1, 5, 0, 3, 5, 0, 1, 6, 0, 0, 5, 0, 1, 4, 0, 0, 7, 0, 0, 4, 0, 0, 8, 0, 0, 4, 0, 0}, uint16(0xff), uint16(0xff))
	f.Add([]byte{2, 0, 8, 2, 12, 1, 2, 3, 13, 2, 20, 4, 0, 0, 0}, uint16(2), uint16(2))
	f.Add([]byte{2, 5, 8, 0, 3, 0}, ^uint16(0x80), ^uint16(0))
	nobody := &dbtest.Server{User: "u", Password: "p"}
	f.Fuzz(func(t *testing.T, said []byte, server, client uint16) {
		offers, wants := optionsOf(server), optionsOf(client)
		door := serve(t, modelServer(t, model{}, offers).addr, policy(modelMost, modelMax))
		through, _ := commands(t, nobody, door.addr, "", wants, said, manner{})
		model, asked := commands(t, nobody, modelServer(t, model{most: modelMost, max: modelMax}, offers&modelCarried).addr, "", wants, said, manner{})
		if through != model {
			t.Fatalf("%s\ngot\n%s\nwant\n%s", asked, through, model)
		}
	})
}

// TestModel draws commands for real servers: straight they answer as the model without a cap
// does, so that the model is one of MySQL, and through the door as the model with it.
func TestModel(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server) {
		database := s.Database(t)
		s.SQL(t, database, modelSchema())
		if s.Flavor == dbtest.FlavorMySQL {
			warmLogin(t, s)
		}
		door := serve(t, s.Addr(), policy(modelMost, modelMax))
		kill, cursorFault := killer(t, s), s.Flavor == dbtest.FlavorMySQL
		sqlgen.Check(t, 10*time.Second, func(rt *rapid.T) {
			said := rapid.SliceOfN(rapid.Byte(), 3, 60).Draw(rt, "said")
			want := packet.MultiStatements
			if s.Flavor == dbtest.FlavorMySQL {
				want |= packet.LongPassword
			}
			if rapid.Bool().Draw(rt, "modern") {
				want |= packet.DeprecateEOF
			}
			for _, side := range []struct {
				addr      string
				most, max int
			}{{s.Addr(), 0, 0}, {door.addr, modelMost, modelMax}} {
				real, _ := commands(t, s, side.addr, database, want, said, manner{kill, cursorFault})
				if side.most > 0 {
					door.wait(t)
				}
				like := model{most: side.most, max: side.max}
				model, asked := commands(t, &dbtest.Server{User: "u", Password: "p"}, modelServer(t, like, want).addr, "", want, said, manner{cursorFault: cursorFault})
				if real != model {
					rt.Fatalf("under the cap %d\n%s\nthe server\n%s\nthe model\n%s", side.most, asked, real, model)
				}
			}
		})
	})
}

// modelSchema makes the tables of the model.
func modelSchema() string {
	sql := "DELIMITER //\nCREATE PROCEDURE p() BEGIN SELECT n FROM r3; SELECT n FROM r9; END//\nDELIMITER ;\n"
	for rows := range 10 {
		sql += fmt.Sprintf("CREATE TABLE r%d (n INT); CREATE TABLE b%[1]d (n INT); CREATE VIEW f%[1]d AS SELECT CASE WHEN n > %[1]d THEN 9223372036854775807 + n ELSE n END AS n FROM b%[1]d;", rows)
		for n := 1; n <= rows+5; n++ {
			if n <= rows {
				sql += fmt.Sprintf("INSERT INTO r%d VALUES (%d);", rows, n)
			}
			sql += fmt.Sprintf("INSERT INTO b%d VALUES (%d);", rows, n)
		}
	}
	return sql
}

// manner is how commands are said to a server.
type manner struct {
	// kill kills the statement that a session is at, by the session's number.
	kill func(id uint32) error
	// cursorFault reports a server that answers OK, and no rows, to an execution without a
	// cursor of a statement that was first executed with one (MySQL 9.7.4).
	cursorFault bool
}

// commands says what said stands for, three bytes for each command, and returns the
// answers as text without the words of errors, and the commands.
func commands(t *testing.T, s *dbtest.Server, addr, database string, caps packet.Capabilities, said []byte, m manner) (answers, asked string) {
	t.Helper()
	c := newWireSide(dialRaw(t, s, addr, database, caps))
	defer c.conn.Close()
	texts := modelTexts()
	var got, log strings.Builder
	fmt.Fprintf(&got, "capabilities %x\n", c.caps)
	open := map[uint32]bool{}    // statements whose cursor is open
	cursors := map[uint32]bool{} // statements that were executed, and whether by a cursor the first time
	for count := 0; len(said) >= 3 && count < 30; said, count = said[3:], count+1 {
		if strings.Contains(got.String(), " closed\n") {
			t.Fatalf("%s\nanswered is\n%s", log.String(), got.String())
		}
		x, y := int(said[1]), int(said[2])
		first, second := texts[x%len(texts)], texts[y%len(texts)]
		id := uint32(1 << 30) // that there is none of
		if x%4 < len(c.ids) {
			id = c.ids[x%4]
		}
		command := func(kind packet.Command, rest string) {
			fmt.Fprintf(&log, "%v %q\n", kind, rest)
			c.command(append([]byte{byte(kind)}, rest...))
		}
		// plain reads an answer without its number of warnings: MySQL tells of the statement's
		// before, MariaDB does not.
		plain := func() {
			before, _, _ := strings.Cut(c.answer(0), " warnings=")
			fmt.Fprintf(&got, "%s\n", before)
		}
		number := func(n uint32) string { return string(binary.LittleEndian.AppendUint32(nil, n)) }
		c.opens = false
		switch said[0] % 13 {
		case 0, 1:
			command(packet.ComQuery, string(packet.NoAttributes(c.caps))+first)
			got.WriteString(c.answer(0))
		case 2:
			command(packet.ComQuery, string(packet.NoAttributes(c.caps))+first+"; "+second)
			got.WriteString(c.answer(0))
		case 3:
			if !strings.Contains(first, "SELECT") {
				continue // which others a server prepares depends on its version
			}
			command(packet.ComStmtPrepare, first)
			got.WriteString(c.prepared())
		case 4:
			flags := byte(y % 2)
			if cursors[id] && flags == 0 && m.cursorFault {
				continue
			}
			c.opens = flags != 0
			if _, ok := cursors[id]; !ok {
				cursors[id] = c.opens
			}
			command(packet.ComStmtExecute, string(packet.Execute{StatementID: id, Flags: flags, Iterations: 1}.Append(nil, c.caps)[1:]))
			answer := c.answer(id)
			open[id] = strings.Contains(answer, " cursor")
			got.WriteString(answer)
		case 5:
			if !open[id] {
				continue
			}
			command(packet.ComStmtFetch, number(id)+number(uint32(y%6)))
			var page strings.Builder
			c.rows(&page, c.cached[id], id)
			open[id] = strings.Contains(page.String(), " cursor")
			got.WriteString(page.String())
		case 6:
			command(packet.ComStmtReset, number(id))
			open[id] = false
			got.WriteString(c.answer(0))
		case 7:
			command(packet.ComStmtClose, number(id))
			open[id] = false
		case 8:
			command(packet.ComResetConnection, "")
			clear(open)
			got.WriteString(c.answer(0))
		case 9:
			command(packet.ComPing, "")
			plain()
		case 10:
			command(packet.ComSetOption, string([]byte{byte(y % 2), 0}))
			plain()
		case 11:
			sets := modelSets()
			command(packet.ComQuery, string(packet.NoAttributes(c.caps))+sets[x%len(sets)])
			got.WriteString(c.answer(0))
		case 12:
			if said[0] < 200 {
				continue // seldom, as it takes its time
			}
			killed := make(chan error, 1)
			go func() {
				if m.kill == nil {
					killed <- nil
				} else {
					killed <- m.kill(c.id)
				}
			}()
			command(packet.ComQuery, string(packet.NoAttributes(c.caps))+"SELECT MAX(n + SLEEP(30)) FROM r9 LIMIT 1")
			got.WriteString(c.answer(0))
			if err := <-killed; err != nil {
				t.Fatalf("%v\n%s\nanswered is\n%s", err, log.String(), got.String())
			}
		}
	}
	c.command([]byte{byte(packet.ComQuit)})
	for line := range strings.Lines(got.String()) {
		if before, rest, failed := strings.Cut(line, " err "); failed {
			words := strings.Fields(rest)
			line = fmt.Sprintf("%s err %s %s\n", before, words[0], words[1])
		}
		answers += line
	}
	return answers, log.String()
}

// killer returns what kills the statement of a session once the server is seen to sleep in it.
func killer(t *testing.T, s *dbtest.Server) func(id uint32) error {
	db, err := sql.Open("mysql", s.DSN("mysql"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return func(id uint32) error {
		const look = "SELECT COUNT(*) FROM information_schema.processlist WHERE id = ? AND state = 'User sleep'"
		for by := time.Now().Add(10 * time.Second); time.Now().Before(by); time.Sleep(2 * time.Millisecond) {
			var sleeps int
			if err := db.QueryRow(look, id).Scan(&sleeps); err != nil {
				return err
			}
			if sleeps > 0 {
				_, err := db.Exec(fmt.Sprintf("KILL QUERY %d", id))
				return err
			}
		}
		return errors.New("the server does not run the statement that is to be killed")
	}
}
