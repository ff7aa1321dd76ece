"""Prints what openpyxl reads of workbooks, one line a cell: locator, type, value, formula.

Paths come on standard input, one a line. Each file begins with "FILE", a tab and its path; one that
openpyxl cannot read gives "UNREADABLE" and the reason. Tabs, newlines and backslashes in texts are
escaped.
"""
import datetime
import sys
import warnings

import openpyxl

try:
    from openpyxl.worksheet.formula import ArrayFormula, DataTableFormula
except ImportError:  # before openpyxl 3.1

    class ArrayFormula:
        pass

    class DataTableFormula:
        pass


warnings.simplefilter("ignore")


def escape(text):
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def serial(value, epoch):
    if isinstance(value, datetime.timedelta):
        return value.total_seconds() / 86400
    return openpyxl.utils.datetime.to_excel(value, epoch)


def show(value, epoch):
    if isinstance(value, bool):
        return "boolean\t" + ("1" if value else "0")
    if isinstance(value, (int, float)):
        return "number\t%r" % float(value)
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time, datetime.timedelta)):
        return "number\t%r" % float(serial(value, epoch))
    return "string\t" + escape(str(value))


def formula_of(value):
    if isinstance(value, ArrayFormula):
        value = value.text or ""
        return value[1:] if value.startswith("=") else value
    if isinstance(value, DataTableFormula):
        return "TABLE(%s)" % ",".join(r for r in (value.r1, value.r2) if r)
    if isinstance(value, str) and value.startswith("="):
        return value[1:]
    return None


def main(path):
    values = openpyxl.load_workbook(path, data_only=True)
    formulas = openpyxl.load_workbook(path)
    for sheet in formulas.worksheets:
        name = sheet.title
        cached = values[name]
        for _, cell in sorted(sheet._cells.items()):  # the sparse store: not every cell of the range
            if isinstance(cell, openpyxl.cell.cell.MergedCell) or cell.value is None:
                continue
            is_formula = cell.data_type == "f" or isinstance(
                cell.value, (ArrayFormula, DataTableFormula))
            formula = formula_of(cell.value) if is_formula else None
            value = cached[cell.coordinate].value if is_formula else cell.value
            shown = "blank\t" if value is None else show(value, formulas.epoch)
            print("%s!%s\t%s\t%s" % (escape(name), cell.coordinate, shown, escape(formula or "")))


for line in sys.stdin:
    path = line.rstrip("\n")
    print("FILE\t" + path)
    try:
        main(path)
    except Exception as error:  # whatever keeps it from reading
        print("UNREADABLE\t" + escape(repr(error)))
