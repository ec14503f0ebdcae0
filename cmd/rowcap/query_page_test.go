package main

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
)

// screen is a terminal's side of standard error.
type screen struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func TestRunning(t *testing.T) {
	var s screen
	done := running(&s, true, time.Millisecond)
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(s.text(), "rowcap: running for 0s"); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nothing is shown")
		}
	}
	done()
	if !strings.HasSuffix(s.text(), "\r\x1b[K") {
		t.Errorf("the line is left: %q", s.text())
	}
	var quick, file screen
	running(&quick, true, time.Hour)()
	done = running(&file, false, time.Nanosecond)
	time.Sleep(time.Millisecond)
	done()
	if quick.text() != "" || file.text() != "" {
		t.Errorf("%q %q", quick.text(), file.text())
	}
}
