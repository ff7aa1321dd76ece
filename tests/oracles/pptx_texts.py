"""Every text run of a presentation, found by a walk over its XML that knows nothing of shapes.

usage: pptx_texts.py FOLDER

Prints as office_walk.py says. The texts are those of all a:t and p:text, in all slides, notes,
layouts and masters that relationships lead to, and in the charts, diagrams and comments of slides;
of alternate contents only the first choice.
"""
import xml.etree.ElementTree as ET
import zipfile

from office_walk import print_texts, resolve

DRAWING = ("{http://schemas.openxmlformats.org/drawingml/2006/main}",
           "{http://purl.oclc.org/ooxml/drawingml/main}")
PRESENTATION = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
FOLLOWED = ("officeDocument", "slide", "slideMaster", "slideLayout", "notesSlide", "notesMaster",
            "handoutMaster", "chart", "chartEx", "diagramData", "comments")


def targets(archive, part):
    folder, _, name = part.rpartition("/")
    rels = (folder + "/" if folder else "") + "_rels/" + name + ".rels"
    if rels not in archive.namelist():
        return []
    return [resolve(part, r.get("Target", "")) for r in ET.fromstring(archive.read(rels))
            if r.get("TargetMode") != "External"
            and r.get("Type", "").rpartition("/")[2] in FOLLOWED]


def walk(element, out):
    if element.tag == MC + "AlternateContent":
        branches = [b for b in element if b.tag == MC + "Choice"] or list(element)
        for branch in branches[:1]:
            walk(branch, out)
        return
    if element.tag in (DRAWING[0] + "t", DRAWING[1] + "t", PRESENTATION + "text"):
        out.append("".join(element.itertext()))
    for child in element:
        walk(child, out)


def texts_of(path):
    archive = zipfile.ZipFile(path)
    names = set(archive.namelist())
    seen = set()
    open_parts = [""]
    texts = []
    while open_parts:
        part = open_parts.pop()
        for target in targets(archive, part):
            if target not in seen and target in names:
                seen.add(target)
                open_parts.append(target)
                walk(ET.fromstring(archive.read(target)), texts)
    return [text for text in texts if text]


print_texts((".pptx", ".pptm", ".potx", ".ppsx"), texts_of)
