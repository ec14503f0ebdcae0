-- sysbench's own driver: modes of --db-ps-mode are auto (COM_STMT_EXECUTE where it prepares) and
-- disable. It runs this once, and shows a prepared statement's rows as a number only.
local all = "SELECT n FROM parcels ORDER BY n"
local con

local function quote(v)
  if type(v) == "table" then
    local parts = {}
    for i, e in ipairs(v) do parts[i] = quote(e) end
    return "[" .. table.concat(parts, ",") .. "]"
  end
  return type(v) == "string" and '"' .. v .. '"' or tostring(v)
end

local function say(check, got)
  local parts = {}
  for k, v in pairs(got) do parts[#parts + 1] = '"' .. k .. '":' .. quote(v) end
  print('{"check":"' .. check .. '","got":{' .. table.concat(parts, ",") .. "}}")
end

local function rows(query)
  local result = con:query(query)
  local list = {}
  for i = 1, result.nrows do list[i] = tonumber(result:fetch_row()[1]) end
  return list
end

local function warnings()
  local result = con:query("SHOW WARNINGS")
  local list = {}
  for i = 1, result.nrows do list[i] = result:fetch_row() end
  return list
end

function thread_init()
  con = sysbench.sql.driver():connect()
end

function event()
  local list = rows(all)
  say("rows", { rows = list, count = con:query(all).nrows })
  for _, w in ipairs(warnings()) do say("notice", { level = w[1], code = tonumber(w[2]), message = w[3] }) end
  list = rows("SELECT 7")
  say("step", { rows = list, notices = #warnings() })
  rows("SELECT n FROM parcels WHERE n > 'x' ORDER BY n")
  local codes, seen = {}, {}
  for _, w in ipairs(warnings()) do
    if not seen[w[2]] then codes[#codes + 1] = tonumber(w[2]) end
    seen[w[2]] = true
  end
  say("merged", { codes = codes })
  list = rows("SELECT n FROM parcels WHERE n <= 5 ORDER BY n")
  say("whole", { rows = list, notices = #warnings() })
  list = rows(all .. " LIMIT 3")
  say("own", { rows = list, notices = #warnings() })
  list = rows(all .. " LIMIT 12")
  say("clamped", { rows = list, notices = #warnings() })

  local above = con:prepare("SELECT n FROM parcels WHERE n > ? ORDER BY n")
  local n = above:bind_create(sysbench.sql.type.INT)
  above:bind_param(n)
  local cut, whole, notices = 0, 0, 0
  for _ = 1, 8 do
    n:set(2)
    if above:execute().nrows == 5 then cut = cut + 1 end
    notices = notices + #warnings()
    n:set(9)
    if above:execute().nrows == 3 then whole = whole + 1 end
    notices = notices + #warnings()
  end
  above:close()
  say("prepared", { cut = cut, whole = whole, notices = notices })

  list = con:query("SHOW VARIABLES").nrows
  say("guard", { rows = list, notices = #warnings() })
  con:query("SET sql_select_limit = 3")
  local below, below_notices = rows(all), #warnings()
  con:query("SET sql_select_limit = 9")
  list = rows(all)
  say("select_limit", { below = below, below_notices = below_notices, above = list, above_notices = #warnings(), setting = rows("SELECT @@sql_select_limit")[1] })
end

function thread_done()
  con:disconnect()
end
