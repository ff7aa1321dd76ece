"""Every command as a newcomer types it: its JSON member by member, its text, its exit code."""

import os
import subprocess

import harness
from harness import hash_of, run

NOWHERE = "sha256:" + "0" * 64
FILES = {"notes.txt": b"one\ntwo\nthree\n", "data.csv": b"id,price\n1,5\n2,7\n",
         "conf.json": b'{"a": {"b": [1, 2]}, "name": "x"}\n', "docs/page.md": b"# Title\n\nText.\n",
         "code/tool.py": b"def f():\n    return 1\n\n\nclass C:\n    def m(self):\n        pass\n"}


def command_names():
    lines = run("--help").text.split("Commands:\n")[1].split("\n\n")[0].splitlines()
    return [line.split()[0] for line in lines]


class HelpTest(harness.TestCase):

    def test_help_of_every_command_has_examples(self):
        names = command_names()
        for expected in ("init status ls view search diff write edit rm mv chmod checkout sync "
                         "review submit rebase resolve discard undo rollback revert log show cat "
                         "watch index policy fsck gc du forget export import parse merge "
                         "formats").split():
            self.assertIn(expected, names)
        for name in names:
            answer = run(name, "--help")
            self.assertEqual((answer.code, answer.err), (0, b""), answer)
            self.assertIn(f"Usage: staged {name}", answer.text)
            examples = answer.text.split("Examples:\n")
            self.assertEqual(len(examples), 2, answer)
            self.assertIn("staged", examples[1])
            self.assertEqual(run("help", name).text, answer.text)

    def test_version_completion_and_bare_call(self):
        self.assertRegex(run("--version").text, r"^staged \d+\.\d+\.\d+\n$")
        self.assertEqual(run().text, run("--help").text)
        script = run("completion").out
        checked = subprocess.run(["bash", "-n"], input=script, capture_output=True, check=False)
        self.assertEqual((checked.returncode, checked.stderr), (0, b""))
        words = subprocess.run(
            ["bash", "-c", 'source /dev/stdin; COMP_WORDS=(staged sta); COMP_CWORD=1; _staged; '
             'echo "${COMPREPLY[@]}"'], input=script, capture_output=True, check=True).stdout
        self.assertEqual(words, b"status\n")

    def test_usage_errors(self):
        for arguments in (["bogus"], ["status", "--bogus"], ["write"], ["help", "bogus"],
                          ["status", "extra", "words"], ["merge", "a", "b"]):
            answer = run(*arguments, cwd=self.scratch)
            self.assertEqual((answer.code, answer.out), (2, b""), answer)
            self.assertEqual(answer.err.count(b"\n"), 1, answer)
            self.assert_error(run(*arguments, "--json", cwd=self.scratch), "invalid_argument")

    def test_no_workspace(self):
        error = self.assert_error(run("status", "--json", cwd=self.scratch), "not_found")
        self.assertIn("staged init", error["message"])

    def test_workspace_is_found_upwards(self):
        space = self.workspace(FILES)
        inside = run("status", "--json", cwd=space.path("docs")).json()
        self.assertEqual(inside, space.ok("status"))


