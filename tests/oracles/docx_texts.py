"""Every text of a Word file, found by a walk over its XML that knows nothing of paragraphs.

usage: docx_texts.py FOLDER

Prints as office_walk.py says. Walks over every XML member, whatever leads to it, and over all
branches of alternate contents: text, deleted text, field instructions, equations, text of drawings,
charts and diagrams, and what people write into attributes (alternative texts, names of bookmarks
and controls, authors and dates), document properties and external targets.
"""
from office_walk import CHART, CHART_EX, DRAWING, MATH, Walk, print_texts

W = ("{http://schemas.openxmlformats.org/wordprocessingml/2006/main}",
     "{http://purl.oclc.org/ooxml/wordprocessingml/main}")
VML = "{urn:schemas-microsoft-com:vml}"
OFFICE_VML = "{urn:schemas-microsoft-com:office:office}"

CHANGES = ("ins", "del", "moveFrom", "moveTo", "rPrChange", "pPrChange", "sectPrChange",
           "tblPrChange", "trPrChange", "tcPrChange", "cellIns", "cellDel", "tblPrExChange",
           "numberingChange", "cellMerge", "tblGridChange")

WALK = Walk(
    texts=[namespace + name for namespace in W for name in ("t", "delText")]
    + [namespace + "t" for namespace in DRAWING + MATH]
    + [namespace + "v" for namespace in CHART]
    + [CHART_EX + name for name in ("pt", "v")],
    trimmed=[namespace + name for namespace in W for name in ("instrText", "delInstrText")],
    attributes=[
        (lambda tag: tag.endswith(("}docPr", "}cNvPr")), ("descr", "title")),
        (lambda tag: tag in [VML + "textpath"], ("string",)),
        (lambda tag: tag in [OFFICE_VML + "OLEObject"], ("ProgID",)),
        (lambda tag: tag.startswith(W) and tag.endswith(("}alias", "}tag")), ("val",)),
        (lambda tag: tag.startswith(W) and tag.endswith("}comment"),
         ("author", "date", "initials")),
        (lambda tag: tag.startswith(W) and tag.rpartition("}")[2] in CHANGES, ("author", "date")),
        (lambda tag: tag.startswith(W) and tag.endswith("}fldSimple"), ("instr",)),
        (lambda tag: tag.startswith(W) and tag.endswith("}hyperlink"), ("anchor", "tooltip")),
        (lambda tag: tag.startswith(W) and tag.endswith("}bookmarkStart"), ("name",)),
        (lambda tag: tag.startswith(W) and tag.endswith("}listItem"), ("displayText",)),
        (lambda tag: tag.startswith(W) and tag.endswith("}listEntry"), ("val",)),
    ])

print_texts((".docx", ".docm", ".dotx", ".dotm"), WALK.texts_of)
