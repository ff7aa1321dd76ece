"""What the end-to-end tests share: the binary, workspaces in temporary folders, and their checks.

The binary is named by STAGED_BINARY; the tests start it as a person or an agent would. A test that
draws random numbers takes its seed from STAGED_SEED, or from the clock, and prints it.
"""

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = os.path.abspath(os.environ.get("STAGED_BINARY", "build/bin/staged"))
TIMEOUT_SECONDS = float(os.environ.get("STAGED_COMMAND_TIMEOUT", "120"))
SKIP = 77  # the exit code that ctest takes as "skipped"

EXIT_CODES = {
    "conflict": 1,
    "invalid_argument": 2, "path_escape": 2,
    "stale_base": 3, "not_reviewed": 3, "review_void": 3, "no_match": 3, "ambiguous": 3,
    "busy": 3, "fenced": 3, "permission_denied": 3,
    "not_found": 4,
    "parse_failed": 5, "unsupported_edit": 5, "limit_exceeded": 5,
    "io_error": 6, "data_loss": 7,
}


def hash_of(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def seeded_random():
    """A generator whose seed is printed, so that a failure can be repeated."""
    seed = int(os.environ.get("STAGED_SEED", time.time_ns() % 1_000_000_007))
    print(f"seed {seed} (repeat with STAGED_SEED={seed})", flush=True)
    return random.Random(seed), seed


class Answer:
    """What one command did: its exit code and both streams, as bytes."""

    def __init__(self, arguments, code, out, err):
        self.arguments, self.code, self.out, self.err = arguments, code, out, err

    @property
    def text(self):
        return self.out.decode()

    def json(self):
        return json.loads(self.out)

    def lines(self):
        return [json.loads(line) for line in self.out.splitlines()]

    def error(self):
        """The error's code, or None where the command succeeded or printed no JSON error."""
        try:
            return json.loads(self.out)["error"]["code"]
        except (ValueError, KeyError, TypeError):
            return None

    def __repr__(self):
        return f"staged {' '.join(map(str, self.arguments))} -> {self.code}\n{self.out!r}\n{self.err!r}"


ENVIRONMENT = dict(os.environ, USER="pat", TZ="UTC")


def run(*arguments, stdin=b"", cwd=None, timeout=None):
    done = subprocess.run([BINARY, *arguments], input=stdin, cwd=cwd, env=ENVIRONMENT,
                          capture_output=True, timeout=timeout or TIMEOUT_SECONDS, check=False)
    return Answer(arguments, done.returncode, done.stdout, done.stderr)


class Workspace:
    """A folder with `.staged/` in it. Files are bytes by their path."""

    def __init__(self, folder, files=None):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        for path, data in (files or {}).items():
            self.save(path, data)

    def path(self, name):
        return os.path.join(self.folder, name)

    def save(self, name, data):
        """Writes a file in the live folder, as a person's editor would."""
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)

    def load(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run(self, *arguments, stdin=b"", timeout=None):
        return run(*arguments, "--root", self.folder, stdin=stdin, timeout=timeout)

    def ok(self, *arguments, stdin=b"", code=0):
        answer = self.run(*arguments, "--json", stdin=stdin)
        if answer.code != code:
            raise AssertionError(repr(answer))
        return answer.json()

    def init(self):
        return self.ok("init", self.folder)

    def working(self, name, branch=None):
        row = self.row(name, branch)
        return row["working"] if row else None

    def row(self, name, branch=None):
        options = ["--branch", branch] if branch else []
        rows = [row for row in self.ok("status", *options)["files"] if row["path"] == name]
        return rows[0] if rows else None

    def write(self, name, data, base="current", *options):
        if base == "current":
            base = self.working(name) or "none"
        return self.ok("write", name, "--base", base, *options, stdin=data)

    def edit(self, name, operations, *options):
        return self.ok("edit", name, "-", "--base", self.working(name), *options,
                       stdin=json.dumps(operations).encode())

    def review(self, *options):
        return self.ok("review", *options)["receipts"]

    def submit(self, *options):
        return self.ok("submit", *options)["submitted"]

    def publish(self, name, data):
        self.write(name, data)
        self.review(name)
        return self.submit(name)

    def cat(self, name, content_hash=None):
        answer = self.run("cat", f"{name}@{content_hash}" if content_hash else name)
        if answer.code != 0:
            raise AssertionError(repr(answer))
        return answer.out

    def log(self, *options):
        return self.run("log", "--json", *options).lines()

    def fsck(self):
        return self.run("fsck", "--json").json()


def rows_of(operation):
    """The (path, base, hash) rows of one line of the log, which has one inline or a list."""
    return operation["paths"] if "paths" in operation else [operation]


def needs(module):
    """Skips a class of tests where a Python package (an independent reader) is not installed."""
    return unittest.skipIf(module is None, "the package is not installed")


class TestCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.scratch = tempfile.mkdtemp(prefix="staged-e2e-")
        self.addCleanup(shutil.rmtree, self.scratch, ignore_errors=True)

    def workspace(self, files=None, name="work", init=True):
        workspace = Workspace(os.path.join(self.scratch, name), files)
        if init:
            workspace.init()
        return workspace

    def assert_error(self, answer, code):
        """The JSON error has this code and a one-line message; the exit code agrees with it."""
        self.assertEqual(answer.error(), code, answer)
        error = answer.json()["error"]
        self.assertEqual(set(error), {"code", "message", "details"}, answer)
        self.assertIsInstance(error["details"], dict)
        self.assertTrue(error["message"])
        self.assertNotIn("\n", error["message"])
        self.assertEqual(answer.code, EXIT_CODES[code], answer)
        return error

    def assert_clean(self, workspace):
        report = workspace.fsck()
        self.assertEqual(report["findings"], [])
        self.assertTrue(report["ok"])


def main():
    if not os.access(BINARY, os.X_OK):
        print(f"skipped: there is no binary at {BINARY}; name it in STAGED_BINARY")
        sys.exit(SKIP)
    unittest.main(verbosity=1)
