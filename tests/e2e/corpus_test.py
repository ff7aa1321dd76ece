"""Real files, and hostile ones, in one workspace: every file has a view or a labelled failure.

STAGED_CORPUS names the folder of files; without it the test is skipped. STAGED_CORPUS_FILES says how
many files are drawn for it (default 150; 0: all), STAGED_CORPUS_SECONDS how long they may take.
"""

import io
import json
import os
import sys
import time
import warnings

import harness
from harness import hash_of

try:
    import docx
    import openpyxl
except ImportError:
    docx = openpyxl = None

CORPUS = os.environ.get("STAGED_CORPUS", "")
COUNT = int(os.environ.get("STAGED_CORPUS_FILES", "150"))
SECONDS = float(os.environ.get("STAGED_CORPUS_SECONDS", "60"))
VIEW_SECONDS_MAX = 60
FOLDERS = ["csv", "docx", "hostile", "html", "ipynb", "json", "legacy", "md", "odf", "pdf", "pptx",
           "xlsb", "xlsx"]
FILE_BYTES_MAX = 4 << 20


def corpus_files():
    files = []
    for folder in FOLDERS:
        for parent, folders, names in os.walk(os.path.join(CORPUS, folder)):
            folders.sort()
            for name in sorted(names):
                path = os.path.join(parent, name)
                if os.path.isfile(path) and os.path.getsize(path) <= FILE_BYTES_MAX:
                    files.append(path)
    return files


