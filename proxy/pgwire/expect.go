package pgwire

// expectation is what one message of the client makes the server answer.
type expectation uint8

const (
	// expectStartup: authentication, and all up to the first ReadyForQuery.
	expectStartup expectation = iota
	// expectQuery: answers, then ReadyForQuery.
	expectQuery
	// expectFunction: FunctionCallResponse, then ReadyForQuery.
	expectFunction
	// expectParse: ParseComplete.
	expectParse
	// expectBind: BindComplete.
	expectBind
	// expectDescribe: RowDescription or NoData, for a statement after
	// ParameterDescription.
	expectDescribe
	// expectExecute: one answer, or a page of one.
	expectExecute
	// expectClose: CloseComplete.
	expectClose
	// expectSync: ReadyForQuery.
	expectSync
	// expectRefusal: nothing, as nothing was sent; the answer is rowcap's own.
	expectRefusal
	// expectCopyEnd: nothing; the client ended a COPY … FROM STDIN here.
	expectCopyEnd
)

var expectationNames = [...]string{"the startup packet", "Query", "FunctionCall", "Parse", "Bind", "Describe", "Execute",
	"Close", "Sync", "a refused message", "the end of a COPY"}

func (e expectation) String() string { return expectationNames[e] }

// expected is one entry of the queue.
type expected struct {
	kind expectation
	// name is the statement of a Parse, the portal of a Bind or Execute, and
	// either for a Close or Describe, where target says which.
	name   string
	target byte
	// from is the statement of a Bind.
	from string
	// query is what was planned for a Query.
	query *query
	// parsed is what was planned for a Parse.
	parsed *statement
	// portal is the portal of a Bind, and of an Execute if it is known.
	portal *portal
	// asked and sent are the row counts of an Execute as the client wrote and
	// as rowcap sent it; 0 is all.
	asked, sent uint32
	// fail is the error in place of the server's own. On an expectRefusal it is
	// the whole answer.
	fail *fault
	// quiet says that the client did not send the message and gets no answer to it,
	// and hushed that it gets no error either.
	quiet, hushed bool
	// held says that an Execute's answer ends with an error if rows are missing.
	held bool
	// ready says that ReadyForQuery follows the error of an expectRefusal.
	ready bool
}

// queueLimit bounds the queue. It is well above the number of answers that a
// server keeps in its buffer until a Sync or Flush, or else both sides would
// wait for ever.
const queueLimit = 1 << 15

// queue holds what the server still has to answer, in the order of the client's
// messages.
type queue struct {
	items []expected
	head  int
	// ends is the number of entries after which a ReadyForQuery comes.
	ends int
	// refusals is the number of entries that rowcap itself answers.
	refusals int
	// more is 1 while a Query is sent in parts and the last has not been put in.
	more int
}

// len is 0 if nothing is to be answered.
func (q *queue) len() int { return len(q.items) - q.head + q.more }

func (e *expected) endsSegment() bool {
	return e.kind == expectSync || e.kind == expectQuery || e.kind == expectFunction || e.kind == expectStartup
}

func (q *queue) push(e *expected) {
	if e.endsSegment() {
		q.ends++
	}
	if e.kind == expectRefusal {
		q.refusals++
	}
	q.items = append(q.items, *e)
}

// front returns the first entry, nil if there is none. A copy's end that stands
// first belongs to no copy: the server ignores it.
func (q *queue) front() *expected {
	for q.head < len(q.items) && q.items[q.head].kind == expectCopyEnd {
		q.pop()
	}
	if q.head == len(q.items) {
		return nil
	}
	return &q.items[q.head]
}

func (q *queue) pop() {
	e := &q.items[q.head]
	if e.endsSegment() {
		q.ends--
	}
	if e.kind == expectRefusal {
		q.refusals--
	}
	*e = expected{}
	q.head++
	switch {
	case q.head == len(q.items):
		q.items, q.head = q.items[:0], 0
		if cap(q.items) > 1024 {
			q.items = nil
		}
	case q.head >= 1024 && q.head*2 >= len(q.items):
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
}

// skipToSync drops entries until a Sync is first, as the server does with the
// messages after an error. It returns whether there is one.
func (q *queue) skipToSync() bool {
	for e := q.front(); e != nil; e = q.front() {
		if e.kind == expectSync {
			return true
		}
		q.pop()
	}
	return false
}

// takeCopy removes the Syncs that stand between the first entry and the next
// end of a copy, which the server ignores, and that end. It returns how many
// Syncs there were and whether the end was found.
func (q *queue) takeCopy() (syncs int, ended bool) {
	kept := q.items[:q.head+1]
	for i := q.head + 1; i < len(q.items); i++ {
		e := q.items[i]
		switch {
		case ended:
		case e.kind == expectSync:
			syncs++
			q.ends--
			continue
		case e.kind == expectCopyEnd:
			ended = true
			continue
		}
		kept = append(kept, e)
	}
	clear(q.items[len(kept):])
	q.items = kept
	return syncs, ended
}
