package conformance

import (
	"strconv"
	"strings"
	"testing"
)

// runSysbench makes the checks that sysbench's driver can make, by a script, and runs
// a load of sysbench's own.
func runSysbench(t *testing.T, mode string, s session) (seen []observation) {
	sysbench := func(s session, script string, args ...string) (out, errs string, status int) {
		args = append([]string{"--db-driver=mysql", "--db-ps-mode=" + mode, "--mysql-host=" + s.at.host, "--mysql-port=" + s.at.port, "--mysql-user=" + s.user,
			"--mysql-password=" + s.password, "--mysql-db=" + s.database, "--time=0", script}, args...)
		return program(t, s, "", "sysbench", args...)
	}
	out, errs, status := sysbench(s, "../../scripts/clients/mysql/sysbench-client.lua", "--events=1", "run")
	var lines strings.Builder
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "{") {
			lines.WriteString(line)
		}
	}
	seen, err := readObservations([]byte(lines.String()))
	if err != nil || status != 0 {
		t.Errorf("sysbench: status %d, %v\n%s%s", status, err, out, errs)
	}
	direct := s
	direct.at = s.server
	const load = "oltp_read_only"
	if out, errs, status := sysbench(direct, load, "--table-size=200", "prepare"); status != 0 {
		t.Fatalf("sysbench prepare: status %d\n%s%s", status, out, errs)
	}
	out, _, status = sysbench(s, load, "--table-size=200", "--events=20", "--threads=2", "run")
	seen = append(seen, saw("bench", "status", status, "transactions", statistic(out, "transactions:"), "errors", statistic(out, "ignored errors:")))
	out, errs, status = sysbench(s, load, "--table-size=200", "--tables=2", "--events=20", "run") // which is one too many
	return append(seen, saw("bench_error", "failed", status != 0, "told", strings.Contains(out+errs, "sbtest2")))
}

// statistic reads a number of sysbench's report, -1 if it is not there.
func statistic(report, name string) int {
	_, rest, _ := strings.Cut(report, name)
	n := -1
	if fields := strings.Fields(rest); len(fields) > 0 {
		n, _ = strconv.Atoi(fields[0])
	}
	return n
}
