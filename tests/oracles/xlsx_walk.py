"""Every part and every text of workbooks, found by a walk over their XML that knows no records.

usage: xlsx_walk.py FOLDER

Prints as office_walk.py says. Each item is a letter, the part's name and a value, with tabs between:
P  the digest of a part's bytes
T  a text: of cells, formulas, comments, drawings, charts, headers, names, rules, properties
N  a number that a cell or a chart holds
Shared strings that no cell uses come as U.
"""
import hashlib
import re
import xml.etree.ElementTree as ET
import zipfile

from office_walk import print_texts

EXTENSIONS = (".xlsx", ".xlsm", ".xltx", ".xltm")
PAGE_TEXTS = {"oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter"}
TEXTS = {"t", "text", "author", "definedName", "formula", "formula1", "formula2", "f",
         "calculatedColumnFormula"} | PAGE_TEXTS
ATTRIBUTES = {
    "tableColumn": ["name", "totalsRowLabel"], "table": ["displayName"],
    "hyperlink": ["display", "tooltip", "location"], "cNvPr": ["name", "descr", "title"],
    "dataValidation": ["prompt", "promptTitle", "error", "errorTitle"], "sheet": ["name"],
    "cacheField": ["name"], "dataField": ["name"], "inputCells": ["val"], "s": ["v"],
    "pivotTableDefinition": ["name"], "connection": ["name", "description"], "slicer": ["caption"],
    "cellStyle": ["name"], "numFmt": [], "sheetName": ["val"]}


def local(name):
    return name.rpartition("}")[2]


def decode(text):
    """Escapes of ST_Xstring."""
    units = re.sub(r"_x([0-9A-Fa-f]{4})_", lambda m: chr(int(m.group(1), 16)), text)
    units = units.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return max(re.split("[\0\1]", units), key=len)  # those bytes part the items


def number_of(text):
    try:
        return repr(float(text)) if re.match(r"\s*[-+]?[.\d]", text) else None
    except ValueError:
        return None


def is_stranger(part):
    return part.endswith(".rels") or part.lower() == "[content_types].xml"


def texts_of(path):
    items = []
    archive = zipfile.ZipFile(path)
    roots = {}
    for info in archive.infolist():
        data = archive.read(info)
        items.append("P\t%s\t%s" % (info.filename, hashlib.sha256(data).hexdigest()))
        if info.filename.lower().endswith((".xml", ".vml")) and not is_stranger(info.filename):
            try:
                roots[info.filename] = ET.fromstring(data)
            except ET.ParseError:
                pass
    used = set()
    strings = {}
    for part, root in roots.items():
        if local(root.tag) == "sst":
            strings[part] = root
            continue
        walk(part, root, items, used)
    for part, root in strings.items():
        for index, item in enumerate(e for e in root if local(e.tag) == "si"):
            for element in item.iter():
                if local(element.tag) == "t" and element.text:
                    letter = "T" if index in used else "U"
                    items.append("%s\t%s\t%s" % (letter, part, decode(element.text)))
    return items


def walk(part, root, items, used):
    def add(text):
        if text and text.strip():
            items.append("T\t%s\t%s" % (part, text))

    is_properties = local(root.tag) in ("coreProperties", "Properties")
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        name = local(element.tag)
        if name == "c" and element.get("r") is not None or name == "c" and len(element):
            value = next((e.text for e in element if local(e.tag) == "v"), None)
            if element.get("t") == "s" and value and value.strip().isdigit():
                used.add(int(value))
        elif name in TEXTS:
            add(decode(element.text or ""))
        elif name == "textbox":
            for text in element.itertext():
                add(text)
        elif is_properties and not len(element):
            add(element.text)
        for attribute in ATTRIBUTES.get(name, ()):
            add(decode(element.get(attribute, "")))
    parents = {child: parent for parent in root.iter() for child in parent}
    for element in root.iter():
        if not isinstance(element.tag, str) or local(element.tag) != "v" or not element.text:
            continue
        cell = parents.get(element)
        kind = cell.get("t", "n") if cell is not None and local(cell.tag) in ("c", "cell") else "n"
        number = number_of(element.text) if kind == "n" else None
        if kind in ("s", "b", "d") or kind == "inlineStr":
            continue
        if number is not None:
            items.append("N\t%s\t%s" % (part, number))
        else:
            add(decode(element.text))


print_texts(EXTENSIONS, texts_of)
