package mysql

// Bounds on what is read. Beyond them the parsers would take seconds, gigabytes
// or the whole process.
const (
	// maxText is the longest statement that is parsed, in bytes.
	maxText = 1 << 20
	// maxComments is more executable comments than a statement has that is parsed.
	maxComments = maxText/len("/*!*/") + 1
	// maxTokens is the most tokens of a statement that is parsed.
	maxTokens = 50_000
	// maxDepth is the most brackets that may be open at a time.
	maxDepth = 400
	// maxRun is the most tokens between two commas at one depth of brackets.
	maxRun = 4_000
	// maxLiterals is the most string literals side by side: TiDB's parser joins
	// them in quadratic time.
	maxLiterals = 500
)

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
	if len(b.runs) == 0 {
		b.runs = append(b.runs, 0)
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
