package pgwire_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
	"pgregory.net/rapid"
)

// modelStep is what a client does between two rounds of a conversation: cancels and settings.
type modelStep struct {
	r    *raw
	addr string
	key  *pgproto3.BackendKeyData
	// watch is a session of its own that sees what the server runs.
	watch *pgx.Conn
	// off reports that standard_conforming_strings is.
	off bool
}

// login receives what a server says up to its first ReadyForQuery.
func (s *modelStep) login(t fataler) {
	for {
		message, err := s.r.front.Receive()
		if err != nil {
			t.Fatalf("%v", err)
		}
		switch message := message.(type) {
		case *pgproto3.BackendKeyData:
			key := *message
			s.key = &key
		case *pgproto3.ReadyForQuery:
			return
		}
	}
}

// cancel says a CancelRequest and waits until it was acted on, which its connection's end tells.
func (s *modelStep) cancel() error {
	b, err := (&pgproto3.CancelRequest{ProcessID: s.key.ProcessID, SecretKey: s.key.SecretKey}).Encode(nil)
	if err != nil {
		return err
	}
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := c.Write(b); err != nil {
		return err
	}
	if b, err = io.ReadAll(c); err == nil && len(b) > 0 {
		err = fmt.Errorf("a CancelRequest is answered by %x", b)
	}
	return err
}

// cancelBusy cancels once the server is seen to sleep.
func (s *modelStep) cancelBusy() error {
	const look = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep')"
	for by := time.Now().Add(10 * time.Second); time.Now().Before(by); time.Sleep(2 * time.Millisecond) {
		var sleeps bool
		if err := s.watch.QueryRow(s.r.t.Context(), look).Scan(&sleeps); err != nil {
			return err
		}
		if sleeps {
			return s.cancel()
		}
	}
	return errors.New("the server does not run the statement that is to be canceled")
}

// take does one step, and compares what comes back with what the model says.
func (s *modelStep) take(rt *rapid.T, m *model) {
	switch rapid.SampledFrom([]string{"none", "cancel idle", "cancel busy", "set", "reset", "read"}).Draw(rt, "step") {
	case "cancel idle":
		if err := s.cancel(); err != nil { // and nothing comes of it
			rt.Fatalf("%v", err)
		}
	case "cancel busy":
		s.busy(rt, m)
	case "set":
		s.set(rt, m, "SET standard_conforming_strings = off", "C SET", true)
	case "reset":
		s.set(rt, m, "RESET standard_conforming_strings", "C RESET", false)
	case "read":
		s.read(rt, m)
	}
}

// busy cancels a statement that the server is seen to run.
func (s *modelStep) busy(t *rapid.T, m *model) {
	sleep := &pgproto3.Query{String: "SELECT pg_sleep(30)"}
	delete(m.statements, "")
	delete(m.portals, "")
	if m.status == 'E' {
		m.fail("25P02")
		m.ready()
		s.ask(t, m, sleep)
		return
	}
	canceled := make(chan error, 1)
	go func() { canceled <- s.cancelBusy() }()
	m.say("T")
	m.fail("57014")
	m.ready()
	s.ask(t, m, sleep)
	if err := <-canceled; err != nil {
		t.Fatalf("%v", err)
	}
}

// set changes how the server reads strings. A block would take that back with it.
func (s *modelStep) set(t *rapid.T, m *model, text, tag string, off bool) {
	if m.status != 'I' {
		return
	}
	delete(m.statements, "")
	delete(m.portals, "")
	m.say("%s", tag)
	m.ready()
	s.ask(t, m, &pgproto3.Query{String: text})
	s.off = off
}

// read says a text that has a limit only where a backslash goes with the quote behind it.
func (s *modelStep) read(t *rapid.T, m *model) {
	if m.status != 'I' {
		return
	}
	delete(m.statements, "")
	delete(m.portals, "")
	st := &modelStatement{word: "SELECT", rows: 9, limit: -1}
	if s.off {
		st.limit = 2
		m.say("N 22P06") // nonstandard use of a backslash
	}
	m.say("T")
	m.execute(m.portal(st), 0)
	m.ready()
	s.ask(t, m, &pgproto3.Query{String: `SELECT n FROM r9 WHERE '\' <> ' IS NOT NULL LIMIT 2 -- '`})
}

func (s *modelStep) ask(t *rapid.T, m *model, message pgproto3.FrontendMessage) {
	s.r.SetDeadline(time.Now().Add(20 * time.Second))
	exchange(t, s.r, []pgproto3.FrontendMessage{message}, 0, m.out)
	m.out = nil
}
