"""The project's files as the tidy rules see them. Standard library only."""

import os
import pathlib
import re
import subprocess


class Tree:
    """Files that are tracked or would be: paths relative to `root`, with "/"."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.paths = sorted(self._list())
        self._texts = {}

    def _list(self):
        command = ["git", "-c", "safe.directory=*", "-C", str(self.root), "ls-files", "-z",
                   "--cached", "--others", "--exclude-standard"]
        if (self.root / ".git").exists():
            listed = subprocess.run(command, capture_output=True, check=True).stdout.decode()
            return [path for path in listed.split("\0") if path and (self.root / path).is_file()]
        found = []
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if name not in ("build", ".git", "__pycache__")]
            found += [os.path.relpath(os.path.join(folder, name), self.root) for name in names]
        return found

    def text(self, path):
        if path not in self._texts:
            self._texts[path] = (self.root / path).read_text(encoding="utf-8", errors="replace")
        return self._texts[path]

    def sources(self, *folders):
        """C++ files below the folders, or all."""
        return [path for path in self.paths if path.endswith((".h", ".cc")) and
                (not folders or path.startswith(tuple(folder + "/" for folder in folders)))]


def is_test(path):
    name = path.rsplit("/", 1)[-1]
    return (path.startswith("tests/") or name.endswith("_test.cc") or name.startswith("test_") or
            name.startswith("toy_") or "_test_" in name)


def code_only(text):
    """The text with comments and the insides of literals blanked; lines keep their numbers."""
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])*\'',
        re.DOTALL)

    def blank(match):
        kept = '""' if match.group().startswith(('"', "R")) else " "
        return kept + "\n" * match.group().count("\n")

    return pattern.sub(blank, text)


def includes(text):
    """(line number, name, is quoted) of every include."""
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if match:
            yield number, match.group(2), match.group(1) == '"'


def functions(text):
    """(line number, name, length in lines) of the functions defined at the left margin of a file
    that clang-format wrote."""
    start = name = None
    for number, line in enumerate(code_only(text).splitlines(), 1):
        if re.match(r"[A-Za-z_~\[]", line) and not re.match(
                r"(namespace|class|struct|enum|template|using|public|private|protected)\b", line):
            start, name = number, None
        if start is not None and name is None:
            match = re.search(r"([\w:~]+(?:operator\S{1,2})?)\(", line)
            name = match.group(1) if match else None
        if line == "}" and start is not None and name:
            yield start, name, number - start + 1
            start = None
