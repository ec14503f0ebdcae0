<?php
// PHP's PDO: modes native (prepared on the server) and emulated (simple queries).
$mode = $argv[1];
const ALL = "SELECT n FROM parcels ORDER BY n";

class Session
{
    public $pdo;

    function __construct()
    {
        global $mode;
        $dsn = sprintf("pgsql:host=%s;port=%s;dbname=%s", getenv("PGHOST"), getenv("PGPORT"), getenv("PGDATABASE"));
        $this->pdo = new PDO($dsn, getenv("PGUSER"), getenv("PGPASSWORD"), [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_EMULATE_PREPARES => $mode === "emulated"]);
    }

    function run($query, $values = [])
    {
        $statement = $this->pdo->prepare($query);
        foreach ($values as $i => $value) {
            $statement->bindValue($i + 1, $value, PDO::PARAM_INT);
        }
        $statement->execute();
        return $statement;
    }

    function rows($query, $values = [])
    {
        return numbers($this->run($query, $values));
    }

    function code($query)
    {
        try {
            $this->run($query)->fetchAll();
        } catch (PDOException $e) {
            return $e->errorInfo[0];
        }
        return null;
    }

    function last()
    {
        try {
            return json_decode($this->run("SHOW rowcap.last")->fetchColumn(), true);
        } catch (PDOException $e) {
            return null;
        }
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
say("step", ["rows" => $s->rows("SELECT 7")]);
$s->rows(ALL);
say("last", $s->last());

$s = new Session();
say("whole", ["rows" => $s->rows("SELECT n FROM parcels WHERE n <= 5 ORDER BY n"), "completeness" => $s->last()["completeness"] ?? null]);
say("own", ["rows" => $s->rows(ALL . " LIMIT 3")]);
say("clamped", ["rows" => $s->rows(ALL . " LIMIT ?", [12])]);

$s = new Session();
$above = $s->pdo->prepare("SELECT n FROM parcels WHERE n > ? ORDER BY n");
$cut = $whole = 0;
for ($i = 0; $i < 8; $i++) {
    $above->execute([2]);
    $cut += numbers($above) === [3, 4, 5, 6, 7];
    $above->execute([9]);
    $whole += numbers($above) === [10, 11, 12];
}
say("prepared", ["cut" => $cut, "whole" => $whole]);

$s = new Session();
$s->pdo->beginTransaction();
$pages = [];
$cursor = $s->pdo->prepare(ALL, [PDO::ATTR_CURSOR => PDO::CURSOR_SCROLL]); // a cursor of the server, fetched row by row
$cursor->execute();
for ($i = 0; $i < 12; $i++) {
    $pages[intdiv($i, 4)][] = (int) $cursor->fetchColumn();
}
$s->pdo->exec("DECLARE rest CURSOR FOR " . ALL);
say("cursor", ["pages" => $pages, "all" => $s->rows("FETCH ALL FROM rest"), "next" => $s->rows("FETCH NEXT FROM rest")]);
$s->pdo->rollBack();

$s = new Session();
$s->rows(ALL);
say("error", ["code" => $s->code("SELECT 1/0"), "rows" => $s->rows("SELECT 7")]);
$s->pdo->beginTransaction();
$s->rows(ALL);
$codes = [$s->code("SELECT 1/0"), $s->code("SELECT 7")];
$s->pdo->rollBack();
say("transaction", ["codes" => $codes, "rows" => $s->rows("SELECT 7")]);

$s = new Session();
$result = $s->run("INSERT INTO shelves SELECT g FROM generate_series(1, 8) AS g RETURNING n");
say("returning", ["rows" => numbers($result), "stored" => $s->rows("SELECT count(*) FROM shelves")[0]]);

$s = new Session();
say("guard", ["rows" => count($s->run("SHOW ALL")->fetchAll())]);
try {
    $s->pdo->pgsqlCopyToArray("parcels");
    $code = null;
} catch (PDOException $e) {
    $code = $e->errorInfo[0];
}
say("copy_out", ["code" => $code, "rows" => $s->rows("SELECT 7")]);
$s->pdo->pgsqlCopyFromArray("shelves", ["101", "102"]);
say("copy_in", ["stored" => $s->rows("SELECT count(*) FROM shelves WHERE n > 100")[0]]);
