-- What is drawn.
CREATE TABLE shop.shapes (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL, -- what people call it
  width REAL DEFAULT 1.0
);

/* By name. */
CREATE UNIQUE INDEX shapes_by_name ON shop.shapes (name);

CREATE VIEW big AS SELECT id FROM shop.shapes WHERE width > 3;
CREATE MATERIALIZED VIEW cached AS SELECT 1;

CREATE FUNCTION area(width REAL) RETURNS REAL AS $$ SELECT width * width $$ LANGUAGE sql;

CREATE TRIGGER audit AFTER INSERT ON shapes FOR EACH ROW EXECUTE FUNCTION note();
CREATE TYPE color AS ENUM ('red', 'green');
CREATE SEQUENCE shape_ids;
CREATE SCHEMA drafts;

INSERT INTO shop.shapes VALUES (1, 'circle', 2.0);
