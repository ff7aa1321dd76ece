"""`staged config`, and what is said to those who type what is not there."""

import harness
from harness import run

NAMES = ["branch.default", "diff.budget", "policy", "search.limit", "submit.ignore-locks"]


class SettingsTest(harness.TestCase):

    def setUp(self):
        super().setUp()
        lines = "".join(f"word {number}\n" for number in range(40))
        self.space = self.workspace({"a.txt": lines.encode()})

    def test_list_get_set_unset(self):
        space = self.space
        rows = space.ok("config")["settings"]
        self.assertEqual([row["name"] for row in rows], NAMES)
        self.assertEqual(rows, space.ok("config", "list")["settings"])
        for row in rows:
            self.assertEqual((set(row), row["set"], row["value"]),
                             ({"name", "value", "default", "set"}, False, row["default"]))
        self.assertEqual(space.ok("config", "set", "search.limit", "3"),
                         {"name": "search.limit", "value": "3", "default": "20", "set": True})
        # As with git: a name alone is read, a name with a value is set.
        self.assertEqual(space.run("config", "search.limit").text, "3\n")
        space.ok("config", "search.limit", "4")
        self.assertEqual(space.run("config", "get", "search.limit").text, "4\n")
        text = space.run("config").text.splitlines()
        self.assertEqual(len(text), len(NAMES))
        self.assertIn("search.limit = 4", text)
        space.ok("config", "unset", "search.limit")
        self.assertEqual(space.run("config", "search.limit").text, "20\n")
        self.assert_clean(space)

    def test_a_change_is_journalled_and_survives_an_export(self):
        space = self.space
        space.ok("config", "search.limit", "7")
        row = space.log()[-1]
        self.assertEqual((row["type"], row["actor"]), ("config", "pat"))
        shown = space.ok("show", str(row["op"]))
        self.assertEqual(shown["payload"], {"setting": "search.limit", "value": "7"})
        backup = self.scratch + "/backup"
        space.ok("export", backup)
        copy = harness.Workspace(self.scratch + "/copy")
        self.assertEqual(run("import", backup, copy.folder).code, 0)
        self.assertEqual(copy.run("config", "search.limit").text, "7\n")

    def test_settings_have_an_effect(self):
        space = self.space
        self.assertEqual(len(space.ok("search", "word")["hits"]), 20)
        space.ok("config", "search.limit", "3")
        self.assertEqual(len(space.ok("search", "word")["hits"]), 3)
        self.assertEqual(len(space.ok("search", "word", "--limit", "5")["hits"]), 5)

        space.ok("config", "branch.default", "shared")
        space.write("b.txt", b"b\n", "none")
        self.assertEqual(space.log()[-1]["branch"], "shared")
        self.assertIsNone(space.row("b.txt", "chat-pat"))
        self.assertEqual(space.row("b.txt")["branch"], "shared")

        space.write("a.txt", b"".join(b"line %d\n" % number for number in range(400)))
        whole = len(space.run("diff", "a.txt").out)
        space.ok("config", "diff.budget", "500")
        self.assertLess(len(space.run("diff", "a.txt").out), 1000)
        self.assertEqual(len(space.run("diff", "a.txt", "--budget", "0").out), whole)

        space.save(".~lock.a.txt#", b",mel,desk,01.01.2026 10:00,file:///home/mel;")
        space.review()
        self.assert_error(space.run("submit", "--json"), "busy")
        space.ok("config", "submit.ignore-locks", "true")
        self.assertEqual(len(space.submit()), 2)

    def test_policy_is_a_setting(self):
        space = self.space
        rules = '[[rule]]\npaths = ["**"]\nreview = "none"\n'
        space.ok("config", "set", "policy", rules)
        self.assertEqual(space.run("config", "policy").text, rules)
        self.assertEqual(space.run("policy").text, rules)
        self.assertEqual(space.log()[-1]["type"], "policy")
        self.assert_error(space.run("config", "policy", "[[rule]", "--json"), "invalid_argument")
        space.ok("config", "unset", "policy")
        self.assertEqual(space.ok("config", "policy")["set"], False)

    def test_what_is_refused(self):
        space = self.space
        for words, code in ((["get", "no.such"], "not_found"), (["no.such", "1"], "not_found"),
                            (["search.limit", "0"], "invalid_argument"),
                            (["search.limit", "many"], "invalid_argument"),
                            (["search.limit", "9999999999"], "invalid_argument"),
                            (["submit.ignore-locks", "yes"], "invalid_argument"),
                            (["branch.default", ""], "invalid_argument"),
                            (["set", "search.limit"], "invalid_argument"),
                            (["get"], "invalid_argument"), (["list", "x"], "invalid_argument"),
                            (["a", "b", "c"], "invalid_argument")):
            self.assert_error(space.run("config", *words, "--json"), code)
        error = self.assert_error(
            space.run("config", "search.limit", "5", "--actor", "agent:bot", "--json"),
            "permission_denied")
        self.assertIn("person", error["message"])
        self.assertEqual(space.ok("config", "search.limit")["set"], False)


class UnknownWordsTest(harness.TestCase):

    def one_line(self, *arguments):
        answer = run(*arguments, cwd=self.scratch)
        self.assertEqual((answer.code, answer.out), (2, b""), answer)
        self.assertEqual(answer.err.count(b"\n"), 1, answer)
        error = self.assert_error(run(*arguments, "--json", cwd=self.scratch), "invalid_argument")
        self.assertEqual(f"staged: {error['message']}\n".encode(), answer.err)
        return error["message"]

    def test_numbers_are_numbers(self):
        space = self.workspace({"a.txt": b"a\n", "b.txt": b"b\n"})
        for name, least, command in (("--budget", 0, ["diff", "a.txt", "b.txt"]),
                                     ("--limit", 1, ["search", "x"]),
                                     ("--at", 1, ["search", "x"]),
                                     ("--limit", 1, ["log"])):
            for given in ("abc", "12x", " 1", "1e3", "-1", str(1 << 70), str(least - 1)):
                done = run(*command, f"{name}={given}", "--json", cwd=space.folder)
                error = self.assert_error(done, "invalid_argument")
                self.assertEqual(error["message"],
                                 f"{name} takes a number from {least}, not '{given}'")
            self.assertEqual(run(*command, name, "1", cwd=space.folder).code, 0)

    def test_unknown_commands_and_options(self):
        self.assertIn("no command 'bogus'", self.one_line("bogus"))
        self.assertIn("no command 'bogus'", self.one_line("--root", "status", "bogus", "--now"))
        self.assertIn("`staged submit`", self.one_line("commit"))
        self.assertIn("'--bogus'; `staged help status`", self.one_line("status", "--bogus"))
        self.assertIn("'--semantic'", self.one_line("search", "x", "--semantic"))
        self.assertIn("'--html'", self.one_line("diff", "a", "b", "--html=x"))
        self.assertIn("'words'; `staged help status`", self.one_line("status", "words"))


if __name__ == "__main__":
    harness.main()
