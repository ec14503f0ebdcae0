package postgres

// beginnings are the words that begin a statement which may change nothing.
var beginnings = []string{"select", "with", "values", "table", "(", "show", "explain", "fetch"}

// mayWrite says what the tokens of a statement that cannot be read tell: whether it may
// change data. A lock is no change.
func mayWrite(w words) bool {
	begins := false
	for _, word := range beginnings {
		begins = begins || w.is(0, word)
	}
	if !begins {
		return true
	}
	for i := range w.tokens {
		switch {
		case w.is(i, "update"):
			if !w.is(i-1, "for") && !w.is(i-1, "key") {
				return true
			}
		case w.is(i, "insert"), w.is(i, "delete"), w.is(i, "merge"), w.is(i, "into"), w.is(i, "execute"):
			return true
		}
	}
	return false
}

// mayWriteText is mayWrite for a whole text. One whose tokens cannot be told may write. Of
// several statements it is not said: each answer has a tag that tells.
func (d Dialect) mayWriteText(sql string) bool {
	if checkText(sql) != nil || d.encoding != "" && hidesBackslash(sql) {
		return true
	}
	masked, err := d.mask(sql)
	if err != nil {
		return true
	}
	tokens, err := scan(masked)
	if err != nil {
		return true
	}
	w := newWords(masked, tokens)
	for i := range w.tokens {
		if w.is(i, ";") && i < len(w.tokens)-1 {
			return false
		}
	}
	return mayWrite(w)
}

// hidesBackslash reports a backslash that may be the second byte of a character: where
// it is, a string ends elsewhere than its tokens say. No encoding has a quote there.
func hidesBackslash(sql string) bool {
	for i := 1; i < len(sql); i++ {
		if sql[i] == '\\' && sql[i-1] >= 0x80 {
			return true
		}
	}
	return false
}
