"""Prints what Python's csv module reads with a given delimiter: a JSON list of rows."""
import csv
import json
import sys

csv.field_size_limit(1 << 30)
delimiter = sys.argv[1].rsplit("@", 1)[1]
path = sys.argv[1].rsplit("@", 1)[0]
with open(path, encoding="utf-8-sig", newline="") as source:
    rows = list(csv.reader(source, delimiter="\t" if delimiter == "tab" else delimiter))
for row in rows:
    print(json.dumps(row))
