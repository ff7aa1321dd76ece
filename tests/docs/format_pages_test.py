#!/usr/bin/env python3
"""format_pages.py passes complete pages, and names each thing that is missing."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from format_pages import problems  # noqa: E402

TEXT = {"name": "text", "edits": ["replace", "append"]}
CSV = {"name": "csv", "edits": ["set", "replace"]}
IMAGE = {"name": "image", "edits": []}
PAGES = {
    "text": "# Text\n| `replace`, `append` | `text` |\n",
    "csv": "# CSV\n`set` of a cell, and those of [lines](text.md#edits-of-lines)\n",
    "image": "# Images\nNo edits: `unsupported_edit`.\n",
}
INDEX = "| text | [Text](formats/text.md) |\n| csv | [CSV](formats/csv.md) |\n| image | [Images](formats/image.md) |\n"


def count(formats=(TEXT, CSV, IMAGE), index=INDEX, **changed):
    pages = {name: text for name, text in {**PAGES, **changed}.items() if text is not None}
    return len(list(problems(formats, pages, index)))


class FormatPagesTest(unittest.TestCase):
    def test_complete_pages_pass(self):
        self.assertEqual(count(), 0)

    def test_a_format_without_a_page_fails(self):
        self.assertEqual(count(image=None), 1)
        self.assertEqual(count(formats=[TEXT, CSV, IMAGE, {"name": "pdf", "edits": []}]), 1)

    def test_a_page_without_a_format_fails(self):
        self.assertEqual(count(formats=[TEXT, CSV]), 1)
        self.assertEqual(count(gone="# Gone\n"), 1)

    def test_an_edit_that_is_not_named_fails(self):
        self.assertEqual(count(text="# Text\n`replace`\n"), 1)
        self.assertEqual(count(csv="# CSV\n`set` of a cell\n"), 1)
        self.assertEqual(count(csv="# CSV\n```console\n$ echo `set`\n```\n[lines](text.md#edits-of-lines)\n"), 1)
        self.assertEqual(count(image="# Images\n"), 1)

    def test_a_format_that_the_index_does_not_link_fails(self):
        self.assertEqual(count(index=INDEX.replace("| csv |", "| csvs |")), 1)
        self.assertEqual(count(index=INDEX.replace("formats/csv.md", "formats/text.md")), 1)

    def test_formats_that_share_a_page(self):
        index = INDEX + "| json, jsonl | [JSON](formats/json.md) |\n"
        both = [{"name": "json", "edits": []}, {"name": "jsonl", "edits": []}]
        self.assertEqual(count([TEXT, CSV, IMAGE, *both], index, json="`unsupported_edit`"), 0)
        self.assertEqual(count([TEXT, CSV, IMAGE, *both], index.replace(", jsonl", ""), json="`unsupported_edit`"), 1)


if __name__ == "__main__":
    unittest.main()
