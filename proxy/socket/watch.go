package socket

import (
	"sync"
	"time"
)

// lookEvery is how often the sessions are looked at.
const lookEvery = 500 * time.Millisecond

// Session is what Watch looks at.
type Session interface {
	// Look wakes the goroutines that wait for what has come already.
	Look()
}

// watch looks at sessions whose sockets are read until a read does not fill the
// buffer. The poller tells of changes only: where the end of the stream came
// together with the last data, a read that took the data has been all that it told
// of, and nobody would come back for the end.
type watch struct {
	mu       sync.Mutex
	sessions map[Session]struct{}
	timer    *time.Timer
}

var watched = watch{sessions: map[Session]struct{}{}}

// Watch has s looked at twice a second until Unwatch. Sessions whose sockets are all
// Looped need it not: a loop is told of the end of the stream.
func Watch(s Session) {
	w := &watched
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sessions[s] = struct{}{}
	switch {
	case len(w.sessions) > 1:
	case w.timer == nil:
		w.timer = time.AfterFunc(lookEvery, w.look)
	default:
		w.timer.Reset(lookEvery)
	}
}

// Unwatch ends what Watch began, if it did.
func Unwatch(s Session) {
	w := &watched
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.sessions, s)
	if len(w.sessions) == 0 && w.timer != nil {
		w.timer.Stop()
	}
}

func (w *watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for s := range w.sessions {
		s.Look()
	}
	if len(w.sessions) > 0 {
		w.timer.Reset(lookEvery)
	}
}
