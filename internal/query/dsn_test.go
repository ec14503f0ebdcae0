package query

import "testing"

func TestHideSecrets(t *testing.T) {
	for dsn, want := range map[string]string{
		"postgres://u:s3cret@h/d":                           "postgres://u:xxxxx@h/d",
		"postgres://u@h/d?sslpassword=s3cret&sslmode=allow": "postgres://u@h/d?sslmode=allow&sslpassword=xxxxx",
		"mysql://u:s3c%ret@h/d":                             hidden,
		"host=h password=s3cret":                            hidden,
		"host=h user=u":                                     "host=h user=u",
		"mysql://u@/d?unix_socket=/run/s":                   "mysql://u@/d?unix_socket=/run/s",
		"any other text":                                    "any other text",
	} {
		if got := HideSecrets(dsn); got != want {
			t.Errorf("%s: %s", dsn, got)
		}
	}
}

func TestWithPassword(t *testing.T) {
	for dsn, want := range map[string]string{
		"postgres://u@h/d":                "postgres://u:p%40%27%5C@h/d",
		"mysql://u@/d?unix_socket=/run/s": "mysql://u:p%40%27%5C@/d?unix_socket=/run/s",
		"host=h user=u":                   `host=h user=u password='p@\'\\'`,
	} {
		got, err := WithPassword(dsn, `p@'\`)
		if err != nil || got != want || CheckDSN(got) != nil {
			t.Errorf("%s: %s %v", dsn, got, err)
		}
	}
	for _, dsn := range []string{"postgres://u:other@h/d", "oracle://h"} {
		if got, err := WithPassword(dsn, "p"); err == nil {
			t.Errorf("%s: %s", dsn, got)
		}
	}
}