class ShapeTest(harness.TestCase):
    """The members of each answer, as the command line's reference fixes them."""

    def setUp(self):
        super().setUp()
        self.space = self.workspace(FILES)

    def test_init(self):
        folder = os.path.join(self.scratch, "fresh")
        fresh = harness.Workspace(folder, {"a": b"a", "pipe.txt": b""})
        answer = fresh.init()
        self.assertEqual(set(answer), {"root", "files", "skipped"})
        self.assertEqual((answer["root"], answer["files"], answer["skipped"]), (folder, 2, []))
        self.assert_error(run("init", folder, "--json"), "conflict")
        self.assertEqual(os.stat(fresh.path(".staged")).st_mode & 0o777, 0o700)
        self.assertEqual(sorted(set(os.listdir(fresh.path(".staged"))) &
                                {"format", "journal.db", "objects", "derived", "tmp"}),
                         ["derived", "format", "journal.db", "objects", "tmp"])

    def test_status(self):
        answer = self.space.ok("status")
        self.assertEqual(set(answer), {"files", "skipped"})
        for row in answer["files"]:
            self.assertEqual(list(row), ["path", "kind", "state", "accepted", "working", "disk",
                                         "staged", "view", "freshness", "branch", "also_on"])
            digest = hash_of(FILES[row["path"]])
            self.assertEqual((row["accepted"], row["working"], row["disk"], row["staged"]),
                             (digest, digest, digest, None))
            self.assertEqual((row["kind"], row["state"], row["also_on"]), ("file", "initial", []))
        self.assertEqual([row["path"] for row in answer["files"]], sorted(FILES))

    def test_staging_commands(self):
        space = self.space
        change = space.write("notes.txt", b"1\n")
        self.assertEqual(set(change), {"path", "base", "hash", "op", "turn"})
        self.assertEqual((change["base"], change["hash"]),
                         (hash_of(FILES["notes.txt"]), hash_of(b"1\n")))
        self.assertEqual(space.row("notes.txt", "other")["also_on"], ["chat-pat"])
        created = space.write("new.txt", b"n", "none")
        self.assertEqual((created["base"], created["hash"]), (None, hash_of(b"n")))
        edited = space.edit("data.csv", [{"op": "set", "locator": "r:2/c:price", "value": "6"}])
        self.assertLessEqual({"path", "base", "hash", "op", "turn"}, set(edited))
        removed = space.ok("rm", "conf.json", "--base", hash_of(FILES["conf.json"]))
        self.assertEqual(set(removed), {"path", "base", "hash", "op", "turn"})
        self.assertIsNone(removed["hash"])
        mode = space.ok("chmod", "+x", "code/tool.py", "--base", hash_of(FILES["code/tool.py"]))
        self.assertEqual(set(mode), {"path", "base", "hash", "op", "turn"})
        self.assertEqual(space.row("code/tool.py")["kind"], "executable")
        moved = space.ok("mv", "docs/page.md", "page.md", "--base", hash_of(FILES["docs/page.md"]))
        self.assertEqual(set(moved), {"path", "to", "base", "hash", "op", "turn"})
        self.assertEqual((moved["path"], moved["to"]), ("docs/page.md", "page.md"))
        for path, data in FILES.items():
            self.assertEqual(space.load(path), data, "only submit touches the live folder")
        self.check_review_and_submit()

    def check_review_and_submit(self):
        space = self.space
        receipts = space.review()
        for receipt in receipts:
            self.assertLessEqual({"receipt", "path", "base", "hash", "diff"}, set(receipt))
        answer = space.ok("submit", "--message", "all of it")
        self.assertEqual(set(answer), {"submitted", "op"})
        for row in answer["submitted"]:
            self.assertEqual(set(row), {"path", "base", "hash"})
        self.assertEqual({row["path"] for row in answer["submitted"]},
                         {receipt["path"] for receipt in receipts})
        self.assertEqual(space.ok("submit"), {"submitted": [], "op": None})
        self.assertEqual(space.load("notes.txt"), b"1\n")
        self.assertFalse(os.path.exists(space.path("conf.json")))
        self.assertFalse(os.path.exists(space.path("docs/page.md")))
        self.assertEqual(space.load("page.md"), FILES["docs/page.md"])
        self.assertTrue(os.access(space.path("code/tool.py"), os.X_OK))
        self.assertEqual(space.load("data.csv"), b"id,price\n1,6\n2,7\n")
        self.assert_clean(space)

    def test_base_is_checked(self):
        answer = self.space.run("write", "notes.txt", "--base", "none", "--json", stdin=b"x")
        error = self.assert_error(answer, "stale_base")
        self.assertLessEqual({"path", "expected", "actual", "same_bytes"}, set(error["details"]))
        self.assertEqual(error["details"]["expected"], None)
        self.assertEqual(error["details"]["actual"], hash_of(FILES["notes.txt"]))
        self.assertIs(error["details"]["same_bytes"], False)
        same = self.space.run("write", "notes.txt", "--base", NOWHERE, "--json",
                              stdin=FILES["notes.txt"])
        self.assertIs(self.assert_error(same, "stale_base")["details"]["same_bytes"], True)
        for base in ("zzz", "sha256:12", NOWHERE[7:] + "00"):
            self.assert_error(self.space.run("write", "notes.txt", "--base", base, "--json"),
                              "invalid_argument")
        self.assert_error(self.space.run("write", "notes.txt", "--json"), "invalid_argument")

    def test_request_id_is_answered_again(self):
        first = self.space.write("a.txt", b"a", "none", "--request-id", "r1")
        again = self.space.write("a.txt", b"a", "none", "--request-id", "r1")
        self.assertEqual(first, again)
        self.assertEqual(len([row for row in self.space.log() if row["type"] == "create"]), 1)

    def test_reading(self):
        space = self.space
        listed = space.ok("ls")["files"]
        self.assertEqual([row["path"] for row in listed], sorted(FILES))
        self.assertEqual([row["path"] for row in space.ok("ls", "docs")["files"]], ["docs/page.md"])
        view = space.ok("view", "notes.txt")
        self.assertEqual(set(view), {"path", "hash", "format", "parser", "freshness", "fallback",
                                     "records", "parts", "diagnostics"})
        self.assertEqual(set(view["parser"]), {"name", "version"})
        for record in view["records"]:
            self.assertLessEqual({"kind", "locator", "parent", "text", "attrs", "facets", "span"},
                                 set(record))
        self.assertIn("current, 4 records\n", space.run("view", "notes.txt").text)
        only = space.ok("view", "notes.txt", "--at", "line:2")["records"]
        self.assertEqual([(row["locator"], row["text"]) for row in only], [("line:2", "two")])
        kinds = space.run("view", "notes.txt", "--jsonl", "--kind", "line").lines()
        self.assertEqual([row["text"] for row in kinds], ["one", "two", "three"])
        self.assert_error(space.run("view", "notes.txt", "--at", "line:9", "--json"), "no_match")
        self.assert_error(space.run("view", "absent.txt", "--json"), "not_found")
        self.assertEqual(space.cat("notes.txt"), FILES["notes.txt"])
        self.assert_error(space.run("cat", f"notes.txt@{NOWHERE}", "--json"), "not_found")
        # A hash belongs to its path.
        other = hash_of(FILES["data.csv"])
        self.assert_error(space.run("cat", f"notes.txt@{other}", "--json"), "not_found")

    def test_hash_is_split_at_the_last_match(self):
        name = f"odd@{NOWHERE}"
        self.space.write(name, b"odd\n", "none")
        digest = hash_of(b"odd\n")
        self.assertEqual(self.space.cat(name, digest), b"odd\n")

    def test_search_of_exactly_one_state(self):
        space = self.space
        answer = space.ok("search", "two")
        self.assertLessEqual({"hits", "more"}, set(answer))
        self.assertEqual([(hit["path"], hit["locator"]) for hit in answer["hits"]],
                         [("notes.txt", "line:2")])
        self.assertEqual(set(answer["hits"][0]), {"path", "hash", "locator", "text", "score",
                                                  "freshness", "working"})
        before = space.log()[-1]["op"]
        change = space.write("notes.txt", b"one\nzwei\n")
        for query, option, count in (("two", [], 0), ("zwei", [], 1),
                                     ("two", ["--at", str(before)], 1),
                                     ("zwei", ["--at", str(before)], 0),
                                     ("zwei", ["--at", str(change["op"])], 1),
                                     ("zwei", ["--branch", "other"], 0),
                                     ("two", ["--branch", "other"], 1)):
            hits = space.ok("search", query, *option)["hits"]
            self.assertEqual(len(hits), count, (query, option, hits))
        self.assertEqual(len(space.ok("search", "^zw.i$", "--regex")["hits"]), 1)
        self.assertEqual([hit["path"] for hit in space.ok("search", "tool", "--name")["hits"]],
                         ["code/tool.py"])
        self.assertEqual(space.ok("search", "one", "--path", "docs/**")["hits"], [])
        self.assert_error(space.run("search", "(", "--regex", "--json"), "invalid_argument")
        self.assert_error(space.run("search", "x", "--at", "0", "--json"), "invalid_argument")
        self.assert_error(space.run("search", "x", "--at", "999", "--json"), "not_found")

    def test_log_and_show(self):
        space = self.space
        space.write("notes.txt", b"1\n", "current", "--turn", "first", "--actor", "agent:bot")
        rows = space.log()
        self.assertEqual([row["op"] for row in rows], list(range(1, len(rows) + 1)))
        self.assertLessEqual({"op", "time", "actor", "branch", "turn", "type", "paths"},
                             set(rows[0]))
        self.assertEqual(set(rows[-1]), {"op", "time", "actor", "branch", "turn", "type", "path",
                                         "base", "hash"})
        self.assertEqual((rows[-1]["actor"], rows[-1]["turn"], rows[-1]["type"]),
                         ("bot", "first", "replace"))
        for option in (["--path", "notes.txt"], ["--actor", "bot"], ["--turn", "first"],
                       ["--branch", "chat-pat"]):
            self.assertIn(rows[-1], space.log(*option), option)
        self.assertEqual(space.log("--actor", "bot"), [rows[-1]])
        self.assertEqual(space.log("--turn", "nowhere"), [])
        shown = space.ok("show", str(rows[-1]["op"]))
        self.assertEqual({key: shown[key] for key in rows[-1]}, rows[-1])
        where = space.ok("show", hash_of(b"1\n"))
        self.assertEqual(where["operations"][0]["path"], "notes.txt")
        self.assert_error(space.run("show", "999", "--json"), "not_found")
        self.assert_error(space.run("show", "zz", "--json"), "invalid_argument")
        text = space.run("log").text.splitlines()
        self.assertEqual(len(text), len(rows))

    def test_plain_text_is_one_line_for_an_error(self):
        for arguments in (["cat", "absent"], ["write", "../x", "--base", "none"],
                          ["submit", "absent"], ["undo"], ["rollback", "t99"]):
            answer = self.space.run(*arguments)
            self.assertEqual(answer.out, b"", answer)
            self.assertEqual(answer.err.count(b"\n"), 1, answer)
            self.assertTrue(answer.err.startswith(b"staged: "), answer)
            self.assertNotEqual(answer.code, 0)


