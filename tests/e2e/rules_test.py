"""The contract's rules at the command line: conflicts, undo, confinement, attributes, damage."""

import os
import shutil
import sqlite3
import subprocess

import harness
from harness import hash_of, run

FILES = {"notes.txt": b"one\ntwo\nthree\n", "docs/page.md": b"# Title\n\nText.\n"}


class ConflictTest(harness.TestCase):

    def setUp(self):
        super().setUp()
        self.space = self.workspace(FILES)

    def test_a_persons_save_of_a_staged_file(self):
        space = self.space
        space.write("notes.txt", b"one\ntwo\nTHREE\n")
        space.review()
        space.save("notes.txt", b"ONE\ntwo\nthree\n")
        row = space.row("notes.txt")
        self.assertEqual((row["state"], row["disk"], row["accepted"], row["staged"]),
                         ("conflict", hash_of(b"ONE\ntwo\nthree\n"), hash_of(b"ONE\ntwo\nthree\n"),
                          hash_of(b"one\ntwo\nTHREE\n")))
        for command in ("review", "submit"):
            self.assert_error(space.run(command, "--json"), "conflict")
        rebased = space.ok("rebase")
        self.assertEqual(set(rebased), {"rebased", "conflicts"})
        self.assertLessEqual({"path", "base", "hash", "op"}, set(rebased["rebased"][0]))
        self.assert_error(space.run("submit", "--json"), "not_reviewed")
        space.review()
        space.submit()
        self.assertEqual(space.load("notes.txt"), b"ONE\ntwo\nTHREE\n")

    def test_conflicting_rebase_and_the_ways_out(self):
        space = self.space
        sides = {"left": b"left\ntwo\nthree\n", "right": b"right\ntwo\nthree\n",
                 "base": FILES["notes.txt"]}
        given = os.path.join(self.scratch, "given")
        with open(given, "wb") as file:
            file.write(b"given\n")
        for take, expected in [*sides.items(), (given, b"given\n")]:
            space.publish("notes.txt", sides["base"] + take.encode())
            space.publish("notes.txt", sides["base"])
            space.write("notes.txt", sides["left"])
            space.save("notes.txt", sides["right"])
            answer = space.ok("rebase", code=1)
            self.assertEqual(answer["rebased"], [])
            self.assertEqual(answer["conflicts"][0]["path"], "notes.txt")
            space.ok("resolve", "notes.txt", "--take", take)
            self.assertEqual(space.cat("notes.txt"), expected, take)
            space.review()
            space.submit()
            self.assertEqual(space.load("notes.txt"), expected, take)

    def test_review_is_void_after_a_change(self):
        space = self.space
        space.write("notes.txt", b"1\n")
        self.assert_error(space.run("submit", "--json"), "not_reviewed")
        space.review()
        self.assertEqual(space.row("notes.txt")["state"], "reviewed")
        space.write("notes.txt", b"2\n")
        self.assert_error(space.run("submit", "--json"), "review_void")
        self.assertEqual(space.load("notes.txt"), FILES["notes.txt"])

    def test_one_unreviewed_path_refuses_all(self):
        space = self.space
        space.write("notes.txt", b"1\n")
        space.review()
        space.write("docs/page.md", b"# New\n")
        self.assert_error(space.run("submit", "--json"), "not_reviewed")
        self.assertEqual(space.load("notes.txt"), FILES["notes.txt"])

    def test_acknowledged_bytes_stay_readable(self):
        space = self.space
        for number, command in enumerate((["discard", "notes.txt"], ["undo"], ["rollback", "t-x"])):
            data = b"kept %d\n" % number
            space.write("notes.txt", data, "current", "--turn", "t-x")
            space.ok(*command)
            self.assertEqual(space.cat("notes.txt"), FILES["notes.txt"])
            self.assertEqual(space.cat("notes.txt", hash_of(data)), data)
        space.ok("gc")
        self.assertEqual(space.cat("notes.txt", hash_of(b"kept 0\n")), b"kept 0\n")

    def test_undo_redo_and_revert(self):
        space = self.space
        first = space.write("notes.txt", b"1\n")
        second = space.write("notes.txt", b"2\n")
        error = self.assert_error(space.run("undo", str(first["op"]), "--json"), "conflict")
        self.assertIn(str(second["op"]), str(error["details"]))
        space.ok("undo", str(first["op"]), "--with-dependents")
        self.assertEqual(space.cat("notes.txt"), FILES["notes.txt"])
        done = space.publish("notes.txt", b"published\n")
        self.assertEqual(done[0]["hash"], hash_of(b"published\n"))
        operation = space.log()[-1]["op"]
        space.ok("revert", str(operation))
        self.assertEqual(space.load("notes.txt"), b"published\n", "reverting only stages")
        space.review()
        space.submit()
        self.assertEqual(space.load("notes.txt"), FILES["notes.txt"])

    def test_office_locks(self):
        self.space.write("notes.txt", b"1\n")
        self.space.review()
        lock = ".~lock.notes.txt#"
        self.space.save(lock, b",Ada Lovelace,host,01.01.2026 10:00,file:///x;")
        error = self.assert_error(self.space.run("submit", "--json"), "busy")
        self.assertIn("Ada Lovelace", error["message"])
        os.remove(self.space.path(lock))
        self.space.save("~$tes.txt", b"\x05Grace" + b" " * 49)
        self.assertIn("Grace",
                      self.assert_error(self.space.run("submit", "--json"), "busy")["message"])
        self.space.submit("--ignore-locks")
        self.assertEqual(self.space.load("notes.txt"), b"1\n")

    def test_checkout_and_sync(self):
        space = self.space
        place = harness.Workspace(os.path.join(self.scratch, "out"))
        space.write("notes.txt", b"staged\n")
        space.ok("checkout", place.folder)
        self.assertEqual(place.load("notes.txt"), b"staged\n")
        place.save("notes.txt", b"changed\n")
        place.save("new/file.txt", b"new\n")
        os.remove(place.path("docs/page.md"))
        answer = space.ok("sync", place.folder)
        self.assertEqual(set(answer), {"ops", "skipped", "conflicts"})
        self.assertEqual({row["path"] for row in answer["ops"]},
                         {"notes.txt", "new/file.txt", "docs/page.md"})
        self.assertEqual(len({row["turn"] for row in answer["ops"]}), 1)
        self.assertEqual(space.cat("new/file.txt"), b"new\n")


