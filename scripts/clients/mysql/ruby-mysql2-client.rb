# Ruby's mysql2: modes text (query) and prepared (prepare and execute).
require "json"
require "mysql2"

MODE = ARGV[0]
ALL = "SELECT n FROM parcels ORDER BY n"

class Session
  attr_reader :conn

  def initialize
    @conn = Mysql2::Client.new(host: ENV["MYSQL_HOST"], port: ENV["MYSQL_TCP_PORT"].to_i, username: ENV["MYSQL_USER"], password: ENV["MYSQL_PWD"],
                               database: ENV["MYSQL_DATABASE"], flags: Mysql2::Client::MULTI_STATEMENTS)
  end

  def run(query, value = nil)
    return @conn.query(value ? query.sub("?", value.to_s) : query) if MODE == "text"
    statement = @conn.prepare(query)
    value ? statement.execute(value) : statement.execute
  end

  def rows(query, value = nil) = numbers(run(query, value))

  def lists(query)
    result = @conn.query(query)
    lists = []
    loop do
      lists << numbers(result) if result
      break unless @conn.next_result
      result = @conn.store_result
    end
    lists
  end

  def fault(query)
    run(query)
    {}
  rescue Mysql2::Error => e
    { code: e.error_number, state: e.sql_state }
  end

  def warnings = @conn.query("SHOW WARNINGS").to_a

  # The count of the result, and that of SHOW WARNINGS where they differ.
  def told
    count, listed = @conn.warning_count, warnings.size
    count == listed ? count : "#{count}, and #{listed} listed"
  end
end

def numbers(result) = result.map { |row| row.values.first.to_i }
def say(check, got) = puts({ check: check, got: got }.to_json)

s = Session.new
result = s.run(ALL)
count = s.conn.warning_count
say "rows", rows: numbers(result), count: result.count
s.warnings.each { |w| say "notice", count: count, level: w["Level"], code: w["Code"], message: w["Message"] }
say "step", rows: s.rows("SELECT 7"), notices: s.told
s.rows("SELECT n FROM parcels WHERE n > 'x' ORDER BY n")
say "merged", codes: s.warnings.map { |w| w["Code"] }.uniq
say "whole", rows: s.rows("SELECT n FROM parcels WHERE n <= ? ORDER BY n", 5), notices: s.told
say "own", rows: s.rows("#{ALL} LIMIT ?", 3), notices: s.told
say "clamped", rows: s.rows("#{ALL} LIMIT ?", 12), notices: s.told

above = s.conn.prepare("SELECT n FROM parcels WHERE n > ? ORDER BY n")
cut = whole = notices = 0
8.times do
  cut += 1 if numbers(above.execute(2)) == [3, 4, 5, 6, 7]
  notices += s.told
  whole += 1 if numbers(above.execute(9)) == [10, 11, 12]
  notices += s.told
end
above.close
say "prepared", cut: cut, whole: whole, notices: notices

# Row by row from the wire; a prepared statement opens a cursor of the server for
# it.
s = Session.new
if MODE == "text"
  rows = numbers(s.conn.query(ALL, stream: true, cache_rows: false))
  say "stream", rows: rows, notices: s.told, next: s.rows("SELECT 7")
else
  statement = s.conn.prepare(ALL)
  rows = numbers(statement.execute(stream: true, cache_rows: false))
  say "fetch_size", rows: rows, notices: s.told, next: s.rows("SELECT 7")
end

s = Session.new
s.rows(ALL)
say "error", s.fault("SELECT nothing").merge(rows: s.rows("SELECT 7"))
s.conn.query("START TRANSACTION")
s.run("INSERT INTO shelves VALUES (1)")
s.rows(ALL)
code = s.fault("INSERT INTO shelves VALUES (1)")[:code]
before = s.rows("SELECT count(*) FROM shelves")[0]
s.conn.query("ROLLBACK")
say "transaction", code: code, before: before, after: s.rows("SELECT count(*) FROM shelves")[0]

s = Session.new
if ENV["MYSQL_FLAVOR"] == "mariadb"
  rows = s.rows("INSERT INTO shelves SELECT n FROM parcels WHERE n <= ? RETURNING n", 8)
  notices = s.told
  say "returning", rows: rows, stored: s.rows("SELECT count(*) FROM shelves")[0], notices: notices
end
say "guard", rows: s.run("SHOW VARIABLES").count, notices: s.told
if MODE == "text"
  say "call", rows: s.lists("CALL lists()"), notices: s.told
  say "script", rows: s.lists("#{ALL}; SELECT 7"), notices: s.told
end

s = Session.new
s.conn.query("SET sql_select_limit = 3")
below = { below: s.rows(ALL), below_notices: s.told }
s.conn.query("SET sql_select_limit = 9")
say "select_limit", below.merge(above: s.rows(ALL), above_notices: s.told, setting: s.rows("SELECT @@sql_select_limit")[0])
