package mysql

import "github.com/rowcap/rowcap/rewrite"

// proves reports whether the edited text reads back, by the same parser and in the
// same reading, as the tree printed in want, and as the old tokens with the edits'
// tokens in their places.
func (s *source) proves(edits []rewrite.Edit, want string, byTiDB, plain bool) bool {
	if len(edits) == 0 {
		return false
	}
	edited, obstacle := one(rewrite.ApplyEdits(s.text, edits), s.settings)
	if obstacle != "" || !s.sameTokens(edited, edits) {
		return false
	}
	p, err := edited.parse()
	if err != nil || p.tree == nil || p.plain != plain {
		return false
	}
	if _, again := p.tree.(*tidbTree); again != byTiDB {
		return false
	}
	got, err := p.tree.print()
	return err == nil && got == want
}

// sameTokens reports whether edited has the tokens of s, those inside an edit's
// bytes replaced by those of its text.
func (s *source) sameTokens(edited *source, edits []rewrite.Edit) bool {
	at := 0 // next token of edited
	same := func(src *source, t token) bool {
		if at == len(edited.tokens) {
			return false
		}
		e := edited.tokens[at]
		at++
		return e.kind == t.kind && edited.text[e.start:e.end] == src.text[t.start:t.end]
	}
	i := 0
	for _, e := range edits {
		for ; i < len(s.tokens) && s.tokens[i].end <= e.Start; i++ {
			if !same(s, s.tokens[i]) {
				return false
			}
		}
		inserted, _ := split(e.Text, s.settings)
		if len(inserted) != 1 || inserted[0].fault != "" {
			return false
		}
		for _, t := range inserted[0].tokens {
			if !same(inserted[0], t) {
				return false
			}
		}
		for ; i < len(s.tokens) && s.tokens[i].end <= e.End; i++ {
		}
	}
	for ; i < len(s.tokens); i++ {
		if !same(s, s.tokens[i]) {
			return false
		}
	}
	return at == len(edited.tokens) && len(edited.comments) == len(s.comments)
}
