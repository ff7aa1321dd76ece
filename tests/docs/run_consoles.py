#!/usr/bin/env python3
"""Runs what a document shows. usage: run_consoles.py --binaries DIR [--update] DOCUMENT

The lines of a document's ```console blocks that begin with "$ " are run by bash, in order, in one
shell a document, in a copy of examples/workspace with DIR on the PATH. Output shown below a command
must be what it prints (both streams), where "…" stands for anything, also for any number of whole
lines when alone on its line; a command with nothing shown may print what it likes. Hashes, times and
identifiers that differ from run to run are compared by their shape. A command must succeed, unless
"# exit N" ends its line. --update corrects what is shown, where it differs.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

VARYING = [
    (re.compile(r"sha256:[0-9a-f]{8,64}"), "sha256:#"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?"), "TIME"),
    (re.compile(r"\b[0-9a-f]{12,64}\b"), "#"),
    (re.compile(r"\bturn:[0-9a-z]+\b"), "turn:#"),
]


def parse(lines):
    """(index of the command's line, command, exit code, first and last index of its output)."""
    found = []
    inside = False
    for index, line in enumerate(lines):
        if line.startswith("```"):
            inside = line.strip() == "```console"
        elif inside and line.startswith("$ "):
            match = re.fullmatch(r"(.*?)(?:\s+# exit (\d+))?", line[2:])
            found.append([index, match.group(1), int(match.group(2) or 0), index + 1, index + 1])
        elif inside and found and found[-1][4] == index:
            found[-1][4] = index + 1
    return found


def normalised(text):
    for pattern, name in VARYING:
        text = pattern.sub(name, text)
    return "\n".join(re.sub(r"  +", "  ", line.rstrip()) for line in text.rstrip("\n").split("\n"))


def matches(shown, printed):
    pattern = ""
    for line in normalised(shown).split("\n"):
        if line.strip() == "…":
            pattern += r"(?:[^\n]*\n)*"
        else:
            pattern += ".*".join(re.escape(part) for part in line.split("…")) + "\n"
    return re.fullmatch(pattern, normalised(printed) + "\n") is not None


class Shell:
    """One bash in a scratch folder; each command's output and exit code."""

    def __init__(self, folder, binaries):
        environment = {"PATH": f"{binaries}:/usr/local/bin:/usr/bin:/bin", "HOME": str(folder.parent),
                       "LC_ALL": "C.UTF-8", "USER": "ada", "LOGNAME": "ada"}
        self.process = subprocess.Popen(["/bin/bash", "--norc"], cwd=folder, env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT)

    def run(self, command):
        mark = "==== done "
        script = f"{{ {command}\n}} </dev/null\ncode=$?; echo; echo '{mark}'$code\n"
        self.process.stdin.write(script.encode())
        self.process.stdin.flush()
        output = []
        for line in iter(self.process.stdout.readline, b""):
            text = line.decode("utf-8", "replace")
            if text.startswith(mark):
                printed = "".join(output)
                return printed[:-1] if printed.endswith("\n") else printed, int(text[len(mark):])
            output.append(text)
        raise RuntimeError(f"the shell ended in: {command}")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--binaries", required=True, type=pathlib.Path)
    arguments.add_argument("--update", action="store_true")
    arguments.add_argument("document", type=pathlib.Path)
    options = arguments.parse_args()
    root = pathlib.Path(__file__).resolve().parents[2]
    lines = options.document.read_text(encoding="utf-8").splitlines()
    commands = parse(lines)
    failures = 0
    replacements = []
    with tempfile.TemporaryDirectory(prefix="staged-docs-") as scratch:
        folder = pathlib.Path(scratch) / "reports"
        shutil.copytree(root / "examples/workspace", folder)
        shell = Shell(folder, options.binaries.resolve())
        for index, command, expected, first, last in commands:
            printed, code = shell.run(command)
            shown = "\n".join(lines[first:last])
            where = f"{options.document.name}:{index + 1}: $ {command}"
            if code != expected:
                print(f"{where}\n  exit {code}, not {expected}:\n{printed}")
                failures += 1
            elif shown.strip() and not matches(shown, printed):
                print(f"{where}\n--- shown\n{shown}\n--- printed\n{printed}")
                failures += 1
            if shown.strip() and not matches(shown, printed):
                replacements.append((first, last, printed.rstrip("\n").split("\n")))
        shell.close()
    if options.update:
        for first, last, printed in reversed(replacements):
            lines[first:last] = printed
        options.document.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return 0
    print(f"{len(commands)} commands run, {failures} failed")
    return 1 if failures or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
