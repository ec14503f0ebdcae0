package mysql

import "github.com/pingcap/tidb/pkg/parser/ast"

// nativeFunctions are functions that both servers have of their own: a name without a
// schema in front of a bracket never means a user's function then. Left out are those
// that read files, wait, lock, count (LAST_INSERT_ID with an argument) or take from a
// sequence.
var nativeFunctions = names(`
abs acos adddate addtime aes_decrypt aes_encrypt ascii asin atan atan2 bin bit_count bit_length ceil ceiling char
char_length character_length charset coalesce coercibility collation compress concat concat_ws connection_id conv
convert convert_tz cos cot crc32 curdate current_date current_role current_time current_timestamp current_user curtime
database date date_add date_format date_sub datediff day dayname dayofmonth dayofweek dayofyear degrees elt exp
export_set extract extractvalue field find_in_set floor format found_rows from_base64 from_days from_unixtime get_format
greatest hex hour if ifnull inet6_aton inet6_ntoa inet_aton inet_ntoa insert instr interval is_free_lock is_ipv4
is_ipv4_compat is_ipv4_mapped is_ipv6 is_used_lock isnull json_array json_array_append json_array_insert json_contains
json_contains_path json_depth json_extract json_insert json_keys json_length json_merge json_merge_patch
json_merge_preserve json_object json_overlaps json_quote json_remove json_replace json_search json_set
json_type json_unquote json_valid last_day lcase least left length ln localtime localtimestamp locate log log10 log2
lower lpad ltrim make_set makedate maketime microsecond mid minute mod month monthname now nullif oct octet_length
ord period_add period_diff pi position pow power quarter quote radians rand random_bytes regexp_instr regexp_replace
regexp_substr repeat replace reverse right round row_count rpad rtrim schema sec_to_time second session_user
2 sign sin soundex space sqrt strcmp str_to_date subdate substr substring substring_index subtime sysdate system_user
tan time time_format time_to_sec timediff timestamp timestampadd timestampdiff to_base64 to_days to_seconds trim
truncate ucase uncompress uncompressed_length unhex unix_timestamp updatexml upper user utc_date utc_time utc_timestamp
uuid uuid_short version week weekday weekofyear weight_string year yearweek`)

// windowFunctions are those that need OVER, in both servers.
var windowFunctions = names("row_number rank dense_rank cume_dist percent_rank ntile lead lag first_value last_value nth_value")

// parserFunctions are TiDB's own names for forms of the grammar: CHAR(…), INSERT(…),
// DATE '…', TIME '…', TIMESTAMP '…' and MEMBER OF.
var parserFunctions = map[string]bool{
	ast.CharFunc: true, ast.InsertFunc: true, ast.DateLiteral: true, ast.TimeLiteral: true, ast.TimestampLiteral: true, ast.JSONMemberOf: true,
}

// touching are native functions whose name has to touch the bracket. With a blank
// between them, or in backticks, the name is that of a user's function, but under
// IGNORE_SPACE (Function Name Parsing and Resolution in MySQL's manual).
var touching = names(`
adddate bit_and bit_or bit_xor cast count curdate curtime date_add date_sub extract group_concat json_arrayagg
json_objectagg max mid min now position session_user std stddev stddev_pop stddev_samp subdate substr substring sum
sysdate system_user trim variance var_pop var_samp`)
