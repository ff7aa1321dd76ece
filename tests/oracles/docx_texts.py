"""Every text run of a Word file, found by a walk over its XML that knows nothing of paragraphs.

usage: docx_texts.py FOLDER

Prints as office_walk.py says. The texts are those of all w:t and w:delText in the document,
headers, footers, notes, comments and building blocks, of alternate contents only the first choice.
"""
import xml.etree.ElementTree as ET
import zipfile

from office_walk import print_texts, resolve

W = ("{http://schemas.openxmlformats.org/wordprocessingml/2006/main}",
     "{http://purl.oclc.org/ooxml/wordprocessingml/main}")
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
ROLES = ("officeDocument", "header", "footer", "footnotes", "endnotes", "comments",
         "glossaryDocument")


def relationships(archive, part):
    folder, _, name = part.rpartition("/")
    rels = (folder + "/" if folder else "") + "_rels/" + name + ".rels"
    try:
        root = ET.fromstring(archive.read(rels))
    except KeyError:
        return []
    return [(r.get("Type", "").rpartition("/")[2], resolve(part, r.get("Target", "")))
            for r in root if r.get("TargetMode") != "External"]


def walk(element, out):
    if element.tag == MC + "AlternateContent":
        branches = list(element)
        choices = [b for b in branches if b.tag == MC + "Choice"]
        fallbacks = [b for b in branches if b.tag == MC + "Fallback"]
        for branch in (choices or fallbacks)[:1]:
            walk(branch, out)
        return
    if element.tag in (W[0] + "t", W[1] + "t", W[0] + "delText", W[1] + "delText"):
        out.append("".join(element.itertext()))
    for child in element:
        walk(child, out)


def texts_of(path):
    archive = zipfile.ZipFile(path)
    names = {name.lower(): name for name in archive.namelist()}
    main_part = next(t for k, t in relationships(archive, "") if k == "officeDocument")
    parts = [main_part] + [t for k, t in relationships(archive, main_part) if k in ROLES]
    texts = []
    for part in dict.fromkeys(parts):
        if part.lower() in names:
            walk(ET.fromstring(archive.read(names[part.lower()])), texts)
    return texts


print_texts((".docx", ".docm", ".dotx", ".dotm"), texts_of)
