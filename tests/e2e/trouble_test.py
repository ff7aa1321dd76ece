"""Conflicts that no answer is silent about, request ids used twice, and damaged folders."""

import io
import os
import shutil
import stat
import subprocess
import unittest

try:
    import openpyxl
except ImportError:
    openpyxl = None

import harness
from harness import hash_of, run

TEXT = b"alpha\nbeta\ngamma\n"


class ConflictTest(harness.TestCase):

    def setUp(self):
        super().setUp()
        self.space = self.workspace({"a.txt": TEXT, "b.txt": TEXT, "gone.txt": TEXT})
        space = self.space
        for name in ("a.txt", "b.txt", "gone.txt"):
            space.write(name, b"alpha\nmine\ngamma\n")
        space.save("a.txt", b"alpha\ntheirs\ngamma\n")
        os.remove(space.path("gone.txt"))

    def test_every_answer_marks_it(self):
        space = self.space
        states = {row["path"]: row["state"] for row in space.ok("status")["files"]}
        self.assertEqual(states, {"a.txt": "conflict", "b.txt": "edited", "gone.txt": "conflict"})
        self.assertIn("  conflict  a.txt", space.run("status").text)

        listed = {row["path"]: row for row in space.ok("ls")["files"]}
        self.assertEqual({path: row.get("conflict", False) for path, row in listed.items()},
                         {"a.txt": True, "b.txt": False, "gone.txt": True})
        self.assertEqual(listed["gone.txt"]["hash"], None)
        lines = space.run("ls").text.splitlines()
        self.assertEqual([line.endswith("(in conflict)") for line in lines], [True, False, True])

        hits = {hit["path"]: hit for hit in space.ok("search", "alpha")["hits"]}
        self.assertEqual(set(hits), {"a.txt", "b.txt"})
        self.assertIs(hits["a.txt"].get("conflict"), True)
        self.assertNotIn("conflict", hits["b.txt"])
        lines = sorted(space.run("search", "alpha").text.splitlines())
        self.assertEqual([line.endswith("(in conflict)") for line in lines], [True, False])

        diffs = {diff["to"]["path"]: diff for diff in space.ok("diff")["diffs"]}
        self.assertEqual({path: diff.get("conflict", False) for path, diff in diffs.items()},
                         {"a.txt": True, "b.txt": False, "gone.txt": True})
        # What is kept aside was made of what was there then, and is shown against that.
        self.assertEqual(diffs["a.txt"]["from"]["hash"], hash_of(TEXT))
        self.assertEqual(diffs["a.txt"]["to"]["hash"], hash_of(b"alpha\nmine\ngamma\n"))
        text = space.run("diff").text
        self.assertIn("conflict a.txt: ", text)
        self.assertIn("conflict gone.txt: ", text)
        self.assertNotIn("conflict b.txt", text)

        self.assertIs(space.ok("view", "a.txt")["conflict"], True)
        self.assertIn("in conflict", space.run("view", "a.txt").text)

    def test_without_one_nothing_is_marked(self):
        space = self.space
        space.ok("discard")
        for answer in (space.ok("ls"), space.ok("search", "alpha"), space.ok("diff")):
            self.assertNotIn("conflict", str(answer))
        self.assertNotIn("conflict", space.run("ls").text + space.run("status").text)


class RequestTest(harness.TestCase):

    def test_an_id_is_for_one_request(self):
        space = self.workspace({"a.txt": TEXT})
        first = space.write("a.txt", b"one\n", hash_of(TEXT), "--request-id", "r1")
        for arguments, data in ((["write", "a.txt", "--base", hash_of(TEXT)], b"two\n"),
                                (["write", "b.txt", "--base", "none"], b"one\n"),
                                (["review"], b""), (["submit"], b""), (["undo"], b"")):
            error = self.assert_error(
                space.run(*arguments, "--request-id", "r1", "--json", stdin=data),
                "invalid_argument")
            self.assertIn("used for another request", error["message"])
        again = space.write("a.txt", b"one\n", hash_of(TEXT), "--request-id", "r1")
        self.assertEqual(again, first)
        self.assertEqual(len(space.log()), 2)

    def test_a_repeated_edit_gives_the_whole_answer(self):
        space = self.workspace({"conf.json": b'{"a": 1}\n'})
        edits = [{"op": "set", "locator": "/a", "value": 2}]
        base = ["edit", "conf.json", "-", "--base", hash_of(b'{"a": 1}\n'), "--request-id", "e1"]
        first = space.ok(*base, stdin=str(edits).replace("'", '"').encode())
        self.assertIn("diff", first)
        again = space.ok(*base, stdin=str(edits).replace("'", '"').encode())
        self.assertEqual(again, first)


