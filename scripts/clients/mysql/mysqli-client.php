<?php
// PHP's mysqli: modes text, and prepared (every statement by COM_STMT_EXECUTE).
$mode = $argv[1];
const ALL = "SELECT n FROM parcels ORDER BY n";
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);

class Session
{
    public $db;

    function __construct()
    {
        $this->db = new mysqli(getenv("MYSQL_HOST"), getenv("MYSQL_USER"), getenv("MYSQL_PWD"), getenv("MYSQL_DATABASE"), (int) getenv("MYSQL_TCP_PORT"));
    }

    function run($query, $value = null)
    {
        global $mode;
        if ($mode === "text") {
            return $this->db->query($value === null ? $query : str_replace("?", (string) $value, $query));
        }
        $statement = $this->db->prepare($query);
        $statement->execute($value === null ? null : [$value]);
        return $statement->get_result();
    }

    function rows($query, $value = null)
    {
        return numbers($this->run($query, $value));
    }

    // The results of a command that has several.
    function lists()
    {
        $lists = [];
        do {
            if ($result = $this->db->store_result()) {
                $lists[] = numbers($result);
            }
        } while ($this->db->more_results() && $this->db->next_result());
        return $lists;
    }

    function fault($query)
    {
        try {
            $this->run($query);
        } catch (mysqli_sql_exception $e) {
            return ["code" => $e->getCode(), "state" => $e->getSqlState()];
        }
        return [];
    }

    function warnings()
    {
        $list = [];
        if ($w = $this->db->warning_count ? $this->db->get_warnings() : null) {
            do {
                $list[] = ["message" => $w->message, "code" => $w->errno];
            } while ($w->next());
        }
        return $list;
    }

    // The count of the result, and that of SHOW WARNINGS where they differ.
    function told()
    {
        $count = $this->db->warning_count;
        $listed = count($this->warnings());
        return $listed === $count ? $count : "$count, and $listed listed";
    }
}

function numbers($result)
{
    return array_map('intval', array_column($result->fetch_all(), 0));
}

function say($check, $got)
{
    echo json_encode(["check" => $check, "got" => $got]), "\n";
}

$s = new Session();
$result = $s->run(ALL);
$count = $s->db->warning_count;
say("rows", ["rows" => numbers($result), "count" => $result->num_rows]);
$level = $s->db->query("SHOW WARNINGS")->fetch_row()[0];
$s->run(ALL);
foreach ($s->warnings() as $w) {
    say("notice", $w + ["count" => $count, "level" => $level]);
}
say("step", ["rows" => $s->rows("SELECT 7"), "notices" => $s->told()]);
$s->rows("SELECT n FROM parcels WHERE n > 'x' ORDER BY n");
say("merged", ["codes" => array_values(array_unique(array_column($s->warnings(), "code")))]);
say("whole", ["rows" => $s->rows("SELECT n FROM parcels WHERE n <= ? ORDER BY n", 5), "notices" => $s->told()]);
say("own", ["rows" => $s->rows(ALL . " LIMIT ?", 3), "notices" => $s->told()]);
say("clamped", ["rows" => $s->rows(ALL . " LIMIT ?", 12), "notices" => $s->told()]);

$above = $s->db->prepare("SELECT n FROM parcels WHERE n > ? ORDER BY n");
$cut = $whole = $notices = 0;
for ($i = 0; $i < 8; $i++) {
    $above->execute([2]);
    $cut += numbers($above->get_result()) === [3, 4, 5, 6, 7];
    $notices += $s->told();
    $above->execute([9]);
    $whole += numbers($above->get_result()) === [10, 11, 12];
    $notices += $s->told();
}
$above->close();
say("prepared", ["cut" => $cut, "whole" => $whole, "notices" => $notices]);

// Row by row from the wire, and page by page from a cursor of the server.
$s = new Session();
$rows = [];
if ($mode === "text") {
    $result = $s->db->query(ALL, MYSQLI_USE_RESULT);
    while ($row = $result->fetch_row()) {
        $rows[] = (int) $row[0];
    }
    $result->free();
} else {
    $statement = $s->db->prepare(ALL);
    $statement->execute();
    $statement->bind_result($n);
    while ($statement->fetch()) {
        $rows[] = $n;
    }
    $statement->close();
}
$notices = $s->told();
say("stream", ["rows" => $rows, "notices" => $notices, "next" => $s->rows("SELECT 7")]);
if ($mode === "prepared") {
    $statement = $s->db->prepare(ALL);
    $statement->attr_set(MYSQLI_STMT_ATTR_CURSOR_TYPE, MYSQLI_CURSOR_TYPE_READ_ONLY);
    $statement->execute();
    $statement->bind_result($n);
    $rows = [];
    while ($statement->fetch()) {
        $rows[] = $n;
    }
    $notices = $s->told();
    $statement->close();
    say("fetch_size", ["rows" => $rows, "notices" => $notices, "next" => $s->rows("SELECT 7")]);
}

$s = new Session();
$s->rows(ALL);
say("error", $s->fault("SELECT nothing") + ["rows" => $s->rows("SELECT 7")]);
$s->db->begin_transaction();
$s->run("INSERT INTO shelves VALUES (1)");
$s->rows(ALL);
$code = $s->fault("INSERT INTO shelves VALUES (1)")["code"];
$before = $s->rows("SELECT count(*) FROM shelves")[0];
$s->db->rollback();
say("transaction", ["code" => $code, "before" => $before, "after" => $s->rows("SELECT count(*) FROM shelves")[0]]);

$s = new Session();
if (getenv("MYSQL_FLAVOR") === "mariadb") {
    $rows = $s->rows("INSERT INTO shelves SELECT n FROM parcels WHERE n <= ? RETURNING n", 8);
    $notices = $s->told();
    say("returning", ["rows" => $rows, "stored" => $s->rows("SELECT count(*) FROM shelves")[0], "notices" => $notices]);
}
say("guard", ["rows" => count($s->run("SHOW VARIABLES")->fetch_all()), "notices" => $s->told()]);
if ($mode === "text") {
    $s->db->real_query("CALL lists()");
    say("call", ["rows" => $s->lists(), "notices" => $s->told()]);
    $s->db->multi_query(ALL . "; SELECT 7");
    say("script", ["rows" => $s->lists(), "notices" => $s->told()]);
} else {
    $statement = $s->db->prepare("CALL lists()");
    $statement->execute();
    $lists = [];
    do {
        if ($result = $statement->get_result()) {
            $lists[] = numbers($result);
        }
    } while ($statement->more_results() && $statement->next_result());
    say("call", ["rows" => $lists, "notices" => $s->told()]);
    $statement->close();
}

$s = new Session();
$s->run("SET sql_select_limit = 3");
$got = ["below" => $s->rows(ALL), "below_notices" => $s->told()];
$s->run("SET sql_select_limit = 9");
say("select_limit", $got + ["above" => $s->rows(ALL), "above_notices" => $s->told(), "setting" => $s->rows("SELECT @@sql_select_limit")[0]]);
