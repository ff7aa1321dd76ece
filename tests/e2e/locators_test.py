"""Locators and edits of each format, checked by reading the bytes with other programs' eyes."""

import csv
import io
import json

import harness
from harness import hash_of

try:
    import docx
    import openpyxl
except ImportError:
    docx = openpyxl = None


def workbook():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Sheet1"
    for row in range(1, 9):
        sheet.cell(row, 1, f"item {row}")
        sheet.cell(row, 2, row * 10)
    sheet["C1"] = "=SUM(B1:B8)"
    book.create_sheet("Q3")["C5"] = "third quarter"
    data = io.BytesIO()
    book.save(data)
    return data.getvalue()


def document():
    document = docx.Document()
    document.add_heading("Report", 1)
    paragraph = document.add_paragraph("The old ")
    paragraph.add_run("value").bold = True
    paragraph.add_run(" & more.")
    for number in range(3, 13):
        document.add_paragraph(f"Paragraph {number}")
    table = document.add_table(2, 2)
    table.cell(1, 1).text = "corner"
    data = io.BytesIO()
    document.save(data)
    return data.getvalue()


class EditingCase(harness.TestCase):

    def at(self, space, path, locator):
        answer = space.run("view", path, "--at", locator, "--json")
        self.assertEqual(answer.code, 0, answer)
        records = answer.json()["records"]
        self.assertEqual(len(records), 1, (locator, records))
        return records[0]

    def edited(self, name, data, *operations):
        """The bytes after the edits, staged, and re-read by hash."""
        space = self.workspace({name: data}, name="edit-" + name)
        answer = space.edit(name, list(operations))
        result = space.cat(name, answer["hash"])
        self.assertEqual(hash_of(result), answer["hash"])
        self.assertEqual(space.load(name), data)
        return result

    def refused(self, name, data, code, *operations):
        space = self.workspace({name: data}, name="refused-" + code + name)
        answer = space.run("edit", name, "-", "--base", hash_of(data), "--json",
                           stdin=json.dumps(operations).encode())
        self.assert_error(answer, code)
        self.assertEqual(space.cat(name), data)


class TextTest(EditingCase):

    def test_lines_of_every_text_format(self):
        files = {"a.txt": b"one\ntwo\nthree\n", "a.csv": b"id,price\n1,5\n2,7\n",
                 "a.json": b'{\n "a": 1,\n "b": 2\n}\n', "a.md": b"# One\n\nTwo\n",
                 "a.py": b"import os\nX = 1\nY = 2\n", "a.cc": b"int a;\nint b;\nint c;\n"}
        for name, data in files.items():
            edit = {"op": "replace", "locator": "line:2", "text": data.splitlines()[1].decode()}
            first = self.edited(name, data, {**edit, "text": edit["text"]})
            self.assertEqual(first, data, name)
            self.refused(name, data, "no_match", {**edit, "locator": "line:99"})

    def test_text(self):
        data = b"\xef\xbb\xbfone\r\ntwo\r\nthree"
        self.assertEqual(self.edited("a.txt", data, {"op": "replace_text", "locator": "line:2",
                                                     "find": "two", "replace": "2 & <2>"}),
                         b"\xef\xbb\xbfone\r\n2 & <2>\r\nthree")
        self.assertEqual(self.edited("b.txt", b"1\n2\n3\n4\n5\n6\n",
                                     {"op": "delete", "locator": "line:3-5"}), b"1\n2\n6\n")
        self.refused("c.txt", data, "no_match", {"op": "replace_text", "locator": "line:1",
                                                 "find": "two", "replace": "x"})

    def test_csv(self):
        rows = "".join(f"{i},{i}\n" for i in range(2, 20))
        data = ("id,price\n" + rows).encode()
        changed = self.edited("a.csv", data, {"op": "set", "locator": "r:17/c:price",
                                              "value": 'a "b", c'})
        parsed = list(csv.reader(io.StringIO(changed.decode())))
        expected = list(csv.reader(io.StringIO(data.decode())))
        expected[16][1] = 'a "b", c'
        self.assertEqual(parsed, expected, "row 17 counts the header as row 1")
        twins = b"id,price,price\n1,5,6\n"
        self.assertEqual(self.edited("b.csv", twins, {"op": "set", "locator": "r:2/c:price#2",
                                                      "value": "7"}), b"id,price,price\n1,5,7\n")
        space = self.workspace({"c.csv": data})
        self.assertEqual(self.at(space, "c.csv", "r:17/c:price")["text"], "17")

    def test_json(self):
        data = b'{"a": {"b": [1, 2.50]},  "n": 12345678901234567890}\n'
        changed = self.edited("a.json", data, {"op": "set", "locator": "/a/b/0", "value": {"x": 1}})
        self.assertEqual(json.loads(changed), {"a": {"b": [{"x": 1}, 2.5]},
                                               "n": 12345678901234567890})
        self.assertIn(b'2.50]},  "n": 12345678901234567890}\n', changed)
        self.refused("b.json", data, "no_match", {"op": "set", "locator": "/a/c/0", "value": 1})
        self.refused("c.json", data, "no_match", {"op": "set", "locator": "/a/b/0", "value": 1,
                                                  "expect": 2})

    def test_code_and_markdown(self):
        data = b"def f():\n    return 1\n\n\nclass C:\n    def m(self):\n        return 2\n"
        space = self.workspace({"a.py": data})
        self.assertIn("m", self.at(space, "a.py", "sym:C.m")["locator"])
        changed = self.edited("b.py", data, {"op": "replace_text", "locator": "sym:C.m",
                                             "find": "return 2", "replace": "return 3"})
        self.assertEqual(changed, data.replace(b"return 2", b"return 3"))
        self.refused("c.py", data, "no_match", {"op": "replace_text", "locator": "sym:C.absent",
                                                "find": "a", "replace": "b"})
        page = b"# Intro\n\nold text\n\n## Setup\n\nold text\n"
        changed = self.edited("a.md", page, {"op": "replace_text", "locator": "line:7",
                                             "find": "old", "replace": "new"})
        self.assertEqual(changed, b"# Intro\n\nold text\n\n## Setup\n\nnew text\n")


