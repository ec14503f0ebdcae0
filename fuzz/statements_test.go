package fuzz

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/rowcap/rowcap/internal/sqlgen"
)

// FuzzStatementsPostgres holds what fuzzStatements says for PostgreSQL.
func FuzzStatementsPostgres(f *testing.F) {
	fuzzStatements(f, sqlgen.Target{Dialect: sqlgen.Postgres, Version: 170000, NoBackslash: true}, 0)
}

// FuzzStatementsMySQL holds what fuzzStatements says for MySQL.
func FuzzStatementsMySQL(f *testing.F) {
	fuzzStatements(f, sqlgen.Target{Dialect: sqlgen.MySQL, Version: 90700}, 0)
}

// FuzzStatementsMariaDB holds what fuzzStatements says for MariaDB under sql_mode ANSI.
func FuzzStatementsMariaDB(f *testing.F) {
	fuzzStatements(f, sqlgen.Target{Dialect: sqlgen.MariaDB, Version: 101119, ANSIQuotes: true, PipesConcat: true}, 1)
}

// fuzzStatements holds what fuzzRewrite says, but for random texts, for the statements
// that package sqlgen draws, which the servers accept. The generator's first choices are
// read from the fuzzed bytes, eight for each, so that coverage steers them; the others follow
// from seed. Half of the statements are scrambled by tokens, as what is next to a statement of the
// grammar is where readings go apart.
func fuzzStatements(f *testing.F, target sqlgen.Target, session uint8) {
	dictionary := words(f, dictionaryOf(target.Dialect))
	d := sessionOf(f, target.Dialect, session)
	statements := sqlgen.Statements(target)
	for seed := range uint64(20) {
		f.Add([]byte{}, seed)
	}
	check := rapid.MakeFuzz(func(t *rapid.T) {
		policy := rapid.Byte().Draw(t, "policy")
		seed := rapid.Uint64().Draw(t, "seed")
		scrambled := rapid.Bool().Draw(t, "scrambled")
		text := statements.Draw(t, "statement").Text()
		if scrambled {
			text = scramble(d, text, dictionary, seed)
		}
		p, ask := policyOf(policy)
		checkRemembered(t, d, p, ask, checkPlanned(t, d, p, ask, text), seed)
	})
	f.Fuzz(func(t *testing.T, first []byte, seed uint64) {
		const choices = 8 << 10 // more than a statement takes
		tail := make([]byte, choices*8)
		rand.NewChaCha8([32]byte(binary.LittleEndian.AppendUint64(make([]byte, 24), seed))).Read(tail)
		check(t, append(first[:len(first)/8*8:len(first)/8*8], tail...))
	})
}
