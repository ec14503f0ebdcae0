package mysql

import (
	"math"
	"slices"
	"strings"
	"sync"
)

const (
	// maxScript is the longest text that is cut into statements, in bytes.
	maxScript = math.MaxInt32
	// maxStatements is the most statements of one script.
	maxStatements = 5_000
	// headTokens is how many tokens are kept of what is classed by its first word.
	headTokens = 24
)

// source is one statement as the lexer saw it.
type source struct {
	*settings
	text string
	// pos is the byte offset of text in the script.
	pos int
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
	// parsed is what the parsers saw, nil if they did not see a query.
	parsed *parsed
}

// splitter cuts a script into its statements.
type splitter struct {
	lexer
	settings *settings
	// src is the statement that begins at begin, as far as it was read. Its offsets
	// are still relative to the script, and its tokens are the splitter's own.
	src     source
	begin   int
	bounds  bounds
	sources []*source
}

// scratch is a splitter's working memory.
type scratch struct {
	tokens []token
	runs   []int
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// split cuts a script into its statements.
func split(text string, s *settings) []*source {
	if len(text) > maxScript {
		return whole(text, s, "the text is too long")
	}
	memory := scratches.Get().(*scratch)
	p := splitter{lexer: lexer{settings: *s, text: text}, settings: s,
		src: source{settings: s, tokens: memory.tokens[:0]}, bounds: bounds{runs: memory.runs[:0]}}
	p.run()
	memory.tokens, memory.runs = p.src.tokens, p.bounds.runs
	scratches.Put(memory)
	return p.sources
}

// run reads the whole script.
func (p *splitter) run() {
	for {
		t, ok := p.next()
		switch {
		case !ok:
			p.finish(len(p.text), p.fault)
			return
		case !isSemicolon(p.text, t):
			p.src.add(t, p.text, &p.bounds)
			continue
		case p.open:
			p.finish(len(p.text), "a semicolon stands in an executable comment")
			return
		case len(p.src.tokens) == 0: // an empty statement
			p.start(t)
			continue
		case p.src.compound(p.text):
			p.finish(len(p.text), "the statement has statements of its own")
			return
		}
		fault := ""
		if len(p.sources)+1 >= maxStatements {
			fault = "the text has too many statements"
		} else if p.src.changesReading(p.text) {
			fault = "a statement before may change how this text is read"
		}
		p.finish(int(t.start), "")
		p.start(t)
		if fault != "" {
			p.rest(fault)
			return
		}
	}
}

// rest takes what comes for one statement, if there is anything but semicolons.
func (p *splitter) rest(fault string) {
	for {
		t, ok := p.next()
		switch {
		case ok && isSemicolon(p.text, t):
			p.begin = int(t.end)
		case ok:
			p.finish(len(p.text), fault)
			return
		default:
			if p.fault != "" {
				p.finish(len(p.text), p.fault)
			}
			return
		}
	}
}

// start begins a statement behind a semicolon.
func (p *splitter) start(semicolon token) {
	p.begin = int(semicolon.end)
	p.comments, p.unread, p.bound = nil, "", false
	p.bounds = bounds{runs: p.bounds.runs[:0]}
}

// finish ends the statement, which has text up to end.
func (p *splitter) finish(end int, fault string) {
	if len(p.src.tokens) == 0 && fault == "" {
		return
	}
	start, end := trim(p.text, p.begin, end)
	if start == end {
		return
	}
	src := new(source)
	*src = p.src
	p.src = source{settings: p.settings, tokens: src.tokens[:0]}
	src.tokens = slices.Clone(src.tokens)
	src.text, src.pos, src.comments = p.text[start:end], start, p.comments
	src.fault, src.unread, src.bound = fault, p.unread, p.bound
	src.shift(start)
	if src.tooLarge = p.bounds.over; len(src.text) > maxText {
		src.tooLarge = "the statement is longer than 1 MiB"
	}
	p.sources = append(p.sources, src)
}

func isSemicolon(text string, t token) bool {
	return t.kind == tokenOp && text[t.start] == ';' && t.length() == 1
}

// trim returns where the text between start and end begins and ends without the
// blanks around it.
func trim(text string, start, end int) (from, to int) {
	for start < end && isBlank(text[start]) {
		start++
	}
	for end > start && isBlank(text[end-1]) {
		end--
	}
	return start, end
}

// whole returns the text as one statement of unknown extent.
func whole(text string, s *settings, fault string) []*source {
	start, end := trim(text, 0, len(text))
	if start == end {
		return nil
	}
	return []*source{{settings: s, text: text[start:end], pos: start, fault: fault}}
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
		s.tokens[i].start -= int32(start)
		s.tokens[i].end -= int32(start)
	}
	for i := range s.comments {
		s.comments[i].start -= start
		s.comments[i].end -= start
	}
}

// one reads the text of a single statement again.
func one(text string, s *settings) (*source, string) {
	sources := split(text, s)
	switch {
	case len(sources) != 1 || sources[0].pos != 0 || len(sources[0].text) != len(text):
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
