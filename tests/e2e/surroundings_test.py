"""What a workspace meets around it: users without permission, places it cannot be in."""

import os
import resource
import subprocess
import time
import unittest

import harness
from harness import run

TEXT = b"alpha\nbeta\n"
NOBODY = 65534


def run_as_nobody(folder, *arguments, before=None):
    """Runs the command there as a user who owns nothing; skips where that cannot be done. `before`
    is called in the new process."""
    try:
        done = subprocess.run([harness.BINARY, *arguments], cwd=folder, user=NOBODY, group=NOBODY,
                              extra_groups=[], env=harness.ENVIRONMENT, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=harness.TIMEOUT_SECONDS,
                              preexec_fn=before, check=False)
    except PermissionError as error:
        raise unittest.SkipTest(f"cannot run as another user: {error}")
    return harness.Answer(arguments, done.returncode, done.stdout, done.stderr)


class OtherUserTest(harness.TestCase):

    def test_a_workspace_of_another_user_is_permission_denied(self):
        space = self.workspace({"a.txt": TEXT})
        os.chmod(self.scratch, 0o755)
        for command in ("status", "fsck", "log"):
            error = self.assert_error(run_as_nobody(space.folder, command, "--json"),
                                      "permission_denied")
            self.assertIn(".staged' may not be read", error["message"])


class ReadOnlyTest(harness.TestCase):

    def close(self, space):
        os.chmod(self.scratch, 0o755)
        for folder, folders, files in os.walk(space.path(".staged"), topdown=False):
            for name in files:
                os.chmod(os.path.join(folder, name), 0o444)
            os.chmod(folder, 0o555)
        self.addCleanup(os.system, f"chmod -R u+w {space.folder}")

    def check_search(self, space, *noted):
        answer = run_as_nobody(space.folder, "search", "alpha", "--json")
        self.assertEqual(answer.code, 0, answer)
        self.assertEqual([hit["path"] for hit in answer.json()["hits"]], ["a.txt", "b.txt"])
        notes = answer.json()["notes"]
        self.assertEqual(len(notes), len(noted), notes)
        for note, part in zip(notes, noted):
            self.assertIn(part, note)

    def test_search_of_what_is_not_indexed(self):
        space = self.workspace({"a.txt": TEXT, "b.txt": b"alpha too\n"})
        self.close(space)
        self.check_search(space, "cannot be written")
        self.assertEqual(run_as_nobody(space.folder, "search", "alpha").err.count(b"note: "), 1)
        error = self.assert_error(run_as_nobody(space.folder, "index", "--json"),
                                  "permission_denied")
        self.assertIn("no index is kept", error["message"])

    def test_search_of_what_is_indexed_in_part(self):
        space = self.workspace({"a.txt": TEXT})
        space.ok("search", "alpha")
        space.save("b.txt", b"alpha too\n")
        space.ok("status")
        self.close(space)
        self.check_search(space, "cannot be written")

    def test_search_of_what_is_indexed_needs_no_note(self):
        space = self.workspace({"a.txt": TEXT, "b.txt": b"alpha too\n"})
        space.ok("search", "alpha")
        self.close(space)
        self.check_search(space)
        self.assertEqual(run_as_nobody(space.folder, "index").code, 0)


class PlaceTest(harness.TestCase):

    def test_no_workspace_is_made_inside_dot_staged(self):
        space = self.workspace({"a.txt": TEXT})
        space.ok("export", self.scratch + "/backup")
        os.symlink(space.path(".staged"), self.scratch + "/link")
        for folder in (space.path(".staged"), space.path(".staged/objects"),
                       space.path(".staged/new/deep"), self.scratch + "/link"):
            error = self.assert_error(run("init", folder, "--json"), "path_escape")
            self.assertIn(".staged folder", error["message"])
        for folder in (space.path(".staged/new/deep"), space.path(".staged/tmp")):
            self.assert_error(run("import", self.scratch + "/backup", folder, "--json"),
                              "path_escape")
        self.assertFalse(os.path.exists(space.path(".staged/new")))
        self.assertFalse(os.path.exists(space.path(".staged/.staged")))
        self.assert_clean(space)


