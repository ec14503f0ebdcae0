<?php
// PHP's pgsql extension: modes simple (pg_query) and extended (pg_query_params).
$mode = $argv[1];
const ALL = "SELECT n FROM parcels ORDER BY n";

class Session
{
    public $conn;
    public $notices = 0;

    function __construct()
    {
        $this->conn = pg_connect("", PGSQL_CONNECT_FORCE_NEW);
        pg_set_error_verbosity($this->conn, PGSQL_ERRORS_VERBOSE);
    }

    function run($query, $values = [])
    {
        global $mode;
        if ($mode === "extended" || $values) {
            pg_send_query_params($this->conn, $query, $values);
        } else {
            pg_send_query($this->conn, $query);
        }
        return $this->results()[0];
    }

    function results()
    {
        for ($results = []; $r = pg_get_result($this->conn); ) {
            $results[] = $r;
        }
        return $results;
    }

    function rows($query, $values = [])
    {
        return numbers($this->run($query, $values));
    }

    function code($query)
    {
        return pg_result_error_field($this->run($query), PGSQL_DIAG_SQLSTATE) ?: null;
    }

    function notices()
    {
        return count(pg_last_notice($this->conn, PGSQL_NOTICE_ALL));
    }

    function last()
    {
        return json_decode(pg_parameter_status($this->conn, "rowcap.last"), true);
    }
}

function numbers($result)
{
    return array_map('intval', pg_fetch_all_columns($result, 0));
}

function say($check, $got)
{
    echo json_encode(["check" => $check, "got" => $got]), "\n";
}

$s = new Session();
$result = $s->run(ALL);
say("rows", ["rows" => numbers($result), "count" => pg_affected_rows($result)]);
// WARNING:  01RC1: message, then DETAIL:  … and HINT:  … lines.
$lines = [];
foreach (explode("\n", trim(pg_last_notice($s->conn))) as $line) {
    [$key, $value] = explode(":  ", $line, 2);
    $lines[$key] = $value;
}
[$code, $message] = explode(": ", $lines["WARNING"], 2);
say("notice", ["severity" => array_key_first($lines), "code" => $code, "message" => $message, "detail" => $lines["DETAIL"], "hint" => $lines["HINT"]]);
say("last", $s->last());
pg_last_notice($s->conn, PGSQL_NOTICE_CLEAR);
say("step", ["rows" => $s->rows("SELECT 7"), "notices" => $s->notices()]);

$s = new Session();
$rows = $s->rows("SELECT n FROM parcels WHERE n <= 5 ORDER BY n");
say("whole", ["rows" => $rows, "notices" => $s->notices(), "completeness" => $s->last()["completeness"]]);
say("own", ["rows" => $s->rows(ALL . " LIMIT 3"), "notices" => $s->notices()]);
$rows = $mode === "extended" ? $s->rows(ALL . " LIMIT $1", [12]) : $s->rows(ALL . " LIMIT 12");
say("clamped", ["rows" => $rows, "notices" => $s->notices()]);

$s = new Session();
pg_prepare($s->conn, "above", "SELECT n FROM parcels WHERE n > $1 ORDER BY n");
$cut = $whole = 0;
for ($i = 0; $i < 8; $i++) {
    $cut += numbers(pg_execute($s->conn, "above", [2])) === [3, 4, 5, 6, 7];
    $whole += numbers(pg_execute($s->conn, "above", [9])) === [10, 11, 12];
}
say("prepared", ["cut" => $cut, "whole" => $whole, "notices" => $s->notices()]);

$s = new Session();
$s->run("BEGIN");
$s->run("DECLARE pages CURSOR FOR " . ALL);
$pages = [];
for ($i = 0; $i < 3; $i++) {
    $pages[] = $s->rows("FETCH 4 FROM pages");
}
$s->run("DECLARE rest CURSOR FOR " . ALL);
say("cursor", ["pages" => $pages, "all" => $s->rows("FETCH ALL FROM rest"), "next" => $s->rows("FETCH NEXT FROM rest")]);

$s = new Session();
$s->rows(ALL);
say("error", ["code" => $s->code("SELECT 1/0"), "rows" => $s->rows("SELECT 7")]);
$s->run("BEGIN");
$s->rows(ALL);
$codes = [$s->code("SELECT 1/0"), $s->code("SELECT 7")];
$s->run("ROLLBACK");
say("transaction", ["codes" => $codes, "rows" => $s->rows("SELECT 7")]);

$s = new Session();
$result = $s->run("INSERT INTO shelves SELECT g FROM generate_series(1, 8) AS g RETURNING n");
say("returning", ["rows" => numbers($result), "count" => pg_affected_rows($result), "stored" => $s->rows("SELECT count(*) FROM shelves")[0], "notices" => $s->notices()]);

$s = new Session();
say("guard", ["rows" => pg_num_rows($s->run("SHOW ALL")), "notices" => $s->notices()]);
say("copy_out", ["code" => $s->code("COPY parcels TO STDOUT"), "rows" => $s->rows("SELECT 7")]);
pg_copy_from($s->conn, "shelves", ["101\n", "102\n"]);
say("copy_in", ["stored" => $s->rows("SELECT count(*) FROM shelves WHERE n > 100")[0]]);

$s = new Session();
if ($mode === "simple") {
    pg_send_query($s->conn, ALL . "; SELECT 7");
    say("script", ["rows" => array_map('numbers', $s->results()), "notices" => $s->notices()]);
}
