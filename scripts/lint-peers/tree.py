"""python3 tree.py FOLDER STATEMENTS repeating|distinct: writes files of 500 statements
each, as reports, migrations and programs have them. Where they are repeating, all are of
ten shapes and differ in numbers; where they are distinct, no two name the same tables."""

import pathlib
import sys

SHAPES = [
    "SELECT id, name, region FROM customers{x} WHERE region = {n} ORDER BY id LIMIT 50;\n",
    "SELECT o.id, c.name FROM orders{x} AS o JOIN customers{x} AS c ON c.id = o.customer_id WHERE o.total > {n};\n",
    "SELECT region, count(*) AS n, sum(total) AS sum FROM orders{x} WHERE placed_at >= {n} GROUP BY region HAVING count(*) > 5 "
    "ORDER BY sum DESC LIMIT 20;\n",
    "INSERT INTO orders{x} (customer_id, total, state) VALUES ({n}, 5, 1);\n",
    "SELECT id FROM items{x} WHERE order_id IN (SELECT id FROM orders{x} WHERE total > {n} ORDER BY id LIMIT 10) ORDER BY id LIMIT 5000;\n",
    "UPDATE customers{x} SET name = {n}, region = 4 WHERE id = {n};\n",
    "SELECT a.id, b.id, CASE WHEN a.total > {n} THEN 1 ELSE 0 END AS large FROM orders{x} AS a LEFT JOIN orders{x} AS b "
    "ON a.customer_id = b.customer_id AND a.id < b.id WHERE b.id IS NULL ORDER BY a.id LIMIT 100 OFFSET 200;\n",
    "DELETE FROM sessions{x} WHERE expires < {n};\n",
    "WITH latest AS (SELECT customer_id, max(id) AS id FROM orders{x} GROUP BY customer_id) SELECT l.customer_id, o.total "
    "FROM latest AS l JOIN orders{x} AS o ON o.id = l.id WHERE o.total > {n} ORDER BY o.total LIMIT 10;\n",
    "SELECT id FROM events{x} WHERE kind = {n} UNION ALL SELECT id FROM archive{x} WHERE kind = {n};\n",
]
EACH = 500

folder, statements, kind = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
folder.mkdir(parents=True, exist_ok=True)
for begin in range(0, statements, EACH):
    with open(folder / f"{begin // EACH:05}.sql", "w", encoding="utf-8") as out:
        for n in range(begin, min(begin + EACH, statements)):
            name = f"_{n}" if kind == "distinct" else ""
            out.write(SHAPES[n % len(SHAPES)].format(x=name, n=n + 10))
