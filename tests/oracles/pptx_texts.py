"""Every text of a presentation, found by a walk over its XML that knows nothing of shapes.

usage: pptx_texts.py FOLDER

Prints as office_walk.py says. Walks over every XML member, whatever leads to it, and over all
branches of alternate contents: text, equations, comments, text and values of charts and diagrams,
and what people write into attributes (alternative texts, names of sections and custom shows,
authors, dates, tooltips), document properties and external targets.
"""
from office_walk import CHART, CHART_EX, DRAWING, MATH, Walk, print_texts

PRESENTATION = ("{http://schemas.openxmlformats.org/presentationml/2006/main}",
                "{http://purl.oclc.org/ooxml/presentationml/main}")
OFFICE_2010 = "{http://schemas.microsoft.com/office/powerpoint/2010/main}"

WALK = Walk(
    texts=[namespace + "t" for namespace in DRAWING + MATH]
    + [namespace + "text" for namespace in PRESENTATION]
    + [namespace + "v" for namespace in CHART]
    + [CHART_EX + name for name in ("pt", "v")],
    trimmed=[],
    attributes=[
        (lambda tag: tag.endswith("}cNvPr"), ("descr", "title", "name")),
        (lambda tag: tag.endswith("}oleObj"), ("progId",)),
        (lambda tag: tag.endswith(("}hlinkClick", "}hlinkHover", "}hlinkMouseOver")),
         ("tooltip",)),
        (lambda tag: tag.startswith(PRESENTATION) and tag.endswith("}cm"), ("dt",)),
        (lambda tag: tag.startswith(PRESENTATION) and tag.endswith("}cmAuthor"), ("name",)),
        (lambda tag: tag.startswith(PRESENTATION) and tag.endswith(("}cSld", "}custShow")),
         ("name",)),
        (lambda tag: tag == OFFICE_2010 + "section", ("name",)),
    ])

print_texts((".pptx", ".pptm", ".potx", ".potm", ".ppsx", ".ppsm"), WALK.texts_of)
