"""What a workspace meets around it: users without permission, places it cannot be in."""

import os
import subprocess
import unittest

import harness
from harness import run

TEXT = b"alpha\nbeta\n"
NOBODY = 65534


def run_as_nobody(folder, *arguments):
    """Runs the command there as a user who owns nothing; skips where that cannot be done."""
    try:
        done = subprocess.run([harness.BINARY, *arguments], cwd=folder, user=NOBODY, group=NOBODY,
                              extra_groups=[], env=harness.ENVIRONMENT, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=harness.TIMEOUT_SECONDS,
                              check=False)
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


if __name__ == "__main__":
    harness.main()