class CommandLineFilesTest(harness.TestCase):

    def test_symlinks_are_followed_but_not_for_ever(self):
        at = lambda name: os.path.join(self.scratch, name)
        with open(at("file.txt"), "wb") as file:
            file.write(TEXT)
        os.symlink("file.txt", at("link0"))
        for count in range(1, 5):
            os.symlink(f"link{count - 1}", at(f"link{count}"))
        self.assertEqual(run("parse", at("link4"), "--json").json()["hash"], hash_of(TEXT))
        os.symlink("loop", at("loop"))
        os.symlink("there", at("back"))
        os.symlink("back", at("there"))
        for name in ("loop", "back"):
            self.assert_error(run("parse", at(name), "--json"), "invalid_argument")

    @unittest.skipUnless(os.path.exists("/dev/full"), "the system has no /dev/full")
    def test_lost_output_is_an_error(self):
        space = self.workspace({"big.txt": b"a line\n" * 100_000})
        for command in (["cat", "big.txt"], ["ls"], ["--help"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([harness.BINARY, *command], cwd=space.folder, stdout=full,
                                      stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 6, command)
            self.assertIn(b"staged: io_error: ", done.stderr)

    def test_rules_of_git_that_cannot_be_read_stay(self):
        space = self.workspace({"a.txt": TEXT}, init=False)
        os.makedirs(space.path(".git/info"))
        rules = b"# mine\n" * 200_000  # more than init reads
        with open(space.path(".git/info/exclude"), "wb") as file:
            file.write(rules)
        space.init()
        with open(space.path(".git/info/exclude"), "rb") as file:
            self.assertEqual(file.read(), rules)


class ForgetTest(harness.TestCase):

    def test_what_is_forgotten_already_is_told_from_what_never_was(self):
        space = self.workspace({"a.txt": TEXT})
        digest = space.write("b.txt", b"secret\n", "none")["hash"]
        space.ok("discard")
        space.ok("forget", digest)
        error = self.assert_error(space.run("forget", digest, "--json"), "not_found")
        self.assertIn("was forgotten already", error["message"])
        error = self.assert_error(space.run("forget", hash_of(b"never"), "--json"), "not_found")
        self.assertIn("is not in the store", error["message"])


    @unittest.skipIf(openpyxl is None, "openpyxl is not installed")
    def test_no_copy_of_an_edited_workbook_stays(self):
        for remove in ("forget", "gc"):
            space = self.workspace({"book.xlsx": large_workbook()}, name=remove)
            edited = space.edit("book.xlsx", [{"op": "set", "locator": "Sheet1!A1", "value": "planted"}])
            kept = space.path(".staged/derived/edited")
            with open(kept, "rb") as file:
                self.assertEqual(hash_of(file.read()[32:]), edited["hash"])
            again = space.edit("book.xlsx", [{"op": "set", "locator": "Sheet1!A2", "value": "more"}])
            space.ok("discard")
            space.ok(remove, *([again["hash"]] if remove == "forget" else []))
            self.assertFalse(os.path.exists(kept), remove)


def large_workbook():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Sheet1"
    for row in range(9000):
        sheet.append([f"text {row}", row, row * 1.5])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


class DamageTest(harness.TestCase):

    def setUp(self):
        super().setUp()
        self.space = self.workspace({"a.txt": TEXT, "docs/b.txt": b"beta two\n"})

    def objects(self):
        return self.space.path(".staged/objects")

    def loose(self):
        """The files that hold contents."""
        found = []
        for folder, _, files in os.walk(self.objects()):
            found += [os.path.join(folder, name) for name in files
                      if os.path.getsize(os.path.join(folder, name)) > 0
                      and name not in ("format", "lock") and not name.endswith(".lock")]
        return found

    def test_export_without_an_object_names_it(self):
        space = self.space
        # Only in the store: the live folder has other bytes now.
        digest = space.write("a.txt", b"staged only\n")["hash"]
        before = set(self.loose())
        self.assertTrue(before)
        hidden = os.path.join(self.scratch, "hidden")
        os.mkdir(hidden)
        last = max(before, key=os.path.getmtime)
        shutil.move(last, os.path.join(hidden, "object"))
        backup = os.path.join(self.scratch, "backup")
        error = self.assert_error(space.run("export", backup, "--json"), "data_loss")
        self.assertIn(digest, error["message"])
        self.assertIn("a.txt", error["message"])
        self.assertEqual(error["details"], {"hash": digest, "path": "a.txt"})
        self.assertEqual(sorted(os.listdir(self.scratch)), ["hidden", "work"])
        shutil.move(os.path.join(hidden, "object"), last)
        space.ok("export", backup)
        self.assert_error(space.run("export", backup, "--json"), "conflict")
        self.assertEqual(run("import", backup, self.scratch + "/copy").code, 0)

    def test_a_missing_objects_folder_is_data_loss(self):
        shutil.move(self.objects(), self.scratch + "/objects")
        backup = os.path.join(self.scratch, "backup")
        for command in (["export", backup], ["status"], ["cat", "a.txt"]):
            error = self.assert_error(self.space.run(*command, "--json"), "data_loss")
            self.assertIn(".staged/objects", error["message"])
        self.assertFalse(os.path.exists(backup))
        shutil.move(self.scratch + "/objects", self.objects())
        self.space.ok("export", backup)

    def test_search_makes_broken_derived_data_anew(self):
        space = self.space
        derived = space.path(".staged/derived")
        space.ok("search", "beta")

        def break_with(action):
            shutil.rmtree(derived) if os.path.isdir(derived) else os.remove(derived)
            action()

        def directory_in_the_way():
            os.makedirs(derived + "/derived.db/x")

        def file_in_the_way():
            with open(derived, "wb") as file:
                file.write(b"no folder")

        def garbage():
            os.mkdir(derived)
            with open(derived + "/derived.db", "wb") as file:
                file.write(b"x" * 20000)

        for action in (directory_in_the_way, file_in_the_way, garbage):
            break_with(action)
            answer = space.ok("search", "beta")
            self.assertEqual([hit["path"] for hit in answer["hits"]], ["a.txt", "docs/b.txt"],
                             action.__name__)
            self.assertEqual(len(answer["notes"]), 1, answer)
            self.assertIn("made anew", answer["notes"][0])
            self.assertEqual(space.ok("search", "beta")["notes"], [])
            break_with(action)
            text = space.run("search", "beta")
            self.assertEqual(text.code, 0)
            self.assertTrue(text.err.startswith(b"staged: note: "), text)
            self.assertEqual(text.err.count(b"\n"), 1)
        self.assert_clean(space)

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_search_of_an_unreadable_folder(self):
        space = self.space
        derived = space.path(".staged/derived")
        os.chmod(derived, 0)
        self.addCleanup(os.system, f"chmod -R u+rwx {space.path('.staged')}")
        answer = space.ok("search", "beta")
        self.assertEqual(len(answer["hits"]), 2)
        self.assertIn(".staged/derived.broken", answer["notes"][0])

    def test_a_failed_checkout_can_be_tried_again(self):
        space = self.space
        space.write("z.txt", b"staged only\n", "none")
        last = max(self.loose(), key=os.path.getmtime)
        shutil.move(last, self.scratch + "/object")
        out = self.scratch + "/deep/below/out"
        self.assertNotEqual(space.run("checkout", out).code, 0)
        self.assertFalse(os.path.exists(self.scratch + "/deep"), "made by the checkout itself")
        os.makedirs(out)
        self.assertNotEqual(space.run("checkout", out).code, 0)
        self.assertEqual(os.listdir(out), [])
        shutil.move(self.scratch + "/object", last)
        self.assertEqual(space.ok("checkout", out)["files"], 3)
        self.assertEqual(stat.S_IMODE(os.stat(out + "/z.txt").st_mode), 0o644)
        self.assertEqual(space.ok("sync", out)["ops"], [])


if __name__ == "__main__":
    harness.main()
