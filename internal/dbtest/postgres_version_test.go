package dbtest

import (
	"strconv"
	"strings"
	"testing"
)

func TestPostgresVersions(t *testing.T) {
	for major := range sharedVersions {
		t.Run(strconv.Itoa(major), func(t *testing.T) {
			s := PostgresVersion(t, major)
			if !strings.HasPrefix(s.Version, strconv.Itoa(major)+".") {
				t.Errorf("the server is %s", s)
			}
			if got := s.SQL(t, s.Database(t), "SELECT current_setting('server_version_num')::int / 10000"); got != strconv.Itoa(major) {
				t.Errorf("the server says it is %s", got)
			}
			t.Log(s)
		})
	}
}
