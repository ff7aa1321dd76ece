"""What pdftotext finds in each PDF below a folder: `path NUL word NUL word ... \\1`, as
office_walk.py prints. A file that it cannot read, or not within 30 seconds, is left out.

usage: pdf_words.py FOLDER
"""

import pathlib
import subprocess
import sys

for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.pdf")):
    try:
        done = subprocess.run(["pdftotext", "-q", "-enc", "UTF-8", str(path), "-"], capture_output=True, timeout=30)
    except subprocess.TimeoutExpired:
        continue
    if done.returncode != 0:
        continue
    words = done.stdout.decode("utf-8", "replace").split()
    sys.stdout.write("\0".join([str(path), *(word.replace("\0", "").replace("\1", "") for word in words)]) + "\1")
