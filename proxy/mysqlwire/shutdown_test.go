package mysqlwire_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
)

func TestShutdown(t *testing.T) {
	s := dbtest.MariaDB(t)
	run := serve(t, s.Addr(), policy(3, 10))
	c := connect(t, s, "", run, nil)
	busy := connect(t, s, "", run, nil)
	want(t, query(t, c, "SELECT 7"), "7\n")
	answer := make(chan string, 1)
	go func() {
		rows, err := busy.QueryContext(context.Background(), "SELECT SLEEP(1)")
		if err != nil {
			answer <- err.Error()
			return
		}
		text, err := readResults(rows)
		answer <- fmt.Sprint(text, err)
	}()
	time.Sleep(300 * time.Millisecond)
	run.stop()
	if err := run.wait(t); err != nil {
		t.Errorf("the idle session ended with %v", err)
	}
	want(t, <-answer, "0\n<nil>")
	if err := run.wait(t); err != nil {
		t.Errorf("the busy session ended with %v", err)
	}
}