class KilledImportTest(harness.TestCase):

    def setUp(self):
        super().setUp()
        self.files = {f"folder{i % 7}/{i}.txt": b"text %d\n" % i * 50 for i in range(300)}
        self.backup = self.scratch + "/backup"
        self.workspace(self.files).ok("export", self.backup)
        self.copy = harness.Workspace(self.scratch + "/copy")

    def kill_import(self):
        """Kills an import when it has begun to make the workspace."""
        process = subprocess.Popen([harness.BINARY, "import", self.backup, self.copy.folder],
                                   env=harness.ENVIRONMENT, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        while process.poll() is None:
            if os.path.exists(self.copy.path(".staged-import/.staged/objects/format")):
                break
        process.kill()
        process.wait()

    def test_it_passes_for_no_workspace_and_can_be_repeated(self):
        copy = self.copy
        self.kill_import()
        self.assertEqual(os.listdir(copy.folder), [".staged-import"])
        for arguments in (["status", "--root", copy.folder], ["init", copy.folder]):
            error = self.assert_error(run(*arguments, "--json"), "conflict")
            self.assertIn("did not finish; run `staged import` again", error["message"])
        # What else is in the folder is somebody's.
        copy.save("mine.txt", TEXT)
        self.assert_error(run("import", self.backup, copy.folder, "--json"), "conflict")
        self.assertEqual(copy.load("mine.txt"), TEXT)
        os.remove(copy.path("mine.txt"))
        self.assertEqual(run("import", self.backup, copy.folder).code, 0)
        self.assertEqual(sorted(os.listdir(copy.folder)),
                         [".staged"] + [f"folder{i}" for i in range(7)])
        for path, data in self.files.items():
            self.assertEqual(copy.load(path), data)
        self.assertEqual({row["state"] for row in copy.ok("status")["files"]}, {"initial"})
        self.assert_clean(copy)

    def test_a_damaged_export_leaves_nothing(self):
        with open(self.backup, "r+b") as file:
            file.truncate(os.path.getsize(self.backup) - 1)
        self.assert_error(run("import", self.backup, self.copy.folder, "--json"), "data_loss")
        self.assertEqual(os.listdir(self.copy.folder), [])


def children_of(process):
    """The command lines of the processes that it has started, and what /proc tells of them."""
    found = {}
    with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as children:
        numbers = children.read().split()
    for number in numbers:
        with open(f"/proc/{number}/cmdline", "rb") as line, \
                open(f"/proc/{number}/status", encoding="utf-8") as status:
            found[line.read()] = dict(row.rstrip("\n").split(":\t", 1)
                                      for row in status if ":\t" in row)
    return found


class ParsersTest(harness.TestCase):
    """Parsers run where a hostile file can do no harm, unless the environment says otherwise."""

    def parse(self, choice, data=b"a,b\n1,2\n", look=None):
        environment = dict(harness.ENVIRONMENT, STAGED_PARSERS=choice)
        process = subprocess.Popen([harness.BINARY, "parse", "-", "--json"], env=environment,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        try:
            if look is not None:
                look(process)
        except Exception:
            process.kill()
            raise
        out, err = process.communicate(data, timeout=harness.TIMEOUT_SECONDS)
        return harness.Answer(["parse"], process.returncode, out, err)

    def test_both_ways_give_one_answer(self):
        if harness.ENVIRONMENT.get("STAGED_PARSERS") == "in-process":
            self.skipTest("this build's parsers cannot be confined")
        self.assertEqual(self.parse("sandboxed").json(), self.parse("in-process").json())
        self.assertEqual(self.parse("").json(), self.parse("in-process").json())

    def test_a_worker_is_confined_before_it_has_a_byte(self):
        if harness.ENVIRONMENT.get("STAGED_PARSERS") == "in-process":
            self.skipTest("this build's parsers cannot be confined")

        def look(process):
            for _ in range(1000):
                for line, status in children_of(process).items():
                    # 2: a filter of system calls is in force.
                    if line.endswith(b"parse-worker\0") and status["Seccomp"] == "2":
                        self.assertEqual(status["NoNewPrivs"], "1")
                        return
                time.sleep(0.01)
            self.fail("no worker was started and confined")

        self.assertEqual(self.parse("sandboxed", look=look).code, 0)

    def test_a_user_with_lower_limits_has_them_in_workers(self):
        if harness.ENVIRONMENT.get("STAGED_PARSERS") == "in-process":
            self.skipTest("this build's parsers cannot be confined")

        def lower():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31))
            resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))

        path = os.path.join(self.scratch, "a.csv")
        with open(path, "wb") as file:
            file.write(b"a,b\n1,2\n")
        os.chmod(self.scratch, 0o755)
        answer = run_as_nobody(self.scratch, "parse", "a.csv", "--at", "r:2/c:b", before=lower)
        self.assertEqual(answer.code, 0, answer)
        self.assertTrue(answer.text.endswith("2\n"), answer)

    def test_another_choice_is_refused(self):
        self.assert_error(self.parse("none"), "invalid_argument")


if __name__ == "__main__":
    harness.main()
