#!/usr/bin/env python3
"""run_consoles.py passes what a document shows truly, and fails on every way to be wrong."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).parent / "run_consoles.py"


def run(*lines):
    with tempfile.TemporaryDirectory() as folder:
        document = pathlib.Path(folder) / "page.md"
        document.write_text("\n".join(["Text.", "```console", *lines, "```", "$ false"]) + "\n")
        return subprocess.run([sys.executable, PROGRAM, "--binaries", folder, document],
                              capture_output=True).returncode


class RunConsolesTest(unittest.TestCase):
    def test_true_documents_pass(self):
        self.assertEqual(run("$ echo a; echo b", "a", "b"), 0)
        self.assertEqual(run("$ echo a; echo b; echo c", "a", "…"), 0)
        self.assertEqual(run("$ echo one two three", "one … three"), 0)
        self.assertEqual(run("$ echo anything"), 0)
        self.assertEqual(run("$ x=1", "$ echo $x", "1"), 0)
        self.assertEqual(run("$ exit_with() { return 3; }", "$ exit_with # exit 3"), 0)
        self.assertEqual(run("$ printf %s no-newline", "no-newline"), 0)
        self.assertEqual(run("$ printf x | sha256sum | sed 's/^/sha256:/; s/ .*//'", "sha256:" + "0" * 64), 0)

    def test_false_documents_fail(self):
        self.assertEqual(run("$ echo a; echo b", "a"), 1)
        self.assertEqual(run("$ echo a", "b"), 1)
        self.assertEqual(run("$ echo a", "a", "b"), 1)
        self.assertEqual(run("$ false"), 1)
        self.assertEqual(run("$ true # exit 3"), 1)
        self.assertEqual(run("$ echo abc", "a…d"), 1)
        self.assertEqual(run("no command"), 1)


if __name__ == "__main__":
    unittest.main()
