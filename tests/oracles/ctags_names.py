"""Prints what Universal Ctags finds in source code: for each file of a folder, a line
"path<TAB>line<TAB>kind<TAB>name" for each function and type. Fails where ctags is not installed.

Left out is what it calls otherwise than the source does: things without a name, operators, parts of
nested namespaces, selectors of CSS one by one, and imports under another name."""
import json
import pathlib
import shutil
import subprocess
import sys

KINDS = {"function", "func", "method", "methodSpec", "singletonMethod", "class", "struct", "union",
         "enum", "interface", "trait", "module", "macro", "typedef", "type",
         "table", "view", "trigger", "getter", "setter", "generator", "prototype", "annotation"}

if shutil.which("ctags") is None:
    sys.exit(1)
files = sorted(str(path) for path in pathlib.Path(sys.argv[1]).rglob("*")
               if path.is_file() and path.suffix not in (".outline", ".css"))
output = subprocess.run(["ctags", "--output-format=json", "--fields=+nK", "--extras=-q", "--kinds-C=+p",
                         "--kinds-C++=+p", "-f", "-", *files], capture_output=True, text=True,
                        errors="replace").stdout
for line in output.splitlines():
    tag = json.loads(line)
    if tag.get("kind") not in KINDS or tag["name"].startswith(("__anon", "Anonymous", "operator")):
        continue
    if tag["kind"] != "typedef" or not tag["path"].endswith(".cs"):
        print(tag["path"], tag["line"], tag["kind"], tag["name"], sep="\t")
