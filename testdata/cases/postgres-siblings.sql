-- The tables of the cases in postgres-siblings.jsonl, whose setup adds to them.
CREATE TABLE parcels (n int PRIMARY KEY, label text NOT NULL);
INSERT INTO parcels SELECT g, 'parcel ' || g FROM generate_series(1,12) AS g;
CREATE TABLE quotas (team text PRIMARY KEY, "limit" int, "offset" int, "fetch" int);
INSERT INTO quotas SELECT 'team ' || g, g, 10 - g, g * g FROM generate_series(1,9) g;
CREATE TABLE scores (id int PRIMARY KEY, pts int);
INSERT INTO scores SELECT g, CASE WHEN g<=1 THEN 1 WHEN g<=4 THEN 2 ELSE 3 END FROM generate_series(1,9) g;
