"""Every stretch of text in the paragraphs of OpenDocument files, found by a walk over their XML that
knows nothing of stories, tables or styles.

usage: odf_texts.py FOLDER

Prints as office_walk.py says. The texts are the character data directly below each element of a
text:p or text:h, white space collapsed and stripped, in content, styles and embedded objects;
without forms.
"""
import re
import xml.etree.ElementTree as ET
import zipfile

from office_walk import print_texts

URN = "{urn:oasis:names:tc:opendocument:xmlns:"
PARAGRAPHS = (URN + "text:1.0}p", URN + "text:1.0}h")
SKIPPED = (URN + "office:1.0}forms", URN + "text:1.0}ruby-text")
META = ("{http://purl.org/dc/elements/1.1/}creator", "{http://purl.org/dc/elements/1.1/}date",
        URN + "meta:1.0}date-string", URN + "meta:1.0}creator-initials", URN + "svg-compatible:1.0}title",
        URN + "svg-compatible:1.0}desc", URN + "office:1.0}event-listeners", URN + "office:1.0}binary-data")


def add(text, out):
    text = re.sub("[ \t\r\n]+", " ", text or "").strip()
    if text:
        out.append(text)


def walk(element, is_inside, out):
    if element.tag in SKIPPED or element.tag in META:
        return
    is_inside = element.tag in PARAGRAPHS or (
        is_inside and element.tag.startswith(URN + "text:1.0}")
        and element.tag not in (URN + "text:1.0}note", URN + "text:1.0}note-body",
                                URN + "text:1.0}list", URN + "text:1.0}list-item"))
    if is_inside:
        add(element.text, out)
    for child in element:
        walk(child, is_inside, out)
        if is_inside:
            add(child.tail, out)


def texts_of(path):
    texts = []
    if not zipfile.is_zipfile(path):
        walk(ET.parse(path).getroot(), False, texts)
        return texts
    archive = zipfile.ZipFile(path)
    for name in archive.namelist():
        if name in ("content.xml", "styles.xml") or re.fullmatch(r"Object[^/]*/content.xml", name):
            walk(ET.fromstring(archive.read(name)), False, texts)
    return texts


print_texts((".odt", ".ods", ".odp", ".fodt", ".fods"), texts_of)
