"""Processes that stage, review and submit are killed at random moments; nothing promised is lost.

After each kill: fsck finds nothing, every write whose answer was printed whole is in the log and
its bytes are readable, live files hold an old or a new content whole, and the next command works.
STAGED_KILL_SECONDS says how long (default 15).
"""

import json
import os
import signal
import subprocess
import time

import harness
from harness import hash_of, rows_of

SECONDS = float(os.environ.get("STAGED_KILL_SECONDS", "15"))
TIMEOUT = harness.TIMEOUT_SECONDS
PATHS = ["notes.txt", "table.csv", "deep/er/page.md"]


def body(path, text, random):
    """Bytes of 1 to 200 KB whose first and last line say which content they are."""
    lines = [text] + [f"{random.randrange(10**9)}" for _ in range(random.choice([3, 300, 20000]))]
    separator = ",1\n" if path.endswith(".csv") else "\n"
    return (separator.join(lines) + separator + "end " + text + "\n").encode()


class KillTest(harness.TestCase):

    def setUp(self):
        super().setUp()
        self.random, _ = harness.seeded_random()
        self.contents = {}  # hash -> bytes that were given to some command
        self.acknowledged = set()  # (path, hash)
        self.submits = set()  # (path, hash) of acknowledged submits
        self.space = self.workspace({path: b"start\n" for path in PATHS})
        self.contents[hash_of(b"start\n")] = b"start\n"

    def start(self, *arguments, stdin=None):
        return subprocess.Popen(
            [harness.BINARY, *arguments, "--json", "--root", self.space.folder],
            stdin=stdin or subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=harness.ENVIRONMENT, start_new_session=True)

    def start_command(self, path, step):
        """Starts one random command, and returns (kind, process)."""
        kind = self.random.choice(["write"] * 4 + ["submit"] * 4 + ["review", "gc", "undo", "index",
                                                                    "person"])
        if kind == "write":
            data = body(path, f"{path} {step}", self.random)
            self.contents[hash_of(data)] = data
            base = self.space.working(path) or "none"
            name = os.path.join(self.scratch, "input")
            with open(name, "wb") as file:
                file.write(data)
            with open(name, "rb") as file:
                return kind, self.start("write", path, "--base", base, stdin=file)
        if kind == "person":
            data = body(path, f"person {path} {step}", self.random)
            self.contents[hash_of(data)] = data
            self.space.save(path, data)
            self.space.save(path + ".other", data)
            return kind, self.start("watch", "--once")
        if kind in ("review", "submit"):
            if kind == "submit":
                self.prepare_submit(path, step)
            return kind, self.start(kind, path)
        return kind, self.start(kind)

    def prepare_submit(self, path, step):
        review = self.space.run("review", path, "--json")
        if review.code == 0 and review.json()["receipts"]:
            return
        self.space.run("discard", path, "--json")  # in conflict with a person's save, or nothing yet
        data = body(path, f"{path} {step}", self.random)
        self.contents[hash_of(data)] = data
        self.note("write", self.space.run("write", path, "--base", self.space.working(path),
                                          "--json", stdin=data).out)
        self.note("review", self.space.run("review", path, "--json").out)

    def note(self, kind, out):
        """Remembers what an answer promised; an answer cut short promised nothing."""
        try:
            answer = json.loads(out)
        except ValueError:
            return
        if kind == "write" and "hash" in answer:
            self.acknowledged.add((answer["path"], answer["hash"]))
        if kind == "submit":
            for row in answer.get("submitted", []):
                self.submits.add((row["path"], row["hash"]))

    def check(self, step):
        for path in PATHS:
            data = self.space.load(path)
            self.assertIn(hash_of(data), self.contents, f"step {step}: {path} is torn")
        self.assert_clean(self.space)
        rows = {(row["path"], row["hash"], operation["type"])
                for operation in self.space.log() for row in rows_of(operation) if row}
        written = {(path, content) for path, content, _ in rows}
        submitted = {(path, content) for path, content, kind in rows if kind == "submit"}
        self.assertLessEqual(self.acknowledged, written, f"step {step}")
        self.assertLessEqual(self.submits, submitted, f"step {step}")
        for path, content in self.random.sample(sorted(self.acknowledged),
                                                min(2, len(self.acknowledged))):
            self.assertEqual(self.space.cat(path, content), self.contents[content], f"step {step}")

    def test_killed_at_random_moments(self):
        end = time.monotonic() + SECONDS
        step = killed = 0
        typical = {}  # kind -> seconds that the last one took which was not killed
        while time.monotonic() < end:
            step += 1
            path = self.random.choice(PATHS)
            started = time.monotonic()
            kind, process = self.start_command(path, step)
            try:
                limit = self.random.random() * typical.get(kind, 0.1)
                limit = self.random.choice([TIMEOUT, limit])
                out, _ = process.communicate(timeout=limit)
                typical[kind] = time.monotonic() - started
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                out, _ = process.communicate()
                killed += 1
            self.note(kind, out)
            self.check(step)
        self.assertGreater(killed, 0)
        self.assertTrue(self.acknowledged)
        self.space.run("discard", "--json")
        self.space.publish(PATHS[0], b"the last word\n")
        self.assertEqual(self.space.load(PATHS[0]), b"the last word\n")
        for path, content in sorted(self.acknowledged):
            self.assertEqual(self.space.cat(path, content), self.contents[content])
        print(f"{step} commands, {killed} killed, {len(self.acknowledged)} writes and "
              f"{len(self.submits)} submits acknowledged, {len(self.space.log())} operations")

    def test_a_killed_checkout_is_done_again(self):
        for number in range(300):
            self.space.save(f"many/{number % 7}/{number}.txt", b"%d\n" % number * 500)
        self.space.ok("watch", "--once")
        half_done = 0
        for attempt in range(12):
            folder = os.path.join(self.scratch, f"out-{attempt}")
            process = self.start("checkout", folder)
            # From when there is something in it.
            end = time.monotonic() + TIMEOUT
            while process.poll() is None and time.monotonic() < end:
                if os.path.isdir(folder) and os.listdir(folder):
                    break
            time.sleep(self.random.random() * 0.03)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            again = self.space.run("checkout", folder, "--json")
            if again.code != 0:
                self.assert_error(again, "conflict")  # it had come to its end
            elif process.returncode != 0:
                half_done += 1
            self.assertEqual(self.space.ok("sync", folder)["ops"], [])
            self.assertEqual(sum(len(names) for _, _, names in os.walk(folder)), 300 + len(PATHS))
        self.assertGreater(half_done, 1)
        self.assert_clean(self.space)


if __name__ == "__main__":
    harness.main()
