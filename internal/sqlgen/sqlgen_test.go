package sqlgen

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var targets = []Target{
	{Dialect: Postgres, Version: 150018, NoBackslash: true},
	{Dialect: Postgres, Version: 180004, NoBackslash: true},
	{Dialect: MySQL, Version: 90704},
	{Dialect: MySQL, Version: 90704, ANSIQuotes: true},
	{Dialect: MariaDB, Version: 101119},
	{Dialect: MariaDB, Version: 101119, NoBackslash: true},
}

// TestStatements checks what a statement says of itself. That servers accept it is
// checked where there are servers, in internal/property.
func TestStatements(t *testing.T) {
	for _, target := range targets {
		generator := Statements(target)
		rapid.Check(t, func(t *rapid.T) {
			s := generator.Draw(t, "statement")
			if strings.TrimSpace(s.Text()) == "" {
				t.Fatal("no text")
			}
			for i, token := range s.Tokens {
				if token.Text == "" || token.Glued && token.Before != "" {
					t.Fatalf("token %d is %+v", i, token)
				}
			}
			if len(s.Keys) > 0 && s.Total {
				t.Fatal("two orders")
			}
			for _, k := range s.Keys {
				if k < 0 || k >= s.Columns {
					t.Fatalf("ordered by column %d of %d", k, s.Columns)
				}
			}
			whole := s.WithoutLimit()
			if whole.Bounded() {
				t.Fatalf("%q has a limit", whole.Text())
			}
			if !s.Bounded() && whole.Text() != s.Text() {
				t.Fatalf("%q was changed", whole.Text())
			}
			other := s.Sibling(t)
			if len(other.Tokens) != len(s.Tokens) || len(other.Parts) != len(s.Parts) {
				t.Fatalf("the sibling %q has other tokens", other.Text())
			}
			for i, token := range s.Tokens {
				if !token.Free && other.Tokens[i] != token {
					t.Fatalf("%q became %q", token.Text, other.Tokens[i].Text)
				}
			}
		})
	}
}

// TestClasses checks that each class of a dialect is drawn, and no other.
func TestClasses(t *testing.T) {
	for _, target := range targets {
		want := map[Class]bool{}
		for _, w := range target.Classes() {
			want[w.Class] = true
		}
		generator := Statements(target)
		drawn := map[Class]int{}
		for seed := range 1500 {
			drawn[generator.Example(seed).Class]++
		}
		for c := range want {
			if drawn[c] == 0 {
				t.Errorf("%s: no %s of 1500 statements", target.Dialect, c)
			}
		}
		for c := range drawn {
			if !want[c] {
				t.Errorf("%s: %s is drawn and not among its classes", target.Dialect, c)
			}
		}
	}
	only := Statements(Target{Dialect: MySQL, Only: []Class{ClassValues}, Plain: true})
	for seed := range 100 {
		s := only.Example(seed)
		if s.Class != ClassValues {
			t.Fatalf("%s: %s", s.Class, s.Text())
		}
		for _, token := range s.Tokens {
			if strings.TrimSpace(token.Before) != "" {
				t.Fatalf("not plain: %s", s.Text())
			}
		}
	}
}

func BenchmarkStatements(b *testing.B) {
	for _, target := range targets[:3] {
		b.Run(target.Dialect, func(b *testing.B) {
			g := Statements(target)
			for i := range b.N {
				g.Example(i)
			}
		})
	}
}