class CorpusTest(harness.TestCase):

    def setUp(self):
        super().setUp()
        self.random, _ = harness.seeded_random()
        self.end = time.monotonic() + SECONDS
        self.files = {}
        chosen = corpus_files()
        total = len(chosen)
        if COUNT:
            # Half of the sample is hostile, as far as there are such files.
            hostile = [path for path in chosen if "/hostile/" in path]
            others = [path for path in chosen if "/hostile/" not in path]
            chosen = self.random.sample(hostile, min(len(hostile), COUNT // 2))
            chosen += self.random.sample(others, min(len(others), COUNT - len(chosen)))
        for number, path in enumerate(chosen):
            with open(path, "rb") as file:
                data = file.read()
            # Numbered folders: the corpus may have names that differ in case only.
            self.files[f"{number}/{os.path.basename(path)}"] = data
        print(f"{len(self.files)} of {total} files")
        self.space = self.workspace(self.files, init=False)

    def look_at(self, path, data):
        """Whether it has a view of its own format; never a crash, a hang or other bytes."""
        answer = self.space.run("view", path, "--json", timeout=VIEW_SECONDS_MAX)
        self.assertIn(answer.code, (0, 5), answer.err)
        view = answer.json()
        if answer.code == 5:
            self.assertIn(view["error"]["code"], ("parse_failed", "limit_exceeded"))
            return False
        self.assertEqual(view["hash"], hash_of(data), path)
        self.assertEqual(view["freshness"], "current", path)
        self.assertEqual(self.space.cat(path), data, path)
        locators = [record["locator"] for record in view["records"]]
        self.assertEqual(len(locators), len(set(locators)), path)
        return view["fallback"] is None

    def test_all_of_it(self):
        space = self.space
        answer = space.init()
        self.assertEqual(answer["files"], len(self.files), answer["skipped"])
        rows = {row["path"]: row["working"] for row in space.ok("status")["files"]}
        self.assertEqual(rows, {path: hash_of(data) for path, data in self.files.items()})
        indexed = space.run("index", timeout=10 * SECONDS)
        self.assertEqual(indexed.code, 0, indexed)
        seen = parsed = 0
        for path, data in self.files.items():
            if time.monotonic() > self.end:
                break
            parsed += self.look_at(path, data)
            seen += 1
        print(f"{seen} viewed, {parsed} by their own format")
        self.assertGreater(seen, 0)
        self.stage_a_sample()
        self.edit_office_files()
        self.assert_clean(space)

    def stage_a_sample(self):
        sample = self.random.sample(sorted(self.files), min(10, len(self.files)))
        for path in sample:
            data = self.files[path]
            cut = self.random.randrange(len(data) + 1)
            changed = data[:cut] + b"\x00changed" + data[cut:]
            answer = self.space.write(path, changed, hash_of(data))
            self.assertEqual(answer["hash"], hash_of(changed))
            self.assertEqual(self.space.cat(path), changed)
            self.files[path] = changed
        self.assertEqual({row["path"] for row in self.space.review()}, set(sample))
        self.assertEqual({row["path"] for row in self.space.submit()}, set(sample))
        for path in sample:
            self.assertEqual(self.space.load(path), self.files[path])

    def edit_office_files(self):
        done = 0
        paths = [path for path in self.files if path.endswith((".xlsx", ".docx"))]
        for path in self.random.sample(paths, len(paths)):
            if docx is None or time.monotonic() > self.end + SECONDS / 2:
                break
            done += self.edit_workbook(path) if path.endswith(".xlsx") else self.edit_document(path)
        print(f"{done} of {len(paths)} office files edited and read by another program")

    def oracle(self, load, path):
        """What the independent reader makes of the file now, or None where it cannot read it."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return load(io.BytesIO(self.files[path]))
        except Exception:  # the oracle's own limits are no finding
            return None

    def apply(self, path, operation):
        answer = self.space.run("edit", path, "-", "--base", hash_of(self.files[path]), "--json",
                                stdin=json.dumps([operation]).encode())
        if answer.code != 0:
            self.assertIn(answer.error(), ("parse_failed", "unsupported_edit", "limit_exceeded",
                                           "no_match", "ambiguous"), answer)
            return False
        self.files[path] = self.space.cat(path)
        return True

    def edit_workbook(self, path):
        before = self.oracle(openpyxl.load_workbook, path)
        if before is None or not before.worksheets:
            return 0
        sheet = before.worksheets[0].title
        row = before.worksheets[0].max_row + 3
        locator = "'" + sheet.replace("'", "''") + f"'!B{row}"
        if row > 1_000_000 or not self.apply(path, {"op": "set", "locator": locator, "value": 42}):
            return 0
        after = self.oracle(openpyxl.load_workbook, path)
        self.assertIsNotNone(after, path)
        self.assertEqual(after[sheet].cell(row, 2).value, 42, path)
        self.assertEqual(after.sheetnames, before.sheetnames, path)
        for cells in before[sheet].iter_rows(max_row=min(row - 3, 200)):
            for cell in cells:
                self.assertEqual(str(after[sheet][cell.coordinate].value), str(cell.value), path)
        return 1

    def edit_document(self, path):
        before = self.oracle(docx.Document, path)
        if before is None:
            return 0
        records = self.space.run("view", path, "--jsonl", "--kind", "paragraph").lines()
        # Only texts that stand once: python-docx hides paragraphs that the view shows.
        texts = [record["text"] for record in records]
        shown = [paragraph.text for paragraph in before.paragraphs]
        plain = [record for record in records
                 if record["locator"].startswith("p:") and record["text"].strip()
                 and texts.count(record["text"]) == shown.count(record["text"]) == 1]
        if not plain:
            return 0
        record = plain[0]
        word = record["text"].split()[0]
        if not self.apply(path, {"op": "replace_text", "locator": record["locator"], "find": word,
                                 "replace": "a & <b>", "occurrence": 1}):
            return 0
        after = self.oracle(docx.Document, path)
        self.assertIsNotNone(after, path)
        self.assertEqual(len(after.paragraphs), len(before.paragraphs), path)
        changed = [(old.text, new.text) for old, new in zip(before.paragraphs, after.paragraphs)
                   if old.text != new.text]
        self.assertEqual(len(changed), 1, (path, changed))
        self.assertIn("a & <b>", changed[0][1], path)
        return 1


if __name__ == "__main__":
    if not os.path.isdir(CORPUS):
        print("skipped: 1 test of the corpus's files; name the folder in STAGED_CORPUS")
        sys.exit(harness.SKIP)
    harness.main()
