"""Standard streams that the caller closed or that cannot be read."""

import subprocess

import harness
from harness import hash_of

TEXT = b"alpha\nbeta\n"


class StandardStreamsTest(harness.TestCase):

    def shell(self, space, line):
        done = subprocess.run(["bash", "-c", line, "-", harness.BINARY], cwd=space.folder,
                              env=harness.ENVIRONMENT, capture_output=True,
                              timeout=harness.TIMEOUT_SECONDS, check=False)
        return harness.Answer([line], done.returncode, done.stdout, done.stderr)

    def test_closed_standard_input_is_no_content(self):
        space = self.workspace({"a.txt": TEXT})
        line = f'"$1" write a.txt --base {hash_of(TEXT)} --json '
        error = self.assert_error(self.shell(space, line + "<&-"), "invalid_argument")
        self.assertIn("standard input is closed", error["message"])
        error = self.assert_error(self.shell(space, line + "< ."), "io_error")
        self.assertIn("cannot read standard input", error["message"])
        self.assertEqual(space.row("a.txt")["staged"], None)
        # Empty is something else than closed.
        self.assertEqual(self.shell(space, line + "< /dev/null").code, 0)
        self.assertEqual(space.cat("a.txt"), b"")

    def test_closed_output_fails_and_reaches_no_file(self):
        space = self.workspace({"a.txt": TEXT})
        self.assertEqual(self.shell(space, '"$1" status --json >&-').code, 6)
        self.assertEqual(self.shell(space, '"$1" status --root /nowhere <&- >&- 2>&-').code, 4)
        self.assert_clean(space)


if __name__ == "__main__":
    harness.main()
