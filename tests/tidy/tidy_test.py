#!/usr/bin/env python3
"""Every tidy rule finds a planted violation and passes the same tree without it."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TIDY = pathlib.Path(__file__).parent / "tidy.py"

CLEAN = {
    "src/base/a.h": "#pragma once\n",
    "src/store/b.cc": '#include "base/a.h"\n\nint F() { return 1; }\n',
    "docs/a.md": "# A title\n\n[here](#a-title) and [there](../src/base/a.h)\n",
}

PLANTED = [
    ("layers", {"src/base/c.cc": '#include "store/d.h"\n', "src/store/d.h": "#pragma once\n"}, "may not see store"),
    ("layers", {"src/store/c.cc": '#include "a.h"\n'}, "layer/file.h"),
    ("layers", {"src/formats/x/x.cc": '#include "formats/y/y.h"\n', "src/formats/y/y.h": ""}, "sees no other"),
    ("layers", {"src/formats/x/z/x.cc": '#include "formats/y/y.h"\n', "src/formats/y/y.h": ""},
     "sees no other"),
    ("layers", {"src/workspace/c.cc": '#include "formats/builtin_formats.h"\n',
                "src/formats/builtin_formats.h": ""}, "only adapters"),
    ("layers", {"src/base/c.cc": '#include "staged/workspace.h"\n', "include/staged/workspace.h": ""}, "workspace"),
    ("layers", {"src/store/c.cc": '#include "store/test_x.h"\n', "src/store/test_x.h": ""}, "tests only"),
    ("layers", {"src/other/c.cc": ""}, "give its layer a line"),
    ("calls", {"src/store/c.cc": 'void F() { ::unlink("x"); }\n'}, "a method of Env"),
    ("calls", {"src/store/c.cc": "std::ifstream in;\n"}, "a method of Env"),
    ("calls", {"src/store/c.cc": "int F() { throw 1; }\n"}, "a Status"),
    ("calls", {"src/store/c.cc": "int x = time(nullptr);\n"}, "Env's clock"),
    ("calls", {"src/store/c.cc": 'char c = \'"\'; auto x = std::stoi("1");\n'}, "from_chars"),
    ("libraries", {"src/store/c.cc": "#include <nlohmann/json.hpp>\n"}, "src/wire"),
    ("libraries", {"src/workspace/c.h": "#pragma once\nstruct sqlite3_stmt;\n"}, "no SQLite type"),
    ("lengths", {"src/store/c.cc": "int F(int a,\n      int b) {\n" + "  ++a;\n" * 80 + "}\n"}, "F has 83 lines"),
    ("lengths", {"src/store/c.cc": "// x\n" * 601}, "split the file"),
    ("fuzzers", {"src/formats/x/x.cc": "", "fuzz/y_fuzzer.cc": ""}, "fuzz/x_fuzzer.cc"),
    ("headers", {"src/store/c.h": "#pragma once\n", "src/store/c.cc": '#include "store/c.h"\n'}, "nobody"),
    ("headers", {"src/store/c.h": "\n", "src/store/d.cc": '#include "store/c.h"\n'}, "#pragma once"),
    ("words", {"docs/b.md": "see /wo" + "rk/place\n"}, "say it without"),
    ("words", {"docs/b.md": "found by a sub" + "agent\n"}, "say it without"),
    ("format", {"src/store/c.cc": "int   x ;\n"}, "make format"),
    ("links", {"docs/b.md": "[x](absent.md)\n"}, "does not exist"),
    ("links", {"docs/b.md": "[x](a.md#no-such)\n"}, "no heading"),
    ("links", {"docs/b.md": "```sh\n$ staged init\n```\n"}, "```console"),
    ("contract", {"docs/contract.md": "### 1. Tied\nHeld by: `A.B`\n"}, "there is no test A.B"),
    ("contract", {"docs/contract.md": "### 1. Tied\n"}, "rule 1 names no test"),
    ("lengths", {"tests/tidy/exceptions.txt": "lengths src/store/c.cc:F 90 # long\n"}, "delete its exception"),
]


def run(rule, files):
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            file = pathlib.Path(root, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        done = subprocess.run([sys.executable, TIDY, rule, root], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


class TidyTest(unittest.TestCase):
    def test_planted_violations_are_found(self):
        for rule, files, message in PLANTED:
            with self.subTest(rule=rule, files=files):
                code, output = run(rule, {**CLEAN, **files})
                if code == 77:
                    continue
                self.assertEqual(code, 1, output)
                self.assertIn(message, output)

    def test_clean_tree_passes(self):
        users = {"src/store/e.cc": '#include "base/a.h"\n'}
        users["src/base/a_test.cc"] = "TEST(A, B) {}\n"
        users["docs/contract.md"] = "".join(f"### {n}. X\nHeld by: `A.B`\n" for n in range(1, 19))
        for rule in sorted({rule for rule, _, _ in PLANTED}):
            with self.subTest(rule=rule):
                code, output = run(rule, {**CLEAN, **users})
                self.assertIn(code, (0, 77), output)

    def test_an_exception_allows_its_size_and_no_more(self):
        body = "int F() {\n" + "  G();\n" * 80 + "}\n"
        for limit, expected in ((82, 0), (81, 1)):
            files = {"src/store/c.cc": body,
                     "tests/tidy/exceptions.txt": f"lengths src/store/c.cc:F {limit} # a reason\n"}
            self.assertEqual(run("lengths", {**CLEAN, **files})[0], expected)

    def test_comments_and_strings_are_no_calls(self):
        text = '// throw 1, unlink(x)\nconst char* s = "printf(1)";\n/* std::regex */\nint64_t n = 1\'000\';\n'
        self.assertEqual(run("calls", {**CLEAN, "src/store/c.cc": text})[0], 0)


if __name__ == "__main__":
    unittest.main()
