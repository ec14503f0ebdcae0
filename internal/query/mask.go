package query

import (
	"fmt"
	"strings"
)

// Mask says which columns of a source are never shown, nor used in a way that would
// tell their values.
type Mask struct {
	// Columns are patterns of names: a column (password), a table's column
	// (users.email) or a schema's (shop.users.email). A star stands for any number of
	// characters. Case does not matter.
	Columns []string
	// Use is what becomes of a statement that uses a masked column for more than its
	// plain output.
	Use MaskUse
	// Exempt are patterns of views and functions, likewise with or without a schema,
	// that may be used though what they read is masked or cannot be told.
	Exempt []string
}

// MaskUse says what becomes of a masked column in an expression, a condition or an
// order.
type MaskUse string

const (
	// MaskRefuse refuses the statement.
	MaskRefuse MaskUse = "refuse"
	// MaskNull has the column read as NULL, and says so.
	MaskNull MaskUse = "null"
)

// Validate reports a mask that makes no sense.
func (m Mask) Validate() error {
	if m.Use != "" && m.Use != MaskRefuse && m.Use != MaskNull {
		return fmt.Errorf("mask-use %q is not known: use refuse or null", m.Use)
	}
	for what, patterns := range map[string][]string{"mask": m.Columns, "mask-exempt": m.Exempt} {
		most := 3
		if what == "mask-exempt" {
			most = 2
		}
		for _, p := range patterns {
			parts := strings.Split(p, ".")
			for _, part := range parts {
				if strings.TrimSpace(part) == "" || len(parts) > most {
					return fmt.Errorf("%s %q is no name: use names with at most %d parts between dots, with * for any characters", what, p, most)
				}
			}
		}
	}
	return nil
}

// columnPattern is a pattern of Mask.Columns, each part in lower case and * where it is
// not given.
type columnPattern struct{ schema, table, column string }

func (m Mask) patterns() []columnPattern {
	all := make([]columnPattern, len(m.Columns))
	for i, p := range m.Columns {
		parts := strings.Split(strings.ToLower(strings.TrimSpace(p)), ".")
		for len(parts) < 3 {
			parts = append([]string{"*"}, parts...)
		}
		all[i] = columnPattern{parts[0], parts[1], parts[2]}
	}
	return all
}

// masks reports that a column is masked.
func (s *Source) masks(schema, table, column string) bool {
	for _, p := range s.columns {
		if wild(p.column, column) && wild(p.table, table) && wild(p.schema, schema) {
			return true
		}
	}
	return false
}

// Masks reports that a column is masked by its name. It may be masked as well because it
// is made of such a column, or inherited.
func (s *Source) Masks(schema, table, column string) bool { return s.masks(schema, table, column) }

// exempt reports that the operator vouches for a view or a function.
func (s *Source) exempt(schema, name string) bool {
	for _, p := range s.Mask.Exempt {
		own, object, qualified := strings.Cut(strings.ToLower(p), ".")
		if !qualified {
			own, object = "*", own
		}
		if wild(own, schema) && wild(object, name) {
			return true
		}
	}
	return false
}

// wild compares a name with a pattern in lower case.
func wild(pattern, name string) bool { return Match(pattern, strings.ToLower(name), '*', 0) }
