package mysqlwire_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// TestServerFailsAmidColumns: MariaDB ends an answer with an error between the
// definitions of columns where its stack does, and goes on with the session.
func TestServerFailsAmidColumns(t *testing.T) {
	f := fake(t, func(c *rawClient, command []byte) bool {
		switch {
		case learned(c, command):
		case bytes.HasSuffix(command, []byte("SELECT 7")):
			c.write(packet.OK{Status: packet.StatusAutocommit}.Append(nil, 0))
		default:
			c.write([]byte{2})
			c.write(packet.Column{Name: []byte("n")}.Append(nil, 0))
			e := packet.Err{Code: 1436, State: "HY000", Message: "Thread stack overrun"}
			c.write(e.Append(nil))
		}
		return true
	})
	run := serve(t, f.addr, policy(3, 10))
	c := newWireSide(dialFake(t, run))
	ask(c.rawClient, "CALL deep(1, 255)")
	c.read()
	c.read()
	if e, err := packet.DecodeErr(c.read()); err != nil || e.Code != 1436 || !strings.Contains(e.Message, "overrun") {
		t.Fatalf("the error is %v, %v", e, err)
	}
	ask(c.rawClient, "SELECT 7")
	if got := c.answer(0); !strings.Contains(got, "ok") {
		t.Errorf("the session went on with %q", got)
	}
}
