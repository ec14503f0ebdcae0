package mysql

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func number(n uint64) string { return strconv.FormatUint(n, 10) }

// FuzzShape reads the shape of any text in several kinds of sessions. Its tokens
// are the lexer's; texts with other literals, comments and gaps have the same key;
// and whatever text has the same key, all that is read and written is the same.
func FuzzShape(f *testing.F) {
	for i, form := range forms(f) {
		f.Add(form, uint8(i), uint64(i))
	}
	for i, pair := range shapePairs {
		f.Add(pair.a, uint8(i*2), uint64(i))
		f.Add(pair.b, uint8(i*2+1), uint64(i))
	}
	f.Add(longCTE, uint8(0), uint64(1))
	f.Fuzz(func(t *testing.T, text string, session uint8, seed uint64) {
		checkShape(t, sessionOf(session), text, rand.New(rand.NewPCG(seed, 1)))
	})
}

// checkShape checks one text, siblings of it, and texts that differ in a byte or
// two.
func checkShape(t *testing.T, d dialect, text string, random *rand.Rand) (found bool) {
	t.Helper()
	s, found := takeApart(t, d, text)
	if found {
		for range 2 {
			sql := s.sibling(d, random)
			if len(sql) > maxShape {
				continue
			}
			other, ok := takeApart(t, d, sql)
			if !ok || other.key != s.key {
				t.Fatalf("%q has the key %q\n%q has another, %t %q", text, s.key, sql, ok, other.key)
			}
			checkSame(t, d, s, other)
		}
	}
	for range 4 {
		changed := nearby(text, random)
		if other, ok := takeApart(t, d, changed); ok && found && other.key == s.key {
			checkSame(t, d, s, other)
		}
	}
	return found
}

// nearby changes text in one or two places.
func nearby(text string, random *rand.Rand) string {
	const alphabet = " \n'\"`\\-/*#.;:=0159aeExNb_$@?(),<>%+|&!é\xff\x00\x01\x03{~"
	for range 1 + random.IntN(2) {
		at := random.IntN(len(text) + 1)
		c := random.IntN(len(alphabet))
		switch piece := alphabet[c : c+1]; {
		case random.IntN(3) == 0 || at == len(text):
			text = text[:at] + piece + text[at:]
		case random.IntN(2) == 0:
			text = text[:at] + text[at+1:]
		default:
			text = text[:at] + piece + text[at+1:]
		}
	}
	return text
}

// TestShapeOfForms checks every form, alone and in other texts, in several kinds of
// sessions.
func TestShapeOfForms(t *testing.T) {
	random := rand.New(rand.NewPCG(20261130, 2))
	texts := append(forms(t), longCTE)
	for _, pair := range shapePairs {
		texts = append(texts, pair.a, pair.b)
	}
	texts = append(texts, wrapped(texts)...)
	shaped, all := 0, 0
	for _, text := range texts {
		for range 2 {
			all++
			if checkShape(t, sessionOf(uint8(random.IntN(32))), text, random) {
				shaped++
			}
		}
	}
	t.Logf("%d of %d texts in sessions have a shape", shaped, all)
	if shaped < all/2 {
		t.Error("too few texts have a shape")
	}
}

// wrapped puts queries into brackets, scripts and other queries.
func wrapped(texts []string) (out []string) {
	for _, text := range texts {
		if !strings.HasPrefix(text, "SELECT") || len(text) > 200 {
			continue
		}
		out = append(out, "("+text+")", "SELECT * FROM ("+text+") AS x LIMIT 7", "WITH x AS ("+text+") SELECT 'a' FROM x LIMIT 3, 9", "; BEGIN;"+text+";;"+text+"; /* end */", "("+text+") UNION ("+text+") LIMIT 12")
	}
	return out
}
