"""What was forgotten is in no file of `.staged` any more: not as it was written, not compressed.

Every file there is searched for the words, as it is, and in whatever zstd frames and zip members
it holds, wherever they begin: free pages of a database and remains of a log are seen too.
"""

import ctypes
import ctypes.util
import io
import json
import os
import struct
import unittest
import zipfile
import zlib

import harness
from harness import hash_of

try:
    import docx
    import openpyxl
except ImportError:
    docx = openpyxl = None

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
ZIP_MAGIC = b"PK\x03\x04"
ZIP_MEMBER = struct.Struct("<4sHHHHHIIIHH")
EXPANDED_MAX = 1 << 26


def load_zstd():
    name = ctypes.util.find_library("zstd")
    if name is None:
        return None
    library = ctypes.CDLL(name)
    library.ZSTD_decompress.restype = ctypes.c_size_t
    library.ZSTD_getFrameContentSize.restype = ctypes.c_uint64
    library.ZSTD_findFrameCompressedSize.restype = ctypes.c_size_t
    return library


ZSTD = load_zstd()


def decode_frame(data):
    """The content of the zstd frame that `data` begins with, or None."""
    frame = ctypes.create_string_buffer(data, len(data))
    size = ZSTD.ZSTD_findFrameCompressedSize(frame, ctypes.c_size_t(len(data)))
    content_size = ZSTD.ZSTD_getFrameContentSize(frame, ctypes.c_size_t(len(data)))
    if size > len(data) or content_size > EXPANDED_MAX:
        return None
    content = ctypes.create_string_buffer(max(1, content_size))
    written = ZSTD.ZSTD_decompress(content, ctypes.c_size_t(content_size), frame,
                                   ctypes.c_size_t(size))
    return content.raw[:written] if written == content_size else None


def inflate_member(data):
    """What is left of the zip member whose local header `data` begins with."""
    if len(data) < ZIP_MEMBER.size:
        return b""
    name_size, extra_size = ZIP_MEMBER.unpack_from(data)[9:11]
    try:
        return zlib.decompressobj(-15).decompress(data[ZIP_MEMBER.size + name_size + extra_size:],
                                                  EXPANDED_MAX)
    except zlib.error:
        return b""


def texts_in(data, depth=3):
    """`data`, and all that is compressed in it."""
    yield data
    if depth == 0:
        return
    for magic, decode in ((ZSTD_MAGIC, decode_frame), (ZIP_MAGIC, inflate_member)):
        at = data.find(magic)
        while at >= 0:
            content = decode(data[at:])
            if content:
                yield from texts_in(content, depth - 1)
            at = data.find(magic, at + 1)


def files_with(folder, words):
    """The files below `folder` that hold one of the words, in any case: [(path, word)]."""
    found = set()
    for parent, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            with open(path, "rb") as file:
                data = file.read()
            for text in texts_in(data):
                lower = text.lower()
                found.update((os.path.relpath(path, folder), word) for word in words
                             if word.encode() in lower)
    return sorted(found)


def document(*paragraphs):
    file, out = docx.Document(), io.BytesIO()
    for number, text in enumerate(paragraphs):
        file.add_heading(text) if number == 0 else file.add_paragraph(text)
    file.save(out)
    return out.getvalue()


def workbook(rows):
    book, out = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(out)
    return out.getvalue()


