package mysql

import "github.com/rowcap/rowcap/rewrite"

// proves reports whether the edited text reads back, by the same parser and in the
// same reading, as the tree of s with rows as its outermost limit, and as the old
// tokens with the edits' tokens in their places.
//
// Nothing of the first reading is taken on trust: the edited text is lexed and parsed
// from its first byte. That the trees are the same is more than that the parser's
// printer makes the same text of both, as it prints from the fields that are compared.
func (s *source) proves(edits []rewrite.Edit, rows uint64) bool {
	if len(edits) == 0 {
		return false
	}
	edited, obstacle := one(rewrite.ApplyEdits(s.text, edits), s.settings)
	if obstacle != "" || !s.sameTokens(edited, edits) {
		return false
	}
	again, err := edited.parse()
	if err != nil || again.tree == nil || again.plain != s.parsed.plain {
		return false
	}
	l := again.tree.limit()
	return l.there && l.count == operand{rows: rows} && s.parsed.tree.sameButCount(again.tree)
}

// sameTokens reports whether edited, which is the text of s with edits made, has the
// tokens of s, each in its old place as the edits moved it, but for those inside an
// edit's bytes, and in their places the tokens that the edit's text has by itself.
func (s *source) sameTokens(edited *source, edits []rewrite.Edit) bool {
	i, at := 0, 0      // the next tokens of s and of edited
	shift, end := 0, 0 // what the edits before i move it by, and where they end in s
	next := func(t token) bool {
		if at == len(edited.tokens) {
			return false
		}
		e := edited.tokens[at]
		at++
		return e.kind == t.kind && int(e.start) == int(t.start)+shift && int(e.end) == int(t.end)+shift
	}
	// old takes the tokens of s that end at or before an offset.
	old := func(before int) bool {
		for ; i < len(s.tokens) && int(s.tokens[i].end) <= before; i++ {
			if int(s.tokens[i].start) < end || !next(s.tokens[i]) {
				return false
			}
		}
		return true
	}
	for _, e := range edits {
		if !old(e.Start) {
			return false
		}
		for ; i < len(s.tokens) && int(s.tokens[i].end) <= e.End; i++ {
		}
		shift += e.Start
		before := at
		l := lexer{settings: *s.settings, text: e.Text}
		for t, ok := l.next(); ok; t, ok = l.next() {
			if !next(t) {
				return false
			}
		}
		if at == before || l.fault != "" {
			return false
		}
		shift += len(e.Text) - e.End
		end = e.End
	}
	return old(len(s.text)) && at == len(edited.tokens) && len(edited.comments) == len(s.comments)
}
