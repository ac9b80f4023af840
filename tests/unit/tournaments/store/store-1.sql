BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL,
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('1');
CREATE TABLE matches (
	id TEXT NOT NULL,
	game TEXT NOT NULL,
	round INTEGER NOT NULL,
	block TEXT NOT NULL,
	deal TEXT NOT NULL,
	ties TEXT NOT NULL,
	reason TEXT NOT NULL,
	decisions INTEGER NOT NULL,
	play TEXT NOT NULL,
	replay TEXT NOT NULL,
	PRIMARY KEY (id)
);
INSERT INTO "matches" VALUES('coins-ab12-0001-r0','coins',1,'0001','0001','draw','most coins',9,'abababababababababababababababababababababababababababababababab','coins-ab12-0001-r0.jsonl');
INSERT INTO "matches" VALUES('coins-ab12-0001-r1','coins',1,'0001','0001','draw','most coins',9,'abababababababababababababababababababababababababababababababab','coins-ab12-0001-r1.jsonl');
CREATE TABLE notes (
	name TEXT NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY (name)
);
INSERT INTO "notes" VALUES('experiment','{}');
CREATE TABLE seats (
	match_id TEXT NOT NULL,
	seat INTEGER NOT NULL,
	bot TEXT NOT NULL,
	rank INTEGER NOT NULL,
	score INTEGER NOT NULL,
	fault TEXT NOT NULL,
	used_ms INTEGER NOT NULL,
	PRIMARY KEY (match_id, seat),
	FOREIGN KEY(match_id) REFERENCES matches (id)
);
INSERT INTO "seats" VALUES('coins-ab12-0001-r0',0,'ada',1,3,'',17);
INSERT INTO "seats" VALUES('coins-ab12-0001-r0',1,'bo',2,2,'',18);
INSERT INTO "seats" VALUES('coins-ab12-0001-r1',0,'bo',1,3,'',17);
INSERT INTO "seats" VALUES('coins-ab12-0001-r1',1,'ada',2,2,'late',18);
COMMIT;
