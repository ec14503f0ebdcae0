package postgres

import (
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }
