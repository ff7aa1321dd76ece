#!/usr/bin/env python3
"""Every format has its page. usage: format_pages.py --staged PROGRAM

Each format that `staged formats` names has a page in docs/formats/, which docs/formats.md links to and
which names every edit that the format takes, or that it takes none; the page of text may name the
edits of lines for a page that links to it. No page is left without a format. Exit 0 none missing, 1 some.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

# Formats that share a page; all others have one of their own name.
PAGES = {"jsonl": "json", "odt": "odf", "ods": "odf", "odp": "odf",
         "doc": "legacy", "xls": "legacy", "ppt": "legacy", "rtf": "legacy"}
PAGES.update(dict.fromkeys(
    ["bash", "c", "cpp", "csharp", "css", "go", "java", "javascript", "php", "python", "ruby", "rust",
     "sql", "tsx", "typescript"], "code"))
LINES_PAGE = "text"


def named(page):
    """The words that a page shows as code."""
    prose = re.sub(r"^```.*?^```", "", page, flags=re.MULTILINE | re.DOTALL)
    return {word for code in re.findall(r"`([^`\n]+)`", prose) for word in re.findall(r"\w+", code)}


def problems(formats, pages, index):
    """What is wrong, a line each. `formats`: as `staged formats --json` has them; `pages`: texts by
    name; `index`: the text of docs/formats.md."""
    used = set()
    for entry in formats:
        name = PAGES.get(entry["name"], entry["name"])
        page = pages.get(name)
        if page is None:
            yield f"docs/formats/{name}.md: write the page of the format {entry['name']}"
            continue
        used.add(name)
        words = named(page)
        if f"({LINES_PAGE}.md#edits-of-lines)" in page:
            words |= named(pages.get(LINES_PAGE, ""))
        for edit in entry["edits"]:
            if edit not in words:
                yield f"docs/formats/{name}.md: say what the edit {edit} of {entry['name']} does"
        if not entry["edits"] and "unsupported_edit" not in words:
            yield f"docs/formats/{name}.md: say that {entry['name']} takes no edits (unsupported_edit)"
        if not re.search(rf"^\|[^|]*\b{re.escape(entry['name'])}\b.*\(formats/{name}\.md\)", index,
                         re.MULTILINE):
            yield f"docs/formats.md: give {entry['name']} a line with a link to formats/{name}.md"
    for name in sorted(set(pages) - used):
        yield f"docs/formats/{name}.md: no format has this page; delete it, or add it to PAGES"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--staged", required=True, type=pathlib.Path)
    options = arguments.parse_args()
    docs = pathlib.Path(__file__).resolve().parents[2] / "docs"
    listed = subprocess.run([options.staged.resolve(), "formats", "--json"], capture_output=True, check=True)
    formats = json.loads(listed.stdout)["formats"]
    pages = {path.stem: path.read_text(encoding="utf-8") for path in (docs / "formats").glob("*.md")}
    found = list(problems(formats, pages, (docs / "formats.md").read_text(encoding="utf-8")))
    print("\n".join(found) if found else f"{len(formats)} formats on {len(pages)} pages")
    return 1 if found or not formats else 0


if __name__ == "__main__":
    sys.exit(main())
