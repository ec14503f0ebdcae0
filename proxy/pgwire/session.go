package pgwire

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/socket"
	"github.com/rowcap/rowcap/rewrite"
)

// Time limits of a session's last acts.
const (
	farewellTimeout = 2 * time.Second
	lingerTimeout   = time.Second
)

// session is one client with its connection to the upstream.
type session struct {
	door           *Door
	client, server net.Conn
	loop           *socket.Loop // of both, nil if there is none
	// rewriter reads statements as the session's settings have it.
	rewriter atomic.Pointer[rewrite.Rewriter]

	// up carries the client's messages. It and what follows up to left belong to
	// the goroutine of requests.
	up      *pipe
	segment segment
	// discard says that the client's messages are dropped until a Sync.
	discard bool
	// unsynced says that since the last Sync messages came after whose failing the server
	// drops all up to the next one.
	unsynced bool
	// running says that it is known that the session has started.
	running bool
	footing footing
	// left says that the server was sent the client's Terminate.
	left atomic.Bool

	// down carries the server's answers. The goroutine of replies reads into it
	// without mu and does everything else with it.
	down *pipe

	// mu guards what follows, and writing to the client: whoever holds it finds
	// the client's stream as far as the queue has been answered.
	mu    sync.Mutex
	moved sync.Cond // the queue got shorter, the start is over, or the session has ended
	queue queue
	entry expected // while it is put into queue
	// skip says that the server drops messages until a Sync, after an error.
	skip bool
	// muted says that the rest of the answers up to ReadyForQuery is dropped.
	muted bool
	// copying says that the server reads a COPY … FROM STDIN whose end the
	// client has not sent yet; loose is how many Syncs were sent meanwhile.
	copying bool
	loose   int
	answer  answer
	tables  tables
	started bool
	start   start
	status  byte   // of the last ReadyForQuery: I, T or E
	wide    bool   // the client's encoding is UTF-8
	last    string // the value of rowcap.last
	told    bool   // the client got rowcap's last word
	facts   facts  // what last says
	// exceeded is the error of an answer that had too many rows, until the server
	// was made to fail.
	exceeded *fault
	fatal    bool // the client got the server's own last word
	parting  bool // the server's last words are read
	ended    bool
	err      error

	forget  func()      // has the end of the context concern the session no more
	closing atomic.Bool // the context of Serve is done
	over    atomic.Bool // the time to end after that is over
}

func newSession(d *Door, client net.Conn) *session {
	l := socket.PickLoop()
	client = l.Adopt(client)
	if _, plain := client.(*socket.Looped); !plain {
		l = nil // what is sent to it may wait in a layer, and the loop would be left each time
	}
	s := &session{door: d, loop: l, client: client, status: 'I', wide: true}
	s.moved.L = &s.mu
	s.up = newPipe(client, nil)
	s.up.check, s.up.gathers = s.checkHeader, gathered
	s.down = newPipe(nil, client)
	s.up.resumes, s.down.resumes = s.resumes, s.resumes
	s.up.eager, s.down.eager = true, true // until the session has started
	s.down.check = checkStart
	s.rewriter.Store(d.Rewriter)
	s.tables.clear()
	return s
}

// connect adds the upstream. It reports false if the session ended meanwhile.
func (s *session) connect(server net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	server = s.loop.Adopt(server)
	s.server = server
	s.up.between(s.client, server)
	s.down.between(server, s.client)
	return !s.ended
}

// refuse ends a session that did not come to run. It returns err.
func (s *session) refuse(err error) error {
	s.mu.Lock()
	if f := (*fault)(nil); errors.As(err, &f) {
		s.tell(f)
	}
	s.end(err)
	told, err := s.told, s.err
	s.mu.Unlock()
	if told {
		linger(s.client)
	}
	return err
}

// run carries the session after the startup packet was read. The frames of what
// happens before and after the goroutines wait are not on the stack meanwhile, which
// is what most of the memory of a session that waits is.
func (s *session) run(packet []byte) error {
	done := s.opens(packet)
	defer socket.Unwatch(s)
	return s.ends(s.requests(), done)
}

