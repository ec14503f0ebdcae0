CREATE TABLE invoices (id int PRIMARY KEY, customer text NOT NULL, status text NOT NULL);
INSERT INTO invoices
SELECT g, 'customer ' || 1 + (g * 7919) % 500, CASE WHEN g % 6 = 1 AND g <= 11080 THEN 'overdue' ELSE 'paid' END
FROM generate_series(1, 20000) AS g;
