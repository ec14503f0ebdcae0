package pgwire

import "github.com/rowcap/rowcap/rewrite"

// footing says whether the settings by which texts are read are known. The server
// reports their changes before a ReadyForQuery, and not earlier. It belongs to the
// goroutine of requests.
type footing struct {
	// doubt says that something was sent that may change them, and that its
	// ReadyForQuery has not been waited for.
	doubt bool
	// open says that this ReadyForQuery has not been asked for yet.
	open bool
	// dirty says that the transaction may hold such a change, which its end
	// may undo.
	dirty bool
	// unseen says that a statement was prepared that may change them, so that an
	// Execute of which nothing is known may be one.
	unseen bool
	// stores says that a CREATE TABLE AS EXECUTE was prepared.
	stores bool
}

// unsettles reports a statement that may change the settings.
func unsettles(st *rewrite.Statement) bool {
	return st.Unsettles || st.Kind == rewrite.KindUnknown
}

// read plans a text as the server will read it. While that cannot be known, the
// text is not read: it runs as it is, and its rows are counted.
func (s *session) read(text string) (rewrite.Script, error) {
	f := &s.footing
	if f.doubt && !f.open {
		drained, err := s.drain()
		if err != nil {
			return rewrite.Script{}, err
		}
		f.doubt = !drained
		s.mu.Lock()
		f.dirty = f.dirty && s.status != 'I'
		s.mu.Unlock()
	}
	r := s.rewriter.Load()
	if f.doubt {
		return r.Unread(text, "a statement before it in the pipeline may change how it is read"), nil
	}
	script := r.Script(text, rewrite.Ask{})
	for i := range script.Plans {
		st := &script.Plans[i].Statement
		f.unseen = f.unseen || unsettles(st)
		f.stores = f.stores || stores(st)
	}
	return script, nil
}

// runs notes that a statement is sent to be run, nil if nothing is known of it. open
// says that it is part of a segment that goes on.
func (f *footing) runs(st *rewrite.Statement, open bool) {
	switch {
	case st != nil && unsettles(st), st == nil && f.unseen:
		f.doubt, f.dirty = true, true
	case f.dirty:
		f.doubt = true
	}
	f.open = open
}

// runsAll does the same for the statements of a Query.
func (f *footing) runsAll(plans []rewrite.Plan) {
	for i := range plans {
		f.runs(&plans[i].Statement, false)
	}
}
