"""The paragraphs of Word files below a folder as python-docx reads them, with their styles.

usage: docx_styles.py FOLDER

Prints as office_walk.py says: the style's name, a tab and the text of each paragraph of the body and
of its tables, as far as python-docx reads all that stands in it: text, tabs and line breaks.
"""
import docx
from docx.oxml.ns import qn
from docx.text.paragraph import Paragraph

from office_walk import print_texts

IN_PARAGRAPH = {qn(name) for name in ("w:pPr", "w:r", "w:proofErr", "w:bookmarkStart", "w:bookmarkEnd",
                                      "w:commentRangeStart", "w:commentRangeEnd")}
IN_RUN = {qn(name) for name in ("w:rPr", "w:t", "w:tab", "w:br", "w:cr", "w:lastRenderedPageBreak",
                                "w:commentReference", "w:footnoteReference", "w:fldChar", "w:instrText")}


def is_plain(paragraph):
    if any(child.tag not in IN_PARAGRAPH for child in paragraph):
        return False
    inner = [child for run in paragraph.findall(qn("w:r")) for child in run]
    return all(child.tag in IN_RUN for child in inner) and not any(
        child.get(qn("w:type")) for child in inner if child.tag == qn("w:br"))


def texts_of(path):
    document = docx.Document(path)
    body = document.element.body
    apart = {qn("w:txbxContent"), "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"}
    found, names = [], {}
    for element in body.iter(qn("w:p")):
        if not is_plain(element) or any(parent.tag in apart for parent in element.iterancestors()):
            continue
        paragraph = Paragraph(element, document)
        if element.style not in names:  # the look-up is slow
            names[element.style] = paragraph.style.name
        found.append(names[element.style] + "\t" + paragraph.text)
    return found


print_texts((".docx", ".docm"), texts_of)