def stored(archive):
    """The same archive without compression: its words lie in it as they are."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            target.writestr(name, source.read(name))
    return out.getvalue()


def filler(random, lines):
    return [" ".join(f"{random.choice('bcdfgh')}{random.randrange(10**6):06x}" for _ in range(8))
            for _ in range(lines)]


@unittest.skipIf(ZSTD is None or docx is None, "libzstd, python-docx or openpyxl is not there")
class ForgetTest(harness.TestCase):

    # Prefixes are shared in the index: what is searched for is what follows the first letters.
    WORD = "Zyqxoplatz"
    TAIL = "qxoplatz"

    def setUp(self):
        super().setUp()
        self.random, _ = harness.seeded_random()
        self.space = self.workspace({"other.txt": "\n".join(filler(self.random, 200)).encode()})

    def found(self, tail=TAIL):
        return files_with(self.space.path(".staged"), [tail])

    def contents(self, word):
        """Files of several formats, small and of several chunks, with the word in each."""
        lines = filler(self.random, 4000)
        long = lines[:2000] + [f"a line with {word} in it"] + lines[2000:]
        rows = [[line, number] for number, line in enumerate(lines[:600])]
        marked = rows[:300] + [[f"cell {word}", 7]] + rows[300:]
        book = workbook(marked)
        return {
            "small.txt": f"# {word}\n\nsome text\n".encode(),
            "long.txt": "\n".join(long).encode(),
            "page.md": f"# About {word}\n\nText.\n".encode(),
            "data.json": json.dumps({"name": word, "list": [1, 2]}).encode(),
            "table.csv": f"a,b\n1,{word}\n".encode(),
            "page.html": f"<html><body><h1>{word}</h1><p>text</p></body></html>".encode(),
            "code.py": f"def {word}():\n    return '{word}'\n".encode(),
            "text.docx": document("Title " + word, *lines[:100], "with " + word),
            "book.xlsx": book,
            "stored.xlsx": stored(book),
        }

    def forget_all(self, *hashes):
        for content in hashes:
            answer = self.space.run("forget", content, "--json")
            self.assertEqual(answer.code, 0, answer)
        self.assert_clean(self.space)

    def replace_all(self, contents):
        """Submits each file again, without the word; a file beside it stays as it is."""
        plain = self.contents("ordinary")
        for path in contents:
            self.space.write(path, plain[path])
        self.space.review()
        self.space.submit()

    def search(self, word):
        return {hit["path"] for hit in self.space.ok("search", word, "--limit", "1000")["hits"]}

    def test_nothing_of_a_content_is_left(self):
        contents = self.contents(self.WORD)
        for path, data in contents.items():
            self.space.write(path, data)
        self.assertEqual(self.search(self.WORD), set(contents))
        self.space.review()
        self.space.submit()
        self.replace_all(contents)
        self.assertEqual(self.search(self.WORD), set())
        self.assertTrue(self.found(), "the test sees nothing, whatever is there")
        self.forget_all(*map(hash_of, contents.values()))
        self.assertEqual(self.found(), [])
        self.assertEqual(self.search("ordinary"), set(contents))
        self.space.ok("gc")
        self.assertEqual(self.found(), [])

    def test_nothing_is_left_of_what_edits_wrote(self):
        plain = self.contents("ordinary")
        hashes = []
        for path in ("data.json", "book.xlsx", "text.docx"):
            self.space.publish(path, plain[path])
        hashes.append(self.space.edit(
            "data.json", [{"op": "set", "locator": "/name", "value": self.WORD}])["hash"])
        hashes.append(self.space.edit(
            "book.xlsx", [{"op": "set", "locator": "Sheet!A1", "value": self.WORD}])["hash"])
        hashes.append(self.space.edit(
            "text.docx", [{"op": "replace_text", "locator": "", "find": "ordinary",
                           "replace": self.WORD, "all": True}])["hash"])
        self.assertEqual(self.search(self.WORD), {"data.json", "book.xlsx", "text.docx"})
        self.space.ok("discard")
        self.assertTrue(self.found())
        self.forget_all(*hashes)
        self.assertEqual(self.found(), [])

    def test_nothing_is_left_of_what_two_versions_shared(self):
        first = self.contents(self.WORD)["long.txt"]
        second = first + b"one more line\n"
        for data in (first, second, b"short\n"):
            self.space.publish("long.txt", data)
        self.forget_all(hash_of(first))
        self.assertTrue(self.found())
        self.forget_all(hash_of(second))
        self.assertEqual(self.found(), [])


if __name__ == "__main__":
    harness.main()
