package property

import (
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// budget is how long the checks of one server may take.
const budget = 30 * time.Second

func TestMain(m *testing.M) { dbtest.Main(m) }