@harness.needs(openpyxl)
class WorkbookTest(EditingCase):

    def load(self, data):
        return openpyxl.load_workbook(io.BytesIO(data))

    def test_cells_and_formulas(self):
        data = workbook()
        changed = self.edited("a.xlsx", data, {"op": "set", "locator": "Sheet1!B7", "value": 42},
                              {"op": "set", "locator": "Sheet1!C7", "formula": "B7*2"},
                              {"op": "set", "locator": "Q3!C5", "value": "a & <b>"})
        book, before = self.load(changed), self.load(data)
        self.assertEqual(book["Sheet1"]["B7"].value, 42)
        self.assertEqual(book["Sheet1"]["C7"].value, "=B7*2")
        self.assertEqual(book["Q3"]["C5"].value, "a & <b>")
        for row in before["Sheet1"].iter_rows():
            for cell in row:
                if cell.coordinate not in ("B7", "C7"):
                    self.assertEqual(book["Sheet1"][cell.coordinate].value, cell.value)
        self.refused("b.xlsx", data, "no_match", {"op": "set", "locator": "Absent!A1", "value": 1})
        self.refused("c.xlsx", data, "no_match", {"op": "set", "locator": "Sheet1!B7", "value": 1,
                                                  "expect": 71})
        self.refused("d.xlsx", data, "unsupported_edit", {"op": "dance", "locator": "Sheet1!B7"})

    def test_record_and_its_spellings(self):
        space = self.workspace({"a.xlsx": workbook()})
        record = self.at(space, "a.xlsx", "Sheet1!B7")
        self.assertEqual((record["kind"], record["text"]), ("cell", "70"))
        self.assertEqual((record["attrs"]["type"], record["attrs"]["value"]), ("number", 70))
        formula = self.at(space, "a.xlsx", "Sheet1!C1")
        self.assertEqual(formula["attrs"]["formula"], "SUM(B1:B8)")
        for spelling in ("Q3!C5", "'Q3'!C5", "'Q3'!$C$5", "Q3!c5"):
            self.assertEqual(self.at(space, "a.xlsx", spelling)["text"], "third quarter", spelling)


@harness.needs(docx)
class DocumentTest(EditingCase):

    def texts(self, data):
        return [paragraph.text for paragraph in docx.Document(io.BytesIO(data)).paragraphs]

    def test_paragraphs(self):
        data = document()
        space = self.workspace({"a.docx": data})
        record = self.at(space, "a.docx", "p:12")
        self.assertEqual((record["kind"], record["text"]), ("paragraph", "Paragraph 12"))
        heading = self.at(space, "a.docx", "p:1")
        self.assertEqual((heading["attrs"]["style"], heading["attrs"]["level"]), ("Heading 1", 1))
        self.assertEqual(self.at(space, "a.docx", "t:1/r:2/c:2/p:1")["text"], "corner")
        changed = self.edited("b.docx", data, {"op": "replace_text", "locator": "p:2",
                                               "find": "old value", "replace": "new & <price>"})
        expected = self.texts(data)
        expected[1] = "The new & <price> & more."
        self.assertEqual(self.texts(changed), expected)
        self.refused("c.docx", data, "no_match", {"op": "replace_text", "locator": "p:3",
                                                  "find": "old value", "replace": "x"})
        self.refused("d.docx", data, "no_match", {"op": "replace_text", "locator": "p:99",
                                                  "find": "old", "replace": "x"})


if __name__ == "__main__":
    harness.main()
