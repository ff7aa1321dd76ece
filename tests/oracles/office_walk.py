"""What the oracles of office files share: a walk over a folder and the output that tests read."""
import os
import sys
import xml.etree.ElementTree as ET
import zipfile

DRAWING = ("{http://schemas.openxmlformats.org/drawingml/2006/main}",
           "{http://purl.oclc.org/ooxml/drawingml/main}")
MATH = ("{http://schemas.openxmlformats.org/officeDocument/2006/math}",
        "{http://purl.oclc.org/ooxml/officeDocument/math}")
CHART = ("{http://schemas.openxmlformats.org/drawingml/2006/chart}",
         "{http://purl.oclc.org/ooxml/drawingml/chart}")
CHART_EX = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"


def print_texts(extensions, texts_of):
    """For each file below the folder in argv that can be read prints its path and its texts, each
    behind a zero byte, and a byte 1."""
    sys.setrecursionlimit(10000)
    for folder, _, names in sorted(os.walk(sys.argv[1])):
        for name in sorted(names):
            if not name.endswith(extensions):
                continue
            path = os.path.join(folder, name)
            try:
                texts = texts_of(path)
            except Exception:
                continue
            output = "\0".join([path] + texts).encode("utf-8", "surrogatepass")
            sys.stdout.buffer.write(output + b"\1")


class Walk:
    """Collects texts of all XML members of an archive: of elements by tag (`trimmed`: without the
    space around them), and of attributes by local name where a rule fits the element's tag. The
    texts of elements come as often as they are there; all others, and those of fallbacks and of
    drawings that repeat a diagram, once."""

    def __init__(self, texts, trimmed, attributes):
        self.texts, self.trimmed, self.attributes = set(texts), set(trimmed), attributes
        self.rules = {}  # by tag: the attributes that hold text

    def texts_of(self, path):
        archive = zipfile.ZipFile(path)
        counted, once = [], []
        for name in archive.namelist():
            if not name.endswith((".xml", ".vml", ".rels")):
                continue
            try:
                root = ET.fromstring(archive.read(name))
            except ET.ParseError:
                continue
            if name.startswith("docProps/"):
                for element in root:
                    once += [text.strip() for text in element.itertext()]
            is_repeated = "/diagrams/drawing" in name
            self.walk(root, once if is_repeated else counted, once)
        once = set(once) - set(counted)
        return [text for text in counted + sorted(once) if text.strip()]

    def walk(self, element, counted, once):
        tag = element.tag
        if not isinstance(tag, str):
            return
        if tag == COMPATIBILITY + "AlternateContent":
            branches = [b for b in element if b.tag in (COMPATIBILITY + "Choice",
                                                        COMPATIBILITY + "Fallback")]
            for number, branch in enumerate(branches):
                self.walk(branch, counted if number == 0 else once, once)
            return
        if tag == RELATIONSHIP and element.get("TargetMode") == "External":
            once.append(element.get("Target", ""))
        elif tag in self.texts:
            counted.append("".join(element.itertext()))
        elif tag in self.trimmed:
            once.append("".join(element.itertext()).strip())
        if tag not in self.rules:
            self.rules[tag] = [a for fits, names in self.attributes if fits(tag) for a in names]
        for name, value in element.attrib.items() if self.rules[tag] else ():
            if name.rpartition("}")[2] in self.rules[tag]:
                once.append(value.strip())
        for child in element:
            self.walk(child, counted, once)
