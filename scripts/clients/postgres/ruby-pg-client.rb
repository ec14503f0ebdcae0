# Ruby's pg: modes simple (exec) and extended (exec_params).
require "json"
require "pg"

MODE = ARGV[0]
ALL = "SELECT n FROM parcels ORDER BY n"

class Session
  attr_reader :conn, :notices

  def initialize
    @conn = PG.connect
    @notices = []
    @conn.set_notice_receiver do |result|
      @notices << { severity: PG::PG_DIAG_SEVERITY, code: PG::PG_DIAG_SQLSTATE, message: PG::PG_DIAG_MESSAGE_PRIMARY,
                    detail: PG::PG_DIAG_MESSAGE_DETAIL, hint: PG::PG_DIAG_MESSAGE_HINT }.transform_values { |f| result.error_field(f) }
    end
  end

  def run(query, values = [])
    MODE == "extended" || !values.empty? ? @conn.exec_params(query, values) : @conn.exec(query)
  end

  def rows(query, values = []) = numbers(run(query, values))

  def code(query)
    run(query)
    nil
  rescue PG::Error => e
    e.result.error_field(PG::PG_DIAG_SQLSTATE)
  end

  def last = JSON.parse(@conn.parameter_status("rowcap.last"))
end

def numbers(result) = result.column_values(0).map(&:to_i)
def say(check, got) = puts({ check: check, got: got }.to_json)

s = Session.new
result = s.run(ALL)
say "rows", rows: numbers(result), count: result.cmd_tuples
say "notice", s.notices.pop
say "last", s.last
say "step", rows: s.rows("SELECT 7"), notices: s.notices.size

s = Session.new
say "whole", rows: s.rows("SELECT n FROM parcels WHERE n <= 5 ORDER BY n"), notices: s.notices.size, completeness: s.last["completeness"]
say "own", rows: s.rows("#{ALL} LIMIT 3"), notices: s.notices.size
rows = MODE == "extended" ? s.rows("#{ALL} LIMIT $1", [12]) : s.rows("#{ALL} LIMIT 12")
say "clamped", rows: rows, notices: s.notices.size

s = Session.new
s.conn.prepare("above", "SELECT n FROM parcels WHERE n > $1 ORDER BY n")
cut = whole = 0
8.times do
  cut += 1 if numbers(s.conn.exec_prepared("above", [2])) == [3, 4, 5, 6, 7]
  whole += 1 if numbers(s.conn.exec_prepared("above", [9])) == [10, 11, 12]
end
say "prepared", cut: cut, whole: whole, notices: s.notices.size

s = Session.new
s.conn.transaction do
  s.run("DECLARE pages CURSOR FOR #{ALL}")
  pages = 3.times.map { s.rows("FETCH 4 FROM pages") }
  s.run("DECLARE rest CURSOR FOR #{ALL}")
  say "cursor", pages: pages, all: s.rows("FETCH ALL FROM rest"), next: s.rows("FETCH NEXT FROM rest")
end

s = Session.new
s.rows(ALL)
say "error", code: s.code("SELECT 1/0"), rows: s.rows("SELECT 7")
s.run("BEGIN")
s.rows(ALL)
codes = [s.code("SELECT 1/0"), s.code("SELECT 7")]
s.run("ROLLBACK")
say "transaction", codes: codes, rows: s.rows("SELECT 7")

s = Session.new
result = s.run("INSERT INTO shelves SELECT g FROM generate_series(1, 8) AS g RETURNING n")
say "returning", rows: numbers(result), count: result.cmd_tuples, stored: s.rows("SELECT count(*) FROM shelves")[0], notices: s.notices.size

s = Session.new
say "guard", rows: s.run("SHOW ALL").ntuples, notices: s.notices.size
say "copy_out", code: s.code("COPY parcels TO STDOUT"), rows: s.rows("SELECT 7")
s.conn.copy_data("COPY shelves FROM STDIN") { %W[101\n 102\n].each { |line| s.conn.put_copy_data(line) } }
say "copy_in", stored: s.rows("SELECT count(*) FROM shelves WHERE n > 100")[0]

s = Session.new
if MODE == "simple"
  s.conn.send_query("#{ALL}; SELECT 7")
  results = []
  while (result = s.conn.get_result)
    results << numbers(result)
  end
  say "script", rows: results, notices: s.notices.size
else
  # One row at a time changes nothing on the wire, but much in libpq.
  s = Session.new
  s.conn.enter_pipeline_mode
  [[ALL, []], ["SELECT n FROM parcels WHERE n = $1", [7]], ["SELECT n FROM parcels WHERE n > $1 ORDER BY n", [6]]].each { |q, v| s.conn.send_query_params(q, v) }
  s.conn.pipeline_sync
  results = 3.times.map { numbers(s.conn.get_result).tap { s.conn.get_result } }
  say "pipeline", rows: results, notices: s.notices.size
end
