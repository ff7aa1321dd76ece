"""Prints what openpyxl finds in workbooks besides values, one line a fact.

Paths come on standard input, one a line. Each file begins with "FILE", a tab and its path; one that
openpyxl cannot read gives "UNREADABLE". A fact is its kind, its place and its words, with tabs
between; places are locators. Tabs, newlines and backslashes are escaped.
"""
import sys
import warnings

import openpyxl
from openpyxl.utils import get_column_letter

warnings.simplefilter("ignore")


def escape(text):
    text = str(text)
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def fact(kind, place, words):
    print("%s\t%s\t%s" % (kind, escape(place), escape(words)))


def font_words(font, usual):
    """Of bold, italic, struck through, underline, colour by RGB: those that hold."""
    words = []
    for flag, word in ((font.b, "bold"), (font.i, "italic"), (font.strike, "struck through")):
        if flag:
            words.append(word)
    if font.u and font.u != "none":
        words.append("underline" if font.u == "single" else "underline " + font.u)
    if font.color is not None and font.color.type == "rgb" and not font.color.tint:
        words.append("color #" + font.color.rgb[-6:])
    usual_words = [] if usual is None else font_words(usual, None)
    return [word for word in words if word not in usual_words]


def look(cell, usual):
    words = font_words(cell.font, usual)
    fill = cell.fill
    if getattr(fill, "patternType", None) == "solid" and fill.fgColor.type == "rgb" and not fill.fgColor.tint:
        words.append("fill #" + fill.fgColor.rgb[-6:])
    border = cell.border
    sides = [getattr(side, "style", None) for side in (border.left, border.right, border.top, border.bottom)]
    sides = [None if style == "none" else style for style in sides]
    for name, style in zip(("left", "right", "top", "bottom"), sides):
        if style:
            words.append("%s:%s" % (name, style))
    alignment = cell.alignment
    if alignment.horizontal and alignment.horizontal != "general":
        words.append("align " + alignment.horizontal)
    if alignment.vertical and alignment.vertical != "bottom":
        words.append("vertical " + alignment.vertical)
    if alignment.wrap_text:
        words.append("wrapped")
    if not cell.protection.locked:
        words.append("unlocked")
    return words


def main(path):
    book = openpyxl.load_workbook(path)
    usual = next(iter(book._fonts), None)
    for sheet in book.worksheets:
        name = sheet.title
        fact("state", name, sheet.sheet_state)
        for _, cell in sorted(sheet._cells.items()):
            if isinstance(cell, openpyxl.cell.cell.MergedCell):
                continue
            if cell.comment is not None:
                fact("comment", "%s!%s" % (name, cell.coordinate), cell.comment.text)
            if cell.has_style and cell.value is not None:
                for word in look(cell, usual):
                    fact("look", "%s!%s" % (name, cell.coordinate), word)
        for row, dimension in sheet.row_dimensions.items():
            if dimension.hidden:
                fact("hidden_row", name, row)
        for letter, dimension in sheet.column_dimensions.items():
            if dimension.hidden and dimension.min:
                for column in range(dimension.min, min(dimension.max, 16384) + 1):
                    fact("hidden_column", name, get_column_letter(column))
        for merged in sheet.merged_cells.ranges:
            fact("merge", name, merged.coord)
        for rule in sheet.data_validations.dataValidation:
            where = ",".join(str(r) for r in rule.sqref.ranges)
            fact("validation", name + "!" + where, "%s %s" % (rule.type or "none", rule.formula1 or ""))
        for area in sheet.conditional_formatting:
            where = ",".join(str(r) for r in area.sqref.ranges)
            for rule in area.rules:
                fact("conditional_format", name + "!" + where, "%s %s" % (
                    rule.type, ", ".join(rule.formula)))
        pane = sheet.sheet_view.pane
        if pane is not None and (pane.state or "").startswith("frozen"):
            fact("frozen", name, "frozen")
        if sheet.protection.sheet:
            fact("protected", name, "protected")
        for picture in sheet._images:
            corner = picture.anchor._from
            fact("image", name, "%s%d" % (get_column_letter(corner.col + 1), corner.row + 1))
        fact("charts", name, len(sheet._charts))
        if sheet.auto_filter.ref:
            fact("filter", name, sheet.auto_filter.ref)
        for part in ("oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter"):
            for side in ("left", "center", "right"):
                for word in (getattr(getattr(sheet, part), side).text or "").split():
                    if "&" not in word:  # codes stand in another order
                        fact("page", name, word)
    for name in ("creator", "title", "subject", "keywords", "category"):
        words = getattr(book.properties, name)
        if words and words != "openpyxl":
            fact("property", "prop:" + name, words)


for line in sys.stdin:
    path = line.rstrip("\n")
    print("FILE\t" + path)
    try:
        main(path)
    except Exception as error:  # whatever keeps it from reading
        print("UNREADABLE\t" + escape(repr(error)))
