package sqlgen

import (
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"
)

// LimitForm says how a limit is written.
type LimitForm uint8

// The forms of limits.
const (
	// LimitNone is no limit, LIMIT ALL or LIMIT NULL.
	LimitNone LimitForm = iota
	// LimitNumber is a plain number.
	LimitNumber
	// LimitExpression is anything else; its value is known all the same.
	LimitExpression
	// LimitParam is a parameter or an expression of one: [ParamCount].
	LimitParam
)

// Unlimited is the value of an expression that stands for no limit at all (NULL).
const Unlimited = ^uint64(0)

// Limit is the outermost limit that a statement brings.
type Limit struct {
	Form LimitForm
	// Rows is the value.
	Rows uint64
	// WithTies reports FETCH FIRST … WITH TIES.
	WithTies bool
}

// Statement is a drawn statement. A script has several in Parts.
type Statement struct {
	Class  Class
	Tokens []Token
	// Tail is white space, comments and semicolons behind the last token.
	Tail  string
	Limit Limit
	// Columns is the number of columns of the answer, 0 if it is not known.
	Columns int
	// Keys are the 0-based columns that the answer is ordered by, most
	// significant first.
	Keys []int
	// Total reports an order that leaves no choice between two rows, although its
	// keys are no columns of the answer.
	Total bool
	// Settled reports that the data alone settles which rows there are.
	Settled bool
	// Writes reports that data change, Locks that rows are locked, Volatile that
	// functions with effects are called.
	Writes, Locks, Volatile bool
	// Examined reports that the server may stop early by a clause of the statement's,
	// and Cut that it is likely to.
	Examined, Cut bool
	// Fails is when the statement ends with an error.
	Fails Failure
	// Parts are the statements of a script.
	Parts []Statement

	count  span // the tokens of the outermost limit's value
	offset span // and of its offset's
}

// Failure says when a statement ends with an error.
type Failure uint8

// The failures.
const (
	// FailsNever: the server accepts and runs the statement.
	FailsNever Failure = iota
	// FailsEarly: the server refuses it before it makes a row.
	FailsEarly
	// FailsLate: the server fails at some row, which a limit may leave out.
	FailsLate
)

// span is a range of tokens.
type span struct{ from, to int }

// Text returns the statement as it is sent.
func (s Statement) Text() string {
	if len(s.Parts) > 0 {
		var b strings.Builder
		for i, p := range s.Parts {
			if i > 0 {
				b.WriteString(";")
			}
			b.WriteString(p.Text())
		}
		return b.String() + s.Tail
	}
	return join(s.Tokens) + s.Tail
}

// Ordered reports an outermost ORDER BY.
func (s Statement) Ordered() bool { return s.Total || len(s.Keys) > 0 }

// Bounded reports a limit or an offset of the statement's own: which rows it leaves may
// be any of those that its order does not tell apart.
func (s Statement) Bounded() bool { return s.Limit.Form != LimitNone || s.offset != (span{}) }

// WithoutLimit returns the statement with a limit so large that it bounds nothing, and
// with an offset of 0, where there are such.
func (s Statement) WithoutLimit() Statement {
	count, offset := s.count, s.offset
	if s.Limit.Form == LimitNone {
		count = span{}
	}
	swap := func(at span, text string) {
		if at == (span{}) {
			return
		}
		before := " "
		if at.from < at.to {
			before = s.Tokens[at.from].Before
		}
		s.Tokens = slices.Concat(s.Tokens[:at.from:at.from], []Token{{Text: text, Before: before}}, s.Tokens[at.to:])
	}
	if count.from > offset.from {
		swap(count, "1000000")
		swap(offset, "0")
	} else {
		swap(offset, "0")
		swap(count, "1000000")
	}
	s.Limit, s.count, s.offset = Limit{}, span{}, span{}
	return s
}

// Sibling draws the same statement with other literals, which the server need not
// accept.
func (s Statement) Sibling(t *rapid.T) Statement {
	s.Parts = slices.Clone(s.Parts)
	for i, p := range s.Parts {
		s.Parts[i] = p.Sibling(t)
	}
	s.Tokens = slices.Clone(s.Tokens)
	for i := range s.Tokens {
		if token := &s.Tokens[i]; token.Free {
			token.Text = otherLiteral(t, token.Text)
		}
	}
	return s
}

// otherLiteral draws another literal of the same spelling: as many digits, or another
// plain word in the quotes.
func otherLiteral(t *rapid.T, text string) string {
	if text[0] >= '0' && text[0] <= '9' {
		least := 1
		for range len(text) - 1 {
			least *= 10
		}
		return strconv.Itoa(rapid.IntRange(max(2, least), least*10-1).Draw(t, "number"))
	}
	word := rapid.SampledFrom([]string{"zig", "a", "", "some longer text", "LIMIT 3"}).Draw(t, "word")
	open := strings.IndexByte(text, text[len(text)-1])
	return text[:open+1] + word + text[len(text)-1:]
}

// GoString is the statement's text, which is what a failing property is to show.
func (s Statement) GoString() string { return strconv.Quote(s.Text()) }
