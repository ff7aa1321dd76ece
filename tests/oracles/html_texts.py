"""Prints what html5lib shows of the HTML files below the folders given: a line "file<TAB>path",
then each text of the page as JSON, its white space run together. Texts of scripts, style sheets
and comments are none."""
import json
import pathlib
import sys

import html5lib

SPACES = " \t\n\f\r"


def collapsed(text):
    for space in SPACES[1:]:
        text = text.replace(space, " ")
    return " ".join(word for word in text.split(" ") if word)


def walk(node, out):
    name = node.tag.rsplit("}", 1)[-1] if isinstance(node.tag, str) else None
    if name is not None and name not in ("script", "style") and node.text:
        out.append(node.text)
    for child in node:
        walk(child, out)
        if child.tail:
            out.append(child.tail)


def main():
    sys.setrecursionlimit(100_000)
    for folder in sys.argv[1:]:
        for path in sorted(pathlib.Path(folder).rglob("*.htm*")):
            if not path.is_file():
                continue
            source = path.read_bytes()
            try:
                text = source.decode("utf-8-sig")
            except UnicodeDecodeError:
                text = source.decode("windows-1252", "replace")
            out = []
            walk(html5lib.parse(text, scripting=False), out)
            print(f"file\t{path}")
            for text in map(collapsed, out):
                if text:
                    print(json.dumps(text))


main()
