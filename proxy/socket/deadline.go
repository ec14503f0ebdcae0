package socket

import (
	"sync"
	"sync/atomic"
	"time"
)

// deadline is a time that may be set while somebody waits for it.
type deadline struct {
	// passed says that the time is over.
	passed atomic.Bool

	mu    sync.Mutex
	timer *time.Timer
	turn  int           // how often it was set
	over  chan struct{} // closed when passed becomes true, nil if nobody has waited
}

// set sets the time, the zero time for none. passes, unless it is nil, is called when
// the time is over.
func (d *deadline) set(t time.Time, passes func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.turn++
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	switch left := time.Until(t); {
	case t.IsZero():
		d.later()
	case left <= 0:
		d.pass(passes)
	default:
		d.later()
		mine := d.turn
		d.timer = time.AfterFunc(left, func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			if d.turn == mine {
				d.pass(passes)
			}
		})
	}
}

// pass says that the time is over. mu is held.
func (d *deadline) pass(passes func()) {
	if !d.passed.Swap(true) && d.over != nil {
		close(d.over)
	}
	if passes != nil {
		passes()
	}
}

// later says that the time is not over. mu is held.
func (d *deadline) later() {
	if d.passed.Swap(false) && d.over != nil {
		d.over = nil
	}
}

// wait returns what is closed when the time is over. While one waits, the time may be
// put off or taken away; what was closed stays so.
func (d *deadline) wait() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over == nil {
		d.over = make(chan struct{})
		if d.passed.Load() {
			close(d.over)
		}
	}
	return d.over
}
