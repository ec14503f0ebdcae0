package sqlgen

// words are the contents of strings, without what an escape would be needed for.
var words = []string{"one", "two", "x", "zz", "LIMIT 2", "-- no comment", "/* nor this */", "a;b", "é", "FOR UPDATE", "$1 ? :x", ""}

// str appends a string literal, in any spelling of the dialect.
func (g *gen) str() {
	w := words[g.upTo(len(words))]
	quoted := "'" + w + "'"
	switch g.weigh(10, 2, 2, 2) {
	case 1: // a quote in the string
		g.word("'" + w + "''" + "'")
		return
	case 2:
		g.oddString(w)
		return
	case 3:
		if g.postgres() {
			tag := g.pick("$$", "$q$", "$LIMIT$")
			g.word(tag + w + "'" + tag)
			return
		}
		if !g.ANSIQuotes {
			quoted = `"` + w + `'"`
		}
		g.word(quoted)
		return
	}
	g.tokens = append(g.tokens, Token{Text: quoted, Free: true})
}

// oddString appends a string with a prefix or with escapes.
func (g *gen) oddString(w string) {
	if g.postgres() {
		switch g.upTo(6) {
		case 4: // what a backslash means is the session's
			if g.NoBackslash {
				g.word(`'` + w + `\'`)
			} else {
				g.word(`'` + w + `\''`)
			}
			return
		case 5:
			g.word(`'` + w + `\\'`)
			return
		case 1:
			if !g.NoBackslash {
				g.word(`'\\\'` + w + `'`)
				return
			}
			g.word(`U&'` + w + `\0041'`)
			return
		}
		switch g.upTo(3) {
		case 0:
			g.word(`E'` + w + `\'` + `'`)
		case 1:
			g.word("N'" + w + "'")
		case 2:
			g.word("E'" + w + `\\'`)
		}
		return
	}
	switch g.upTo(4) {
	case 0:
		g.word("_utf8mb4'" + w + "'")
		g.put("COLLATE utf8mb4_bin")
	case 1:
		if g.NoBackslash {
			g.word(`'` + w + `\'`)
		} else {
			g.word(`'` + w + `\''`)
		}
	case 2:
		if g.NoBackslash {
			g.word(`'\\'`)
		} else {
			g.word(`'` + w + `\\'`)
		}
	case 3:
		g.word("X'414243'")
	}
}

// small appends a small number.
func (g *gen) small() { g.number(g.upTo(12)) }
