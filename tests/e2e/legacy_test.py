"""Old office files, read through LibreOffice where it is installed."""

import glob
import os
import subprocess
import unittest

import harness
from harness import run

CORPUS = os.environ.get("STAGED_CORPUS", "")
EXAMPLES = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "workspace")
OFFICE_PROGRAM = "/usr/lib/libreoffice/program/soffice"
OFFICE = os.path.exists(OFFICE_PROGRAM)


def legacy_files():
    return sorted(path for path in glob.glob(os.path.join(CORPUS, "legacy", "**"), recursive=True)
                  if os.path.isfile(path))


class ConvertedTest(harness.TestCase):

    def setUp(self):
        super().setUp()
        if not OFFICE:
            self.skipTest("LibreOffice is not installed")

    def convert(self, path, kind):
        """The file in another format; None where this LibreOffice cannot write that."""
        out = os.path.join(self.scratch, "out")
        subprocess.run([OFFICE_PROGRAM, "--headless",
                        f"-env:UserInstallation=file://{self.scratch}/profile", "--convert-to", kind,
                        "--outdir", out, path], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=harness.TIMEOUT_SECONDS)
        names = os.listdir(out) if os.path.isdir(out) else []
        if not names:
            return None
        made = os.path.join(self.scratch, names[0])
        os.replace(os.path.join(out, names[0]), made)
        return made

    def view_and_text(self, path):
        view = run("parse", path, "--json").json()
        return view, " ".join(record["text"] for record in view["records"]
                              if record["kind"] in ("paragraph", "cell"))

    def test_views_have_the_words_of_the_current_formats(self):
        for name, kind in (("report.docx", "doc"), ("report.docx", "rtf"), ("budget.xlsx", "xls")):
            path = os.path.join(EXAMPLES, name)
            old = self.convert(path, kind)
            if old is None:
                continue
            view, text = self.view_and_text(old)
            self.assertEqual((view["format"], view["fallback"]), (kind, "libreoffice"), view)
            expected = [word for word in self.view_and_text(path)[1].split() if word.isalpha()]
            self.assertGreater(len(expected), 5)
            self.assertEqual([word for word in expected if word not in text], [])

    def test_a_second_conversion_gives_the_same_view(self):
        for path in legacy_files():
            if not any(part in path for part in ("any_sheets.xls", "embeded_ooxml.doc", ".rtf")):
                continue
            first, second = (run("parse", path, "--jsonl").out for _ in range(2))
            self.assertEqual(first, second, path)

    def test_it_is_found_and_not_edited(self):
        old = self.convert(os.path.join(EXAMPLES, "report.docx"), "doc")
        with open(old, "rb") as file:
            space = self.workspace({"notes.doc": file.read()})
        hits = space.ok("search", "Outlook")["hits"]
        self.assertEqual({hit["path"] for hit in hits}, {"notes.doc"})
        base = space.ok("ls", "notes.doc")["files"][0]["hash"]
        refused = run("edit", "notes.doc", "-", "--base", base, "--root", space.folder, "--json",
                      stdin=b'[{"op": "set", "locator": "p:1", "text": "x"}]')
        error = self.assert_error(refused, "unsupported_edit")
        self.assertIn("save it as .docx", error["message"])


class LauncherTest(harness.TestCase):
    """What LibreOffice is started through takes network and other folders from it."""

    def start(self, script):
        folder = os.path.join(self.scratch, "own")
        os.makedirs(folder, exist_ok=True)
        command = [harness.BINARY, "start-office", folder, "/usr/bin/python3", "-c", script]
        return subprocess.run(command, cwd=folder, capture_output=True, check=False,
                              timeout=harness.TIMEOUT_SECONDS)

    def test_there_is_no_network(self):
        for family in ("AF_INET", "AF_INET6"):
            done = self.start(f"import socket; socket.socket(socket.{family})")
            self.assertIn(b"PermissionError", done.stderr, done)
        self.assertEqual(self.start("import socket; socket.socket(socket.AF_UNIX)").returncode, 0)

    def test_it_writes_into_its_own_folder_only(self):
        self.assertEqual(self.start("open('here', 'w').write('x')").returncode, 0)
        done = self.start("open('../there', 'w').write('x')")
        if done.returncode == 0:
            self.skipTest("this kernel cannot hold a process to its folder (landlock)")
        self.assertIn(b"PermissionError", done.stderr, done)
        self.assertEqual(self.start("open('../own/here').read()").returncode, 0)

    def test_what_cannot_be_started_is_said(self):
        if harness.ENVIRONMENT.get("STAGED_PARSERS") == "in-process":
            self.skipTest("this build cannot end within the memory that the launcher leaves it")
        done = subprocess.run([harness.BINARY, "start-office", self.scratch, "/nowhere/office"],
                              check=False)
        self.assertEqual(done.returncode, 115)


if __name__ == "__main__":
    harness.main()
