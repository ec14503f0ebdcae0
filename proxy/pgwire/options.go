package pgwire

import (
	"fmt"
	"strings"
)

// switchesWithValue are the server's switches that a value follows, in the same
// word or in the next (getopt in src/backend/tcop/postgres.c).
const switchesWithValue = "BCDNSWcdfhkprtv"

// word is one word of the options parameter: where its bytes are, with the blanks
// before them, and what it says.
type word struct {
	from, to int
	text     string
}

// cutOptions takes rowcap's own settings (-c rowcap.x=y, --rowcap.x=y) out of the
// value of the options parameter. The rest stays byte for byte.
func cutOptions(options string) (own []setting, left string, err error) {
	words := splitOptions(options)
	var b strings.Builder
	keep := func(ws ...word) {
		for _, w := range ws {
			b.WriteString(options[w.from:w.to])
		}
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		if len(w.text) < 2 || w.text[0] != '-' || w.text == "--" {
			keep(words[i:]...) // the server reads no switches after it
			break
		}
		assignment, at, next := valueOf(w.text, words[i+1:])
		used := words[i : i+1+next]
		name, value, _ := strings.Cut(assignment, "=")
		// The server takes - for _ in a name.
		name = strings.ReplaceAll(name, "-", "_")
		switch {
		case !isOwn(name):
			keep(used...)
		case at > 1:
			return nil, "", &fault{severity: severityFatal, code: codeSyntax,
				message: fmt.Sprintf("rowcap cannot take %q out of the options, as it stands among other switches", w.text),
				hint:    "write -c " + name + "=… as a switch of its own"}
		default:
			own = append(own, setting{name, value})
		}
		i += next
	}
	if len(own) == 0 {
		return nil, options, nil
	}
	return own, strings.TrimLeft(b.String(), blanks), nil
}

// valueOf returns what a word of switches sets, "" if it sets nothing, the place
// in it of the switch that does, and how many of the words after it belong to it.
func valueOf(text string, after []word) (assignment string, at, next int) {
	for at = 1; at < len(text); at++ {
		letter := text[at]
		if letter != '-' && strings.IndexByte(switchesWithValue, letter) < 0 {
			continue
		}
		assignment = text[at+1:]
		if assignment == "" && len(after) > 0 {
			assignment, next = after[0].text, 1
		}
		if letter != 'c' && letter != '-' {
			assignment = ""
		}
		return assignment, at, next
	}
	return "", 0, 0
}

// blanks are the bytes between words (isspace in the C locale).
const blanks = " \t\n\v\f\r"

// splitOptions splits as the server does (pg_split_opts in
// src/backend/utils/init/postinit.c): at blanks, and a backslash takes the byte
// after it as it is.
func splitOptions(options string) []word {
	var words []word
	for i := 0; i < len(options); {
		w := word{from: i}
		for i < len(options) && strings.IndexByte(blanks, options[i]) >= 0 {
			i++
		}
		start := i
		var text strings.Builder
		for ; i < len(options) && strings.IndexByte(blanks, options[i]) < 0; i++ {
			if options[i] == '\\' {
				if i++; i == len(options) {
					break
				}
			}
			text.WriteByte(options[i])
		}
		if w.to = i; i > start {
			w.text = text.String()
			words = append(words, w)
		}
	}
	return words
}
