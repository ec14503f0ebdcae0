// Package mysqlerror gives the syntax errors of MySQL and MariaDB the words of the
// text that a client wrote, where the server was sent an edited one.
package mysqlerror

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rowcap/rowcap/rewrite"
)

// CodeSyntax is the code of the errors that quote the text (ER_PARSE_ERROR, "%s near
// '%-.80s' at line %d").
const CodeSyntax = 1064

const (
	// nearSize is how many bytes of the text are quoted.
	nearSize = 80
	// dots end a quote of MariaDB's that was cut, and are part of its size.
	dots = "..."
)

// Original returns the message of a syntax error, which quotes what was sent, as the
// server would have put it for text. edits make of text what was sent; text may go on
// behind that. A message is returned as it is if the place in the text cannot be told:
// one in another language or character set, or a quote that could be from several
// places.
func Original(message, sent, text string, edits []rewrite.Edit, mariadb bool) string {
	const before, after = " near '", "' at line "
	from, to := strings.Index(message, before), strings.LastIndex(message, after)
	if from < 0 || to < from+len(before) {
		return message
	}
	from += len(before)
	near, line := message[from:to], message[to+len(after):]
	sent, text = trimmed(sent), trimmed(text)
	first, found, shift := "", false, 0
	// A quote that was not cut goes to the text's end, and no byte of it stands for
	// more than four.
	start := 0
	if len(near) < nearSize-utf8.UTFMax-len(dots) {
		start = max(0, len(sent)-utf8.UTFMax*nearSize)
	}
	for at := start; at <= len(sent); at++ {
		if !begins(sent[at:], near) || quote(sent[at:], mariadb) != near {
			continue
		}
		rest, lines := original(text, edits, at)
		own := quote(rest, mariadb)
		if found && own != first {
			return message
		}
		first, found, shift = own, true, lines
	}
	if !found {
		return message
	}
	if n, err := strconv.Atoi(line); err == nil && shift > 0 {
		line = strconv.Itoa(n + shift)
	}
	return message[:from] + first + after + line
}

// trimmed is a text without what the servers take off its end before they read it.
func trimmed(text string) string { return strings.TrimRight(text, "; \t\r\n\v\f") }

// begins reports that near may quote rest, by their first bytes.
func begins(rest, near string) bool {
	return rest == "" && near == "" || rest != "" && near != "" && (rest[0] == near[0] || near[0] == '?')
}

// original is the rest of text from the token on that stands at a place in the edited
// one, or behind it if an edit inserted it. lines counts how many lines further down
// that is.
func original(text string, edits []rewrite.Edit, at int) (rest string, lines int) {
	offset := min(rewrite.OriginalOffset(edits, at), len(text))
	rest = text[offset:]
	for _, e := range edits {
		if e.Start == offset && e.End == offset {
			next := behindBlanks(rest)
			return next, strings.Count(rest[:len(rest)-len(next)], "\n")
		}
	}
	return rest, 0
}

// behindBlanks is what follows the white space and the comments that text begins with.
func behindBlanks(text string) string {
	for {
		text = strings.TrimLeft(text, " \t\r\n\v\f")
		end := ""
		switch {
		case strings.HasPrefix(text, "/*!"), strings.HasPrefix(text, "/*M!"):
			return text
		case strings.HasPrefix(text, "/*"):
			end = "*/"
		case strings.HasPrefix(text, "#"), text == "--",
			strings.HasPrefix(text, "--") && strings.ContainsRune(" \t\r\n\v\f", rune(text[2])):
			end = "\n"
		default:
			return text
		}
		_, text, _ = strings.Cut(text, end)
	}
}

// quote is what the servers quote of rest. Their messages are in utf8mb3, which has no
// characters of four bytes. MySQL cuts amid a character, whose bytes are then read as
// one each.
func quote(rest string, mariadb bool) string {
	b := make([]byte, 0, nearSize+2*utf8.UTFMax)
	whole := 0 // up to where whole characters fit before the dots
	for len(rest) > 0 && len(b) <= nearSize {
		_, size := utf8.DecodeRuneInString(rest)
		if size == utf8.UTFMax {
			b = append(b, '?')
		} else {
			b = append(b, rest[:size]...)
		}
		if rest = rest[size:]; len(b) <= nearSize-len(dots) {
			whole = len(b)
		}
	}
	switch {
	case len(b) <= nearSize:
		return string(b)
	case mariadb:
		return string(b[:whole]) + dots
	}
	b = b[:nearSize]
	cut := len(b) - 1
	for cut > 0 && !utf8.RuneStart(b[cut]) {
		cut--
	}
	if utf8.FullRune(b[cut:]) {
		return string(b)
	}
	var out strings.Builder
	out.Write(b[:cut])
	for _, c := range b[cut:] {
		out.WriteRune(rune(c))
	}
	return out.String()
}