class PlainFileTest(harness.TestCase):
    """Commands that need no workspace."""

    def file(self, name, data):
        path = os.path.join(self.scratch, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def test_parse_and_diff(self):
        old = self.file("old.csv", b"id,price\n1,5\n2,7\n")
        new = self.file("new.csv", b"id,price\n1,5\n2,8\n")
        view = run("parse", old, "--json").json()
        self.assertEqual(set(view), {"path", "hash", "format", "parser", "freshness", "fallback",
                                     "records", "parts", "diagnostics"})
        self.assertEqual((view["hash"], view["format"]), (hash_of(b"id,price\n1,5\n2,7\n"), "csv"))
        diff = run("diff", old, new, "--json")
        self.assertEqual(diff.code, 0)
        diff = diff.json()
        self.assertLessEqual({"from", "to", "format", "identical", "changes", "summary"}, set(diff))
        self.assertEqual(set(diff["summary"]), {"insert", "delete", "modify", "move", "derived",
                                                "serialization", "opaque"})
        self.assertEqual(len({change["id"] for change in diff["changes"]}), len(diff["changes"]))
        for change in diff["changes"]:
            self.assertEqual(change["before"] is None, change["op"] == "insert")
            self.assertEqual(change["after"] is None, change["op"] == "delete")
        self.assertEqual(run("diff", old, new, "--exit-code").code, 1)
        same = run("diff", old, old, "--exit-code", "--json")
        self.assertEqual((same.code, same.json()["identical"]), (0, True))
        self.assertEqual(same.json()["changes"], [])
        self.assert_error(run("diff", old, self.scratch + "/absent", "--json", cwd=self.scratch),
                          "not_found")

    def test_merge(self):
        base = self.file("base.txt", b"a\nb\nc\nd\ne\n")
        left = self.file("left.txt", b"A\nb\nc\nd\ne\n")
        right = self.file("right.txt", b"a\nb\nc\nd\nE\n")
        out = os.path.join(self.scratch, "out.txt")
        answer = run("merge", base, left, right, "-o", out, "--json")
        self.assertEqual(answer.code, 0, answer)
        self.assertEqual(set(answer.json()), {"clean", "method", "conflicts", "merged_hash"})
        with open(out, "rb") as file:
            self.assertEqual(file.read(), b"A\nb\nc\nd\nE\n")
        self.assertEqual(answer.json()["merged_hash"], hash_of(b"A\nb\nc\nd\nE\n"))
        os.remove(out)
        other = self.file("other.txt", b"X\nb\nc\nd\ne\n")
        answer = run("merge", base, left, other, "-o", out, "--json")
        self.assertEqual((answer.code, answer.json()["clean"]), (1, False))
        self.assertEqual(answer.json()["merged_hash"], None)
        self.assertTrue(answer.json()["conflicts"])
        self.assertFalse(os.path.exists(out))
        for side, expected in (("left", b"A\n"), ("right", b"X\n"), ("base", b"a\n")):
            answer = run("merge", base, left, other, "-o", out, "--on-conflict", side, "--json")
            self.assertEqual((answer.code, answer.json()["clean"]), (0, False))
            with open(out, "rb") as file:
                self.assertTrue(file.read().startswith(expected), side)
        answer = run("merge", base, left, other, "-o", out, "--on-conflict", "markers", "--json")
        with open(out, "rb") as file:
            self.assertIn(b"<<<<<<<", file.read())
        self.assert_error(run("merge", base, left, other, "-o", out, "--on-conflict", "all",
                              "--json"), "invalid_argument")

    def test_edit_a_plain_file(self):
        path = self.file("a.txt", b"one\ntwo\n")
        out = os.path.join(self.scratch, "out.txt")
        edits = b'[{"op": "replace_text", "locator": "line:2", "find": "two", "replace": "2"}]'
        answer = run("edit", path, "-", "-o", out, "--json", stdin=edits)
        self.assertEqual(answer.code, 0, answer)
        self.assertEqual(set(answer.json()), {"base", "hash", "diff"})
        with open(out, "rb") as file:
            self.assertEqual(file.read(), b"one\n2\n")
        dry = run("edit", path, "-", "--dry-run", "--json", stdin=edits)
        self.assertEqual((dry.code, dry.json()["hash"]), (0, answer.json()["hash"]))
        self.assert_error(run("edit", path, "-", "-o", out, "--base", NOWHERE, "--json",
                              stdin=edits), "stale_base")
        for wrong, code in ((b"{", "invalid_argument"), (b"{}", "invalid_argument"),
                            (b'[{"locator": "line:1"}]', "invalid_argument"),
                            (b'[{"op": "set_format", "locator": "line:1"}]', "unsupported_edit"),
                            (b'[{"op": "delete", "locator": "line:9"}]', "no_match"),
                            (edits.replace(b'"two"', b'"absent"'), "no_match")):
            answer = run("edit", path, "-", "-o", out, "--json", stdin=wrong)
            self.assert_error(answer, code)

    def test_formats(self):
        formats = run("formats", "--json").json()["formats"]
        for row in formats:
            self.assertEqual(set(row), {"name", "version", "extensions", "records", "edits", "merges",
                                        "merges_lines", "merges_records"})
            self.assertEqual(row["merges"], row["merges_lines"] or row["merges_records"] != [])
            self.assertLessEqual(set(row["merges_records"]), set(row["records"]))
        self.assertLessEqual({"text", "csv", "json", "markdown", "docx", "xlsx", "python"},
                             {row["name"] for row in formats})
        # A line of titles, one for each, and a hint.
        self.assertEqual(len(run("formats").text.splitlines()), len(formats) + 2)
        for row in formats:
            self.assertEqual(run("formats", row["name"], "--json").json(), row)
        xlsx = run("formats", "xlsx").text
        for words in ("reads      sheet", "edits      set, clear", "aligned rows and columns: cell",
                      "merges     cell"):
            self.assertIn(words, xlsx)
        self.assert_error(run("formats", "wav", "--json"), "invalid_argument")


if __name__ == "__main__":
    harness.main()
