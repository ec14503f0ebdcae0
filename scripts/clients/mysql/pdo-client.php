<?php
// PHP's PDO: modes native (prepared on the server) and emulated (values in the
// text). It shows no counts of warnings; SHOW WARNINGS tells.
$mode = $argv[1];
const ALL = "SELECT n FROM parcels ORDER BY n";

class Session
{
    public $pdo;

    function __construct($options = [])
    {
        global $mode;
        $dsn = sprintf("mysql:host=%s;port=%s;dbname=%s", getenv("MYSQL_HOST"), getenv("MYSQL_TCP_PORT"), getenv("MYSQL_DATABASE"));
        $this->pdo = new PDO($dsn, getenv("MYSQL_USER"), getenv("MYSQL_PWD"),
            $options + [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_EMULATE_PREPARES => $mode === "emulated"]);
    }

    function run($query, $value = null)
    {
        $statement = $this->pdo->prepare($query);
        if ($value !== null) {
            $statement->bindValue(1, $value, PDO::PARAM_INT);
        }
        $statement->execute();
        return $statement;
    }

    function rows($query, $value = null)
    {
        return numbers($this->run($query, $value));
    }

    function lists($query)
    {
        $statement = $this->run($query);
        $lists = [];
        do {
            // In the native mode the end of a CALL looks like a result without rows.
            if ($statement->columnCount() && ($list = numbers($statement))) {
                $lists[] = $list;
            }
        } while ($statement->nextRowset());
        return $lists;
    }

    function fault($query)
    {
        try {
            $this->run($query)->fetchAll();
        } catch (PDOException $e) {
            return ["code" => $e->errorInfo[1], "state" => $e->errorInfo[0]];
        }
        return [];
    }

    function warnings($prepared = false)
    {
        global $mode;
        $this->pdo->setAttribute(PDO::ATTR_EMULATE_PREPARES, !$prepared);
        $list = $this->pdo->query("SHOW WARNINGS")->fetchAll(PDO::FETCH_NUM);
        $this->pdo->setAttribute(PDO::ATTR_EMULATE_PREPARES, $mode === "emulated");
        return $list;
    }

    // MySQL prepares no SHOW WARNINGS: in the native mode its error for that takes the
    // place of its own warnings, and PDO then sends the text. The notices stay.
    function told()
    {
        global $mode;
        return count(array_filter($this->warnings($mode === "native"), fn($w) => $w[1] == 61001));
    }
}

function numbers($statement)
{
    return array_map('intval', $statement->fetchAll(PDO::FETCH_COLUMN));
}

function say($check, $got)
{
    echo json_encode(["check" => $check, "got" => $got]), "\n";
}

$s = new Session();
$result = $s->run(ALL);
say("rows", ["rows" => numbers($result), "count" => $result->rowCount()]);
foreach ($s->warnings() as [$level, $code, $message]) {
    say("notice", ["level" => $level, "code" => (int) $code, "message" => $message]);
}
say("step", ["rows" => $s->rows("SELECT 7"), "notices" => $s->told()]);
$s->rows("SELECT n FROM parcels WHERE n > 'x' ORDER BY n");
say("merged", ["codes" => array_map('intval', array_values(array_unique(array_column($s->warnings(), 1))))]);
say("whole", ["rows" => $s->rows("SELECT n FROM parcels WHERE n <= ? ORDER BY n", 5), "notices" => $s->told()]);
say("own", ["rows" => $s->rows(ALL . " LIMIT ?", 3), "notices" => $s->told()]);
say("clamped", ["rows" => $s->rows(ALL . " LIMIT ?", 12), "notices" => $s->told()]);

$above = $s->pdo->prepare("SELECT n FROM parcels WHERE n > ? ORDER BY n");
$cut = $whole = $notices = 0;
for ($i = 0; $i < 8; $i++) {
    $above->execute([2]);
    $cut += numbers($above) === [3, 4, 5, 6, 7];
    $notices += $s->told();
    $above->execute([9]);
    $whole += numbers($above) === [10, 11, 12];
    $notices += $s->told();
}
say("prepared", ["cut" => $cut, "whole" => $whole, "notices" => $notices]);

$s = new Session([PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => false]);
$result = $s->run(ALL);
$rows = [];
while (($n = $result->fetchColumn()) !== false) {
    $rows[] = (int) $n;
}
$result = null;
$notices = $s->told();
say("stream", ["rows" => $rows, "notices" => $notices, "next" => $s->rows("SELECT 7")]);

$s = new Session();
$s->rows(ALL);
say("error", $s->fault("SELECT nothing") + ["rows" => $s->rows("SELECT 7")]);
$s->pdo->beginTransaction();
$s->run("INSERT INTO shelves VALUES (1)");
$s->rows(ALL);
$code = $s->fault("INSERT INTO shelves VALUES (1)")["code"];
$before = $s->rows("SELECT count(*) FROM shelves")[0];
$s->pdo->rollBack();
say("transaction", ["code" => $code, "before" => $before, "after" => $s->rows("SELECT count(*) FROM shelves")[0]]);

$s = new Session();
if (getenv("MYSQL_FLAVOR") === "mariadb") {
    $rows = $s->rows("INSERT INTO shelves SELECT n FROM parcels WHERE n <= ? RETURNING n", 8);
    $notices = $s->told();
    say("returning", ["rows" => $rows, "stored" => $s->rows("SELECT count(*) FROM shelves")[0], "notices" => $notices]);
}
say("guard", ["rows" => count($s->run("SHOW VARIABLES")->fetchAll()), "notices" => $s->told()]);
say("call", ["rows" => $s->lists("CALL lists()"), "notices" => $s->told()]);
if ($mode === "emulated") {
    say("script", ["rows" => $s->lists(ALL . "; SELECT 7"), "notices" => $s->told()]);
}

$s = new Session();
$s->run("SET sql_select_limit = 3");
$got = ["below" => $s->rows(ALL), "below_notices" => $s->told()];
$s->run("SET sql_select_limit = 9");
say("select_limit", $got + ["above" => $s->rows(ALL), "above_notices" => $s->told(), "setting" => $s->rows("SELECT @@sql_select_limit")[0]]);
