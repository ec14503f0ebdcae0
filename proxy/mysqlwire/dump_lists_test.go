package mysqlwire

import "testing"

// TestListsOfDumps: only the statements that list what there is to dump are without
// a cap.
func TestListsOfDumps(t *testing.T) {
	for text, want := range map[string]bool{
		"SHOW TABLES": true, "show /* all */ full tables;": true, "SHOW TRIGGERS LIKE 'a;b'": true, "SHOW PACKAGE STATUS WHERE Db = 'x'": true,
		"SHOW BINLOG EVENTS": false, "SHOW RELAYLOG EVENTS": false, "SHOW TABLES; SELECT 1": false, "SHOW TABLES LIKE 'a\\'; SELECT 1 -- '": false,
		"SHOW TABLES /*! ; SELECT 1 */": false, "SELECT 1": false, "": false,
	} {
		if got := showsObjects(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
