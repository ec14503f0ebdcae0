package mysql

import "strings"

// Bounds on what is read. Beyond them the parsers would take seconds, gigabytes
// or the whole process.
const (
	// maxText is the longest statement that is parsed, in bytes.
	maxText = 1 << 20
	// maxTokens is the most tokens of a statement that is parsed.
	maxTokens = 50_000
	// maxDepth is the most brackets that may be open at a time.
	maxDepth = 400
	// maxRun is the most tokens between two commas at one depth of brackets.
	maxRun = 4_000
	// maxLiterals is the most string literals side by side: TiDB's parser joins
	// them in quadratic time.
	maxLiterals = 500
	// headTokens is how many tokens are kept of what is classed by its first word.
	headTokens = 24
	// maxStatements is the most statements of one script.
	maxStatements = 5_000
)

// source is one statement as the lexer saw it.
type source struct {
	*settings
	text string
	// tokens are all tokens, or the first ones where tooLarge is set.
	tokens   []token
	comments []span
	// tooLarge says which bound the text is over, empty if none.
	tooLarge string
	// unread says why the parsers must not read the text, empty if they may.
	unread string
	// fault says why the statement's end is not known, empty if it is.
	fault string
	// headOnly reports that only the first tokens are kept.
	headOnly bool
	// returning reports the word RETURNING, partition the word PARTITION.
	returning, partition bool
	// bound reports a hint that sets sql_select_limit, which a LIMIT overrides.
	bound bool
}

// split cuts a script into its statements. pos has the byte offset of each.
func split(text string, s *settings) (sources []*source, pos []int) {
	l := &lexer{settings: *s, text: text}
	src, b := &source{settings: s}, bounds{}
	begin := 0
	finish := func(end int, fault string) {
		defer func() {
			src, b = &source{settings: s}, bounds{}
			l.comments, l.unread, l.bound = nil, "", false
		}()
		if len(src.tokens) == 0 && fault == "" {
			return
		}
		start := begin
		for start < end && isBlank(text[start]) {
			start++
		}
		for end > start && isBlank(text[end-1]) {
			end--
		}
		if start == end {
			return
		}
		src.text, src.fault, src.unread, src.bound = text[start:end], fault, l.unread, l.bound
		src.comments = append([]span(nil), l.comments...)
		src.shift(start)
		if len(src.text) > maxText {
			src.tooLarge = "the statement is longer than 1 MiB"
		} else {
			src.tooLarge = b.over
		}
		sources, pos = append(sources, src), append(pos, start)
	}
	for {
		t, ok := l.next()
		if !ok {
			finish(len(text), l.fault)
			return sources, pos
		}
		if t.kind == tokenOp && text[t.start] == ';' && t.end == t.start+1 {
			switch {
			case l.open:
				finish(len(text), "a semicolon stands in an executable comment")
				return sources, pos
			case len(src.tokens) == 0: // an empty statement
				begin, l.comments, l.unread, l.bound = t.end, nil, "", false
				continue
			case src.compound(text):
				finish(len(text), "the statement has statements of its own")
				return sources, pos
			}
			fault := ""
			if len(sources)+1 >= maxStatements {
				fault = "the text has too many statements"
			} else if src.changesReading(text) {
				fault = "a statement before may change how this text is read"
			}
			finish(t.start, "")
			begin = t.end
			if fault == "" {
				continue
			}
			for ok && t.kind == tokenOp && text[t.start] == ';' {
				begin = t.end
				t, ok = l.next()
			}
			if ok {
				finish(len(text), fault)
			} else if l.fault != "" {
				finish(len(text), l.fault)
			}
			return sources, pos
		}
		src.add(t, text, &b)
	}
}

// whole returns the text as one statement of unknown extent.
func whole(text string, s *settings, fault string) (sources []*source, pos []int) {
	start, end := 0, len(text)
	for start < end && isBlank(text[start]) {
		start++
	}
	for end > start && isBlank(text[end-1]) {
		end--
	}
	if start == end {
		return nil, nil
	}
	return []*source{{settings: s, text: text[start:end], fault: fault}}, []int{start}
}

// add notes one more token.
func (s *source) add(t token, text string, b *bounds) {
	b.token(t, text)
	if t.kind == tokenWord {
		switch word := text[t.start:t.end]; len(word) {
		case len("RETURNING"): // and PARTITION
			s.returning = s.returning || strings.EqualFold(word, "RETURNING")
			s.partition = s.partition || strings.EqualFold(word, "PARTITION")
		}
	}
	if len(s.tokens) == headTokens {
		s.headOnly = isWrite(text, s.tokens[0])
	}
	if len(s.tokens) < maxTokens && !s.headOnly {
		s.tokens = append(s.tokens, t)
	}
}

// isWrite reports the first word of a statement that is classed by it, and may
// have millions of tokens.
func isWrite(text string, first token) bool {
	return isKeyword(text, first, "INSERT") || isKeyword(text, first, "REPLACE") ||
		isKeyword(text, first, "UPDATE") || isKeyword(text, first, "DELETE")
}

// shift makes offsets relative to the statement's own text.
func (s *source) shift(start int) {
	for i := range s.tokens {
		s.tokens[i].start -= start
		s.tokens[i].end -= start
	}
	for i := range s.comments {
		s.comments[i].start -= start
		s.comments[i].end -= start
	}
}

// one reads the text of a single statement again.
func one(text string, s *settings) (*source, string) {
	sources, pos := split(text, s)
	switch {
	case len(sources) != 1 || pos[0] != 0 || len(sources[0].text) != len(text):
		return nil, "the text is not one statement"
	case sources[0].fault != "":
		return nil, sources[0].fault
	case sources[0].tooLarge != "":
		return nil, sources[0].tooLarge
	case sources[0].unread != "":
		return nil, sources[0].unread
	}
	return sources[0], ""
}

// bounds measures a statement against the bounds.
type bounds struct {
	tokens, literals int
	// runs has the tokens since the last comma for every open bracket, and for
	// the outermost level; open is their sum.
	runs []int
	open int
	over string
}

func (b *bounds) token(t token, text string) {
	if b.runs == nil {
		b.runs = make([]int, 1, 8)
	}
	b.tokens++
	if t.kind == tokenString {
		b.literals++
	} else {
		b.literals = 0
	}
	top := len(b.runs) - 1
	b.runs[top]++
	b.open++
	if t.kind == tokenOp {
		switch text[t.start] {
		case '(':
			if top < maxDepth {
				b.runs = append(b.runs, 0)
			} else {
				b.over = "the statement nests too deep"
			}
		case ')':
			if top > 0 {
				b.open -= b.runs[top]
				b.runs = b.runs[:top]
			}
		case ',':
			b.open -= b.runs[top]
			b.runs[top] = 0
		}
	}
	switch {
	case b.tokens > maxTokens:
		b.over = "the statement has too many tokens"
	case b.literals > maxLiterals:
		b.over = "too many string literals stand side by side"
	case b.open > maxRun:
		b.over = "an expression of the statement is too long"
	}
}