// opens starts the goroutine of the replies; done is closed when it has ended.
func (s *session) opens(packet []byte) (done chan struct{}) {
	s.mu.Lock()
	s.queue.push(&expected{kind: expectStartup})
	s.await()
	s.mu.Unlock()
	if s.up.socket != nil || s.down.socket != nil {
		socket.Watch(s)
	}
	s.up.put(packet)
	done = make(chan struct{})
	if s.down.looped != nil {
		s.down.begin(s.batch, func() { go s.answered(done) })
	} else {
		go s.answers(done)
	}
	return done
}

// answers is the goroutine of the replies, where no loop carries them.
func (s *session) answers(done chan struct{}) {
	defer s.answered(done)
	defer func() {
		if v := recover(); v != nil {
			s.down.failed, s.down.unread = proxy.Recovered(v), nil
		}
	}()
	s.down.failed, s.down.unread = s.down.carry(s.batch)
}

// answered ends the session after the server's side of it ended.
func (s *session) answered(done chan struct{}) {
	defer close(done)
	s.fail(s.replied())
}

// ends ends the session after the client's side of it ended with err.
func (s *session) ends(err error, done <-chan struct{}) error {
	if lost := (upstreamLost{}); errors.As(err, &lost) {
		// The other goroutine reads the server's last words and tells the client.
		s.mu.Lock()
		s.parting = true
		s.server.SetReadDeadline(time.Now().Add(farewellTimeout))
		s.mu.Unlock()
		<-done
	}
	s.fail(err)
	s.terminate()
	<-done
	s.mu.Lock()
	told, err := s.told || s.fatal, s.err
	s.mu.Unlock()
	if told {
		linger(s.client)
	}
	return err
}

// fail ends the session because of err, which the client is told if it is a
// fault. A client that was given no more time to read is not to blame.
func (s *session) fail(err error) {
	s.client.SetWriteDeadline(time.Now().Add(farewellTimeout))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over.Load() && errors.As(err, new(gone)) {
		err = cutShort()
	}
	if f := (*fault)(nil); errors.As(err, &f) && !s.ended {
		s.tell(f)
	}
	s.end(err)
}

// tell writes rowcap's last word to the client, if the stream is where a
// message may begin and no last word was said. mu is held.
func (s *session) tell(f *fault) {
	if s.told || s.fatal || s.ended || !s.down.whole {
		return
	}
	s.told = true
	s.client.SetWriteDeadline(time.Now().Add(farewellTimeout))
	s.client.Write(f.appendTo(nil, s.plain))
}

// end marks the session as over and wakes both goroutines; the first cause is
// what Serve returns. mu is held.
func (s *session) end(err error) {
	if s.ended {
		return
	}
	s.ended, s.err = true, err
	s.client.SetReadDeadline(time.Unix(1, 0))
	if s.server != nil {
		s.server.SetWriteDeadline(time.Now().Add(lingerTimeout))
	}
	s.moved.Broadcast()
}

// terminate takes leave of the server. Nothing else writes to it any more. The
// protocol has no Terminate during the start-up.
func (s *session) terminate() {
	s.mu.Lock()
	started := s.started
	s.mu.Unlock()
	if started && s.up.whole && !s.left.Load() {
		s.server.Write([]byte{'X', 0, 0, 0, 4})
	}
	s.server.Close()
}

// shutdown is called when the context of Serve is done. A session that is idle
// or has not started ends at once, a busy one when what it is about has been
// answered.
func (s *session) shutdown() {
	s.closing.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endIfIdle()
}

// cutShort is called when the time to end after a shutdown is over.
func (s *session) cutShort() {
	s.over.Store(true)
	s.fail(cutShort())
}

// endIfIdle ends the session if it is to end and nothing is being answered. mu
// is held.
func (s *session) endIfIdle() {
	if s.closing.Load() && (s.queue.len() == 0 || !s.started) {
		s.tell(shuttingDown())
		s.end(nil)
	}
}