class ConfinementTest(harness.TestCase):

    def make(self):
        space = self.workspace({**FILES, "Case.txt": b"a", "nested/file": b"x"}, init=False)
        os.symlink("/etc/passwd", space.path("out"))
        os.symlink("/tmp", space.path("outdir"))
        os.symlink("notes.txt", space.path("inside"))
        os.mkfifo(space.path("pipe"))
        os.makedirs(space.path("nested/.staged"))
        space.save("~$lock.docx", b"x")
        space.save("__pycache__/m.pyc", b"x")
        with open(os.fsencode(space.folder) + b"/bad\xff.txt", "wb"):
            pass
        return space

    def test_what_is_skipped_is_listed(self):
        space = self.make()
        subprocess.run(["git", "init", "-q", space.folder], check=True)
        space.save(".gitignore", b"*.log\n")
        space.save("x.log", b"x")
        space.save("case.txt", b"a")
        answer = space.init()
        tracked = {row["path"] for row in space.ok("status")["files"]}
        self.assertEqual(tracked, {*FILES, "Case.txt", "case.txt", "inside", ".gitignore"})
        skipped = {row["path"]: row["reason"] for row in space.ok("status")["skipped"]}
        self.assertEqual(set(skipped), {"out", "outdir", "pipe", "nested", "bad\ufffd.txt"})
        self.assertEqual(skipped, {row["path"]: row["reason"] for row in answer["skipped"]})
        self.assertIn(b".staged/\n", space.load(".git/info/exclude"))
        self.assertEqual(space.cat("inside"), b"notes.txt")

    def test_no_path_leads_out(self):
        space = self.make()
        space.init()
        for path in ("../x", "/etc/x", "docs/../../x", ".git/x", ".GIT/x", ".staged/x",
                     "docs/.Staged/x", "outdir/x", "nested/x", "pipe/x"):
            answer = space.run("write", path, "--base", "none", "--json", stdin=b"evil")
            self.assert_error(answer, "path_escape")
        self.assert_error(space.run("write", "cASE.txt", "--base", "none", "--json"), "conflict")
        self.assert_error(space.run("write", "notes.txt/x", "--base", "none", "--json"), "conflict")
        self.assert_error(space.run("mv", "notes.txt", "outdir/y", "--base",
                                    hash_of(FILES["notes.txt"]), "--json"), "path_escape")
        self.assertEqual(space.ok("submit"), {"submitted": [], "op": None})
        self.assert_error(space.run("write", "inside", "--base", hash_of(b"notes.txt"), "--json",
                                    stdin=b"/etc/passwd"), "path_escape")

    def test_a_submit_that_cannot_be_published_is_taken_back(self):
        space = self.workspace(FILES)
        space.write("notes.txt", b"1\n")
        space.write("fresh/file", b"x", "none")
        space.review()
        os.symlink(self.scratch, space.path("fresh"))
        self.assert_error(space.run("submit", "--json"), "conflict")
        self.assertEqual(space.load("notes.txt"), FILES["notes.txt"])
        self.assertFalse(os.path.exists(os.path.join(self.scratch, "file")))
        self.assert_clean(space)
        os.remove(space.path("fresh"))
        space.review()
        self.assertEqual(len(space.submit()), 2)
        self.assertEqual(space.load("fresh/file"), b"x")


