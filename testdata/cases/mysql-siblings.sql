-- The tables of the cases in mysql-siblings.jsonl, whose setup adds to them.
CREATE TABLE parcels (n INT PRIMARY KEY, label VARCHAR(40) NOT NULL);
INSERT INTO parcels VALUES (1,'parcel 1'),(2,'parcel 2'),(3,'parcel 3'),(4,'parcel 4'),(5,'parcel 5'),(6,'parcel 6'),(7,'parcel 7'),(8,'parcel 8'),(9,'parcel 9'),(10,'parcel 10'),(11,'parcel 11'),(12,'parcel 12');
CREATE TABLE quotas (team VARCHAR(9) PRIMARY KEY, `limit` INT, `offset` INT, `rows` INT);
INSERT INTO quotas VALUES ('team 1',1,9,1),('team 2',2,8,4),('team 3',3,7,9),('team 4',4,6,16),('team 5',5,5,25),('team 6',6,4,36),('team 7',7,3,49),('team 8',8,2,64),('team 9',9,1,81);
CREATE TABLE scores (id INT PRIMARY KEY, pts INT);
INSERT INTO scores VALUES (1,1),(2,2),(3,2),(4,2),(5,3),(6,3),(7,3),(8,3),(9,3);
