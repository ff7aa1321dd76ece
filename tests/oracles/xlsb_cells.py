"""Cells of a binary workbook as LibreOffice and openpyxl read them: `sheet!A1<TAB>type<TAB>text` a line.

The file is converted to .xlsx first. Types: number, string, boolean, error, formula (its text without
"=" and spaces). Exits with 3 where LibreOffice is not installed.
"""

import os
import shutil
import subprocess
import sys
import tempfile

import openpyxl


def main():
    office = shutil.which("soffice")
    if office is None:
        sys.exit(3)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([office, "--headless", f"-env:UserInstallation=file://{folder}/profile",
                        "--convert-to", "xlsx", "--outdir", folder, *sys.argv[1:]],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300, check=True)
        for path in sys.argv[1:]:
            name = os.path.splitext(os.path.basename(path))[0]
            book = openpyxl.load_workbook(os.path.join(folder, name + ".xlsx"))
            for sheet in book.worksheets:
                for row in sheet.iter_rows():
                    for cell in row:
                        print_cell(name, sheet.title, cell)


def print_cell(name, sheet, cell):
    value = cell.value
    if value is None:
        return
    kind, text = "string", str(value)
    if cell.data_type == "f":
        kind, text = "formula", getattr(value, "text", text).lstrip("=").replace(" ", "")
    elif isinstance(value, bool):
        kind, text = "boolean", str(value).upper()
    elif cell.data_type == "e":
        kind = "error"
    elif cell.data_type == "n":
        kind, text = "number", repr(float(value))
    elif cell.data_type == "d":
        kind = "date"
    text = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    print(f"{name}\t{sheet}!{cell.coordinate}\t{kind}\t{text}")


main()