class AttributesTest(harness.TestCase):

    def test_mode_owner_and_extended_attributes_are_kept(self):
        space = self.workspace(FILES)
        path = space.path("notes.txt")
        os.chmod(path, 0o640)
        owner = (1234, 2345) if os.geteuid() == 0 else (os.getuid(), os.getgid())
        os.chown(path, *owner)
        attributes = {}
        try:
            os.setxattr(path, "user.staged_test", b"value")
            attributes["user.staged_test"] = b"value"
        except OSError:
            print("skipped: no extended attributes on this file system")
        if attributes and shutil.which("setfacl"):
            acl = subprocess.run(["setfacl", "-m", "u:7777:rw", path], check=False)
            if acl.returncode == 0:
                attributes["system.posix_acl_access"] = os.getxattr(path, "system.posix_acl_access")
        before = os.stat(path)
        space.publish("notes.txt", b"new\n")
        after = os.stat(path)
        self.assertEqual(space.load("notes.txt"), b"new\n")
        self.assertEqual((after.st_mode, after.st_uid, after.st_gid),
                         (before.st_mode, before.st_uid, before.st_gid))
        for name, value in attributes.items():
            self.assertEqual(os.getxattr(path, name), value, name)


class LastCopyTest(harness.TestCase):

    def test_a_submit_keeps_the_last_copy(self):
        space = self.workspace(FILES)
        packs = space.path(".staged/objects/packs")
        for name in os.listdir(packs):
            os.remove(os.path.join(packs, name))
        space.write("notes.txt", b"new\n")
        space.review()
        space.submit()
        self.assertEqual(space.cat("notes.txt@" + hash_of(FILES["notes.txt"])), FILES["notes.txt"])


