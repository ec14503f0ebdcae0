package mysqlwire_test

import (
	"fmt"
	"strings"
	"testing"

	driver "github.com/go-sql-driver/mysql"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// TestPayloadsAtThePacketsEnd: a payload of 16 MiB − 1 fills its packet, and an empty
// packet follows it. Rows and texts of that length, of twice it and of one byte less are
// delivered, held back and counted alike.
func TestPayloadsAtThePacketsEnd(t *testing.T) {
	s := dbtest.MariaDB(t)
	run := serve(t, s.Addr(), policy(1, 0))
	c := connect(t, s, "", run, func(c *driver.Config) { c.MaxAllowedPacket = 64 << 20 })
	const full = 1<<24 - 1 // bytes of the payload of a packet
	for _, length := range []int{full - 1, full, 2 * full} {
		// A row is its value's length (4 bytes, or 9 from 16 MiB on) and its value.
		value := length - 4
		if value >= 1<<24 {
			value = length - 9
		}
		// The second row, which is as long, is the probe row and held back.
		text := fmt.Sprintf("SELECT REPEAT('x', %d) AS v UNION ALL SELECT REPEAT('y', %d)", value, value)
		for _, args := range [][]any{nil, {1}} {
			if args != nil {
				text = strings.Replace(text, "UNION", "WHERE 1 = ? UNION", 1) // prepared, binary rows
			}
			got := query(t, c, text, args...)
			if len(got) != value+1 || strings.Trim(got, "x\n") != "" {
				t.Errorf("a row of %d bytes: got %d", length, len(got))
			}
			if told := query(t, c, "SHOW COUNT(*) WARNINGS"); told != "1\n" {
				t.Errorf("a row of %d bytes: %q warnings", length, told)
			}
		}
		// COM_QUERY is a byte and its text.
		const start, end = "SELECT CHAR_LENGTH('", "')"
		body := length - 1 - len(start) - len(end)
		want(t, query(t, c, start+strings.Repeat("z", body)+end), fmt.Sprintf("%d\n", body))
	}
}
