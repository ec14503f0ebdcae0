package socket

import (
	"io"
	"sync"
)

// Work is what is done for a socket that a loop waits for: whoever carries what the
// socket gives has one, and calls LeaveLoop before it does what may take long. Where no
// loop is at it, as its zero value, its calls just do what they say.
type Work struct {
	ready func(fd uintptr) (done bool)
	ended func()
	// on is the loop while the goroutine that has it is at the Work.
	on *Loop
	// full is how many reads filled the buffer, planned how many bytes of texts were
	// planned, since the goroutine that has the loop came to the Work.
	full, planned int
}

// What is done in one turn of the loop, while others wait.
const (
	turnReads = 2
	turnTexts = 2 << 10
)

// Begin has the loop call ready when there may be something to read, or a deadline has
// passed, and for the first time now. ready reads until nothing is there, or until a read did
// not fill the buffer and c is not Hung, and returns false to wait for more. After it has
// returned true, ended is called in the same goroutine, and does not wait for anything.
func (w *Work) Begin(c *Looped, ready func(fd uintptr) (done bool), ended func()) {
	w.ready, w.ended = ready, ended
	c.work.Store(w)
	c.kick()
}

// LeaveLoop has another goroutine serve the loop. It is called before whatever may
// take long: from then on the goroutine serves this Work only, and ends when nothing is
// left to be read.
func (w *Work) LeaveLoop() {
	if l := w.on; l != nil {
		w.on = nil
		go l.run()
	}
}

// Streams notes that a read filled the buffer.
func (w *Work) Streams() {
	if w.full++; w.full > turnReads {
		w.LeaveLoop()
	}
}

// Plans notes that a text of some bytes is going to be planned, which may have to parse
// it.
func (w *Work) Plans(bytes int) {
	if w.planned += bytes; w.planned > turnTexts {
		w.LeaveLoop()
	}
}

// Lock locks mu, which a goroutine may hold that waits.
func (w *Work) Lock(mu *sync.Mutex) {
	if !mu.TryLock() {
		w.LeaveLoop()
		mu.Lock()
	}
}

// Receive reads what comes next on c, the socket of this Work.
func (w *Work) Receive(c *Looped, b []byte) (int, error) {
	n, err := c.ReadOnce(c.fd, b)
	if err != ErrWait {
		return n, err
	}
	w.LeaveLoop()
	return c.Read(b)
}

// Send writes all of b to out.
func (w *Work) Send(out io.Writer, b []byte) error {
	if c, ok := out.(*Looped); ok {
		n, err := c.try(b)
		if err != nil || n == len(b) {
			return err
		}
		b = b[n:]
	}
	w.LeaveLoop()
	_, err := out.Write(b)
	return err
}
