"""Prints the texts of a folder's notebooks: a line "file<TAB>path" each, then a line "source|output<TAB>text as JSON" each, as the nbformat
package reads them; as plain JSON where that package is absent or refuses the file."""
import json
import pathlib
import sys

TEXTUAL = {"text", "html", "latex", "svg", "javascript"}


def joined(value):
    return "".join(value) if isinstance(value, list) else value


def read(path):
    try:
        import nbformat
        return nbformat.read(path, as_version=nbformat.NO_CONVERT)
    except Exception:
        with open(path, encoding="utf-8") as source:
            return json.load(source)


def output_texts(output):
    kind = output.get("output_type")
    if kind == "stream":
        yield joined(output.get("text", ""))
    elif kind in ("error", "pyerr"):
        yield "\n".join(output.get("traceback", []))
    elif "data" in output:
        for mime_type, value in output["data"].items():
            if mime_type.startswith("text/") or mime_type == "image/svg+xml":
                yield joined(value)
    else:
        for name, value in output.items():
            if name in TEXTUAL:
                yield joined(value)


def show(path):
    notebook = read(path)
    cells = notebook.get("cells")
    if cells is None:
        cells = [cell for sheet in notebook.get("worksheets", []) for cell in sheet.get("cells", [])]
    for cell in cells:
        source = joined(cell.get("source", cell.get("input")))
        if source is not None:
            yield "source\t" + json.dumps(source)
        for output in cell.get("outputs", []):
            for text in output_texts(output):
                if isinstance(text, str):
                    yield "output\t" + json.dumps(text)


def main():
    for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.ipynb")):
        try:
            lines = list(show(str(path)))
        except Exception:
            continue
        print("\n".join(["file\t" + str(path)] + lines))


main()
