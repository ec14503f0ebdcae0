package conformance

// goClient is a connection of a driver for Go that keeps its notices.
type goClient interface {
	// rows returns the first column of a query's rows.
	rows(query string, args ...any) []int
	exec(query string)
	// code returns the SQLSTATE of a query's error.
	code(query string) string
	last() map[string]any
	// told is the number of notices.
	told() int
}

// goLimits makes the checks of limits on a fresh connection.
func goLimits(c goClient) []observation {
	rows := c.rows("SELECT n FROM parcels WHERE n <= 5 ORDER BY n")
	seen := []observation{saw("whole", "rows", rows, "notices", c.told(), "completeness", c.last()["completeness"])}
	rows = c.rows(parcels + " LIMIT 3")
	seen = append(seen, saw("own", "rows", rows, "notices", c.told()))
	rows = c.rows(parcels+" LIMIT $1", 12)
	return append(seen, saw("clamped", "rows", rows, "notices", c.told()))
}

// goCursor makes the checks of cursors.
func goCursor(c goClient) observation {
	c.exec("BEGIN")
	c.exec("DECLARE pages CURSOR FOR " + parcels)
	pages := [][]int{c.rows("FETCH 4 FROM pages"), c.rows("FETCH 4 FROM pages"), c.rows("FETCH 4 FROM pages")}
	c.exec("DECLARE rest CURSOR FOR " + parcels)
	rows := c.rows("FETCH ALL FROM rest")
	next := c.rows("FETCH NEXT FROM rest")
	c.exec("COMMIT")
	return saw("cursor", "pages", pages, "all", rows, "next", next)
}

// goErrors makes the checks of errors, outside of a transaction and in one.
func goErrors(c goClient) []observation {
	c.rows(parcels)
	seen := []observation{saw("error", "code", c.code("SELECT 1/0"), "rows", c.rows("SELECT 7"))}
	c.exec("BEGIN")
	c.rows(parcels)
	codes := []string{c.code("SELECT 1/0"), c.code("SELECT 7")}
	c.exec("ROLLBACK")
	return append(seen, saw("transaction", "codes", codes, "rows", c.rows("SELECT 7")))
}
