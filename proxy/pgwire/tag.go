package pgwire

import (
	"strconv"
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// recount puts the number of rows delivered into a tag that counts rows read.
// Tags that count rows written stay: the writes were made. ok is false for a
// tag that stays as it is.
func recount(tag string, rows uint64, k rewrite.Kind) (changed string, ok bool) {
	word, count, found := strings.Cut(tag, " ")
	if !found || word != "SELECT" && word != "FETCH" && (word != "COPY" || k != rewrite.KindCopy) {
		return tag, false
	}
	if _, err := strconv.ParseUint(count, 10, 64); err != nil {
		return tag, false
	}
	return word + " " + strconv.FormatUint(rows, 10), true
}

// tagOf is the tag of an answer that ends at the cap before its statement did.
func tagOf(k rewrite.Kind, rows uint64) string {
	switch k {
	case rewrite.KindShow:
		return "SHOW"
	case rewrite.KindExplain:
		return "EXPLAIN"
	case rewrite.KindCall:
		return "CALL"
	}
	return "SELECT " + strconv.FormatUint(rows, 10)
}

// writes reports the tag of a statement that wrote.
func writes(tag string) bool {
	switch word, _, _ := strings.Cut(tag, " "); word {
	case "INSERT", "UPDATE", "DELETE", "MERGE":
		return true
	}
	return false
}
