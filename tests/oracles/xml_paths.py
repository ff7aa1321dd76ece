"""Prints what Python's minidom makes of the XML files below the folders given, at most 150 of each:
a line "file<TAB>path", then a line "locator<TAB>text as JSON" for each element, attribute and
comment, sorted; of elements the text only where they have no children."""
import json
import pathlib
import sys
from xml.dom import Node, minidom

SIZE_MAX = 60_000
FILES_MAX = 150


def walk(parent, node, counts, out):
    if node.nodeType == Node.COMMENT_NODE:
        name = "comment()"
    elif node.nodeType == Node.PROCESSING_INSTRUCTION_NODE:
        return
    elif node.nodeType == Node.ELEMENT_NODE:
        name = node.tagName
    else:
        return
    counts[name] = counts.get(name, 0) + 1
    locator = f"{parent}/{name}" + ("" if counts[name] == 1 else f"[{counts[name]}]")
    if node.nodeType == Node.COMMENT_NODE:
        out.append(f"{locator}\t{json.dumps(node.data)}")
        return
    kinds = {child.nodeType for child in node.childNodes}
    is_leaf = not kinds - {Node.TEXT_NODE, Node.CDATA_SECTION_NODE}
    text = "".join(child.data for child in node.childNodes) if is_leaf else ""
    out.append(f"{locator}\t{json.dumps(text)}")
    for name, value in node.attributes.items():
        out.append(f"{locator}/@{name}\t{json.dumps(value)}")
    inner = {}
    for child in node.childNodes:
        walk(locator, child, inner, out)


def main():
    for folder in sys.argv[1:]:
        shown = 0
        for path in sorted(pathlib.Path(folder).rglob("*.xml")):
            try:
                source = path.read_bytes()
                if len(source) > SIZE_MAX or b"<!ENTITY" in source or b"<!ATTLIST" in source:
                    continue
                document = minidom.parseString(source)
            except Exception:
                continue
            out, counts = [], {}
            for node in document.childNodes:
                walk("", node, counts, out)
            print("\n".join([f"file\t{path}"] + sorted(out)))
            shown += 1
            if shown == FILES_MAX:
                break


main()