class StoreTest(harness.TestCase):

    def setUp(self):
        super().setUp()
        self.space = self.workspace(FILES)
        for number in range(3):
            self.space.publish("notes.txt", b"version %d\n" % number)

    def test_derived_data_may_be_deleted(self):
        shutil.rmtree(self.space.path(".staged/derived"))
        self.assertEqual(len(self.space.ok("search", "version")["hits"]), 1)
        self.assert_clean(self.space)

    def test_a_missing_journal_is_data_loss(self):
        for name in os.listdir(self.space.path(".staged")):
            if name.startswith("journal.db"):
                os.remove(self.space.path(".staged/" + name))
        for command in ("status", "log", "fsck"):
            self.assert_error(self.space.run(command, "--json"), "data_loss")
        self.assertFalse(os.path.exists(self.space.path(".staged/journal.db")))

    def test_a_journal_that_lost_operations_is_not_written_on(self):
        copies = os.path.join(self.scratch, "copies")
        os.mkdir(copies)
        names = ("journal.db", "journal.db-wal")
        self.space.write("notes.txt", b"before\n")
        for name in names:
            if os.path.exists(self.space.path(".staged/" + name)):
                shutil.copy(self.space.path(".staged/" + name), copies)
        self.space.write("notes.txt", b"acknowledged\n")
        for name in os.listdir(self.space.path(".staged")):
            if name.startswith("journal.db"):
                os.remove(self.space.path(".staged/" + name))
        for name in os.listdir(copies):
            shutil.copy(os.path.join(copies, name), self.space.path(".staged/" + name))
        answer = self.space.run("write", "other.txt", "--base", "none", "--json", stdin=b"x")
        self.assert_error(answer, "data_loss")
        codes = [finding["code"] for finding in self.space.run("fsck", "--json").json()["findings"]]
        self.assertIn("head_differs", codes)

    def test_a_newer_store_is_refused(self):
        name, version = self.space.load(".staged/format").split()
        self.space.save(".staged/format", name + b" " + str(int(version) + 1).encode() + b"\n")
        answer = self.space.run("status", "--json")
        self.assertNotEqual(answer.code, 0)
        self.assertIn("update staged", answer.json()["error"]["message"])
        self.space.save(".staged/format", name + b" " + version + b"\n")
        self.assertEqual(self.space.run("status").code, 0)

    def damage_one(self, digest):
        """Flips a byte in the middle of the object's file; gives its path."""
        hexadecimal = digest[len("sha256:"):]
        for folder, _, names in os.walk(self.space.path(".staged/objects")):
            for name in names:
                path = os.path.join(folder, name)
                if hexadecimal in (os.path.basename(folder) + name, name) or name in hexadecimal:
                    with open(path, "r+b") as file:
                        data = bytearray(file.read())
                        data[len(data) // 2] ^= 0xFF
                        file.seek(0)
                        os.chmod(path, 0o600)
                        file.write(data)
                    return path
        return None

    def test_a_damaged_object_only_loses_its_contents(self):
        digest = hash_of(b"version 0\n")
        if not self.damage_one(digest):
            self.skipTest("the object is not a file of its own")
        report = self.space.run("fsck", "--json")
        self.assertFalse(report.json()["ok"])
        self.assertIn(digest, str(report.json()["findings"]))
        self.assert_error(self.space.run("cat", f"notes.txt@{digest}", "--json"), "data_loss")
        self.assertEqual(self.space.cat("notes.txt", hash_of(b"version 1\n")), b"version 1\n")
        self.space.publish("notes.txt", b"goes on\n")
        self.assertEqual(self.space.load("notes.txt"), b"goes on\n")

    def test_forget(self):
        digest = hash_of(b"version 1\n")
        self.space.ok("forget", digest)
        answer = self.space.run("cat", f"notes.txt@{digest}", "--json")
        self.assertNotEqual(answer.code, 0)
        self.assertIn("forgotten", answer.json()["error"]["message"])
        self.assert_clean(self.space)
        self.assertIn("forget", [row["type"] for row in self.space.log()])

    def test_export_and_import(self):
        file = os.path.join(self.scratch, "backup.staged")
        self.space.write("notes.txt", b"staged\n")
        self.space.ok("export", file)
        copy = harness.Workspace(os.path.join(self.scratch, "copy"))
        self.assertEqual(run("import", file, copy.folder).code, 0)
        self.assertEqual(copy.log(), self.space.log())
        for row in self.space.log():
            for one in harness.rows_of(row):
                if one.get("hash") and row["type"] not in ("review",):
                    self.assertEqual(copy.cat(one["path"], one["hash"]),
                                     self.space.cat(one["path"], one["hash"]))
        here, there = self.space.ok("status")["files"], copy.ok("status")["files"]
        keys = ("path", "accepted", "working", "staged", "state")
        self.assertEqual([[row[key] for key in keys] for row in here],
                         [[row[key] for key in keys] for row in there])
        self.assert_clean(copy)

    def test_policy_needs_a_person(self):
        policy = os.path.join(self.scratch, "policy.toml")
        with open(policy, "w", encoding="utf-8") as file:
            file.write('[[rule]]\npaths = ["**"]\nreview = "human"\n')
        answer = self.space.run("policy", "--set", policy, "--json")
        self.assertEqual(answer.code, 0, answer)
        self.space.write("notes.txt", b"bot\n", "current", "--actor", "agent:bot")
        receipt = self.space.review("--actor", "agent:bot")[0]
        self.assert_error(self.space.run("submit", "--json", "--actor", "agent:bot"),
                          "not_reviewed")
        denied = self.space.run("review", "--approve", receipt["receipt"], "--actor", "agent:bot",
                                "--json")
        self.assert_error(denied, "permission_denied")
        self.space.ok("review", "--approve", receipt["receipt"])
        self.assertEqual(len(self.space.submit("--actor", "agent:bot")), 1)

    def test_upkeep_answers(self):
        self.assertLessEqual({"ok", "findings"}, set(self.space.fsck()))
        self.assertLessEqual({"objects", "stored_bytes"}, set(self.space.ok("gc")))
        self.assertLessEqual({"objects", "journal_bytes", "derived_bytes"}, set(self.space.ok("du")))
        self.space.ok("index")
        with sqlite3.connect(self.space.path(".staged/journal.db")) as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchone(), ("ok",))


if __name__ == "__main__":
    harness.main()
