"""The paragraphs of a Word file's body as python-docx reads them.

usage: docx_paragraphs.py FILE

Prints the text of each paragraph of the body outside of tables, each followed by a zero byte.
"""
import sys

import docx

document = docx.Document(sys.argv[1])
for paragraph in document.paragraphs:
    sys.stdout.buffer.write(paragraph.text.encode() + b"\0")
