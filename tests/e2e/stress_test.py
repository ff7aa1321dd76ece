"""Sixteen processes write, review, submit, read and save on one workspace at once.

Eight agents (two of them share a branch), three people who save files in place, by atomic rename
and late through a file held open, four readers, and one who collects and proves. Afterwards:

* every acknowledged write and submit is in the log under the number that was answered, and its
  bytes are readable;
* the accepted history of each path is one chain, each operation standing on the one before;
* every content that a person saved is in the log or still on disk, unless that person overwrote it;
* nobody saw a torn file, no reader failed, none waited longer than READER_SECONDS_MAX.

STAGED_STRESS_SECONDS says how long (default 15).
"""

import json
import multiprocessing
import os
import random
import time
import traceback

import harness
from harness import hash_of, rows_of

SECONDS = float(os.environ.get("STAGED_STRESS_SECONDS", "15"))
READER_SECONDS_MAX = float(os.environ.get("STAGED_READER_SECONDS_MAX", "30"))
ATOMIC_PATHS = ["a/notes.txt", "b/table.csv"]  # people save these by rename only
PLAIN_PATHS = ["c/data.json", "d/page.md"]
PATHS = ATOMIC_PATHS + PLAIN_PATHS
EXPECTED_REFUSALS = {"conflict", "stale_base", "not_reviewed", "review_void", "busy", "not_found"}


def make_body(path, who, step, generator):
    """A content that proves its own wholeness: its last line is the digest of what precedes it."""
    count = generator.choice([1, 5, 400])
    words = [f"{who} {step} {generator.randrange(10**9)}" for _ in range(count)]
    if path.endswith(".json"):
        text = json.dumps({"words": words}, indent=1)
        return json.dumps({"words": words, "end": hash_of(text.encode())}).encode()
    text = "".join(word + "\n" for word in words)
    return (text + "end " + hash_of(text.encode()) + "\n").encode()


def is_whole(path, data):
    if data == b"" or b"start" in data[:20]:
        return True
    if path.endswith(".json"):
        value = json.loads(data)
        return value["end"] == hash_of(json.dumps({"words": value["words"]}, indent=1).encode())
    text, _, end = data.decode().rpartition("end ")
    return end == hash_of(text.encode()) + "\n"


class Worker:
    """One process: runs `step` until the time is over; its notes go to a file as JSON lines."""

    def __init__(self, number, folder, notes, seed, end):
        self.space = harness.Workspace(folder)
        self.number, self.end = number, end
        self.random = random.Random(f"{seed}/{type(self).__name__}/{number}")
        self.notes = f"{notes}/{type(self).__name__}-{number}"
        self.name = f"{type(self).__name__.lower()}-{number}"
        self.steps = 0

    def note(self, kind, **values):
        with open(self.notes, "a", encoding="utf-8") as file:
            file.write(json.dumps({"note": kind, "who": self.name, **values}) + "\n")

    def main(self):
        try:
            while time.monotonic() < self.end:
                self.steps += 1
                self.step()
            self.finish()
            self.note("done", steps=self.steps)
        except BaseException:  # the parent reports it
            self.note("failed", what=traceback.format_exc())

    def finish(self):
        pass


class Agent(Worker):
    """Writes, reviews and submits on its branch; repeats some requests by their id."""

    def branch(self):
        return "team" if self.number < 2 else self.name

    def command(self, *arguments, stdin=b""):
        answer = self.space.run(*arguments, "--json", "--branch", self.branch(), "--actor",
                                "agent:" + self.name, stdin=stdin)
        if arguments[0] == "rebase" and answer.code == 1 and answer.json()["conflicts"]:
            return "conflict", answer.json()
        if answer.code != 0:
            if answer.error() not in EXPECTED_REFUSALS:
                raise AssertionError(repr(answer))
            self.note("refused", code=answer.error(), command=arguments[0])
            return answer.error(), answer.json()["error"]
        return None, answer.json()

    def step(self):
        path = self.random.choice(PATHS)
        row = self.space.row(path, self.branch())
        base = (row["working"] if row else None) or "none"
        data = make_body(path, self.name, self.steps, self.random)
        request = f"{self.name}-{self.steps}"
        arguments = ("write", path, "--base", base, "--request-id", request)
        code, answer = self.command(*arguments, stdin=data)
        if code is None:
            assert answer["hash"] == hash_of(data), answer
            self.note("write", path=path, hash=answer["hash"], op=answer["op"])
            if self.random.random() < 0.3:
                code, again = self.command(*arguments, stdin=data)
                assert code == "busy" or (code is None and again["op"] == answer["op"]), (
                    code, again, answer)
        elif code == "conflict" or self.random.random() < 0.2:
            self.command(self.random.choice(["rebase", "discard"]), path)
        if self.random.random() < 0.6:
            self.submit(path)

    def submit(self, path):
        code, _ = self.command("review", path)
        if code == "conflict":
            code, _ = self.command("rebase", path)
            if code is not None:
                self.command("discard", path)
            return
        code, answer = self.command("submit", path)
        if code is None:
            for row in answer["submitted"]:
                self.note("submit", path=row["path"], hash=row["hash"], op=answer["op"])


class Person(Worker):
    """Saves files of its own paths, and remembers what it saved last on each."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.last = {}
        self.paths = [path for i, path in enumerate(PATHS) if i % 3 == self.number]

    def step(self):
        path = self.random.choice(self.paths)
        data = make_body(path, self.name, self.steps, self.random)
        how = self.random.choice(["rename", "plain", "late"] if path in PLAIN_PATHS else ["rename"])
        self.settle(path)
        {"rename": self.save_by_rename, "plain": self.space.save, "late": self.save_late}[how](
            path, data)
        self.last[path] = (hash_of(data), how)
        time.sleep(self.random.uniform(0.05, 1.5))

    def settle(self, path):
        """What this person is about to overwrite is excused; what others replaced must be kept."""
        if path in self.last:
            seen = hash_of(self.space.load(path))
            content, how = self.last[path]
            if seen != content:
                self.note("saved", path=path, hash=content, how=how, seen=seen)

    def finish(self):
        for path, (content, how) in self.last.items():
            self.note("saved", path=path, hash=content, how=how, seen=None)

    def save_by_rename(self, path, data):
        self.space.save(".scratch-" + self.name, data)
        os.rename(self.space.path(".scratch-" + self.name), self.space.path(path))

    def save_late(self, path, data):
        with open(self.space.path(path), "r+b", buffering=0) as file:
            time.sleep(self.random.uniform(0.2, 1.5))
            os.ftruncate(file.fileno(), 0)
            file.write(data)


class Reader(Worker):
    """Looks at everything; is never refused."""

    def step(self):
        path = self.random.choice(PATHS)
        command = self.random.choice([("status",), ("view", path), ("search", "agent"), ("log",),
                                      ("diff",), ("ls",), ("cat", path)])
        branch = self.random.choice(["team", "agent-3", "agent-5"])
        started = time.monotonic()
        answer = self.space.run(*command, "--json", "--branch", branch)
        seconds = time.monotonic() - started
        self.note("read", command=command[0], seconds=seconds)
        assert answer.code == 0, repr(answer)
        assert seconds < READER_SECONDS_MAX, (command, seconds)
        path = self.random.choice(ATOMIC_PATHS)
        data = self.space.load(path)
        assert is_whole(path, data), (path, data)
        data = self.space.run("cat", path, "--branch", branch)
        assert data.code == 0 and is_whole(path, data.out), repr(data)


class Keeper(Worker):
    """Collects, proves and indexes while the others work."""

    def step(self):
        command = self.random.choice(["gc", "fsck", "index", "watch"])
        arguments = [command, "--json"] + (["--once"] if command == "watch" else [])
        answer = self.space.run(*arguments)
        assert answer.code == 0 or answer.error() == "busy", repr(answer)
        time.sleep(self.random.uniform(0, 1))


class StressTest(harness.TestCase):

    def run_workers(self, space, seed):
        notes = os.path.join(self.scratch, "notes")
        os.makedirs(notes)
        end = time.monotonic() + SECONDS
        kinds = [Agent] * 8 + [Person] * 3 + [Reader] * 4 + [Keeper]
        numbers = list(range(8)) + list(range(3)) + list(range(4)) + [0]
        processes = []
        for kind, number in zip(kinds, numbers):
            worker = kind(number, space.folder, notes, seed, end)
            processes.append(multiprocessing.get_context("fork").Process(target=worker.main))
        for process in processes:
            process.start()
        for process in processes:
            process.join()
        found = []
        for name in sorted(os.listdir(notes)):
            with open(os.path.join(notes, name), encoding="utf-8") as file:
                found += [json.loads(line) for line in file]
        return found

    def check_log(self, space, notes):
        log = space.log()
        by_number = {operation["op"]: operation for operation in log}
        self.assertEqual(sorted(by_number), list(range(1, len(log) + 1)))
        for note in notes:
            if note["note"] not in ("write", "submit"):
                continue
            operation = by_number.get(note["op"])
            self.assertIsNotNone(operation, note)
            self.assertIn((note["path"], note["hash"]),
                          [(row["path"], row["hash"]) for row in rows_of(operation)], note)
            if note["note"] == "submit":
                self.assertEqual(operation["type"], "submit", note)
        accepted = {}
        for operation in log:
            if operation["type"] in ("adopt", "submit", "withdraw"):
                for row in rows_of(operation):
                    self.assertEqual(row["base"], accepted.get(row["path"]), operation)
                    accepted[row["path"]] = row["hash"]
        return log, accepted

    def check_saved(self, space, notes, log):
        in_log = {(row["path"], row["hash"]) for operation in log for row in rows_of(operation)}
        on_disk = {(path, hash_of(space.load(path))) for path in PATHS}
        # A publication that was taken back showed its bytes for a moment; the person who looked
        # then overwrote its own last save after all.
        withdrawn = {(row["path"], row["base"]) for operation in log
                     if operation["type"] == "withdraw" for row in rows_of(operation)}
        for note in notes:
            if note["note"] != "saved" or (note["path"], note["seen"]) in withdrawn:
                continue
            if (note["path"], note["hash"]) not in in_log | on_disk:
                history = [(operation["op"], operation["type"], operation["branch"], row)
                           for operation in log for row in rows_of(operation)
                           if row["path"] == note["path"]]
                self.fail(f"lost: {note}\n" + "\n".join(map(str, history)))

    def test_sixteen_processes(self):
        generator, seed = harness.seeded_random()
        space = self.workspace({path: b'"start"\n' for path in PATHS} | {".stagedignore":
                                                                        b".scratch-*\n"})
        notes = self.run_workers(space, seed)
        failures = [note["who"] + ": " + note["what"] for note in notes if note["note"] == "failed"]
        self.assertEqual(failures, [], "\n".join(failures))
        self.assertEqual(space.run("watch", "--once").code, 0)
        log, accepted = self.check_log(space, notes)
        self.check_saved(space, notes, log)
        for path in PATHS:
            self.assertEqual(hash_of(space.load(path)), accepted[path])
        self.assert_clean(space)
        promised = [note for note in notes if note["note"] in ("write", "submit")]
        for note in generator.sample(promised, min(20, len(promised))):
            self.assertEqual(hash_of(space.cat(note["path"], note["hash"])), note["hash"])
        self.report(notes, log)

    def report(self, notes, log):
        count = {}
        for note in notes:
            key = note["note"] + (" " + note["code"] if note["note"] == "refused" else "")
            count[key] = count.get(key, 0) + 1
        slowest = max((note["seconds"], note["command"]) for note in notes if note["note"] == "read")
        print(f"{len(log)} operations; slowest read {slowest[0]:.2f} s ({slowest[1]}); {count}")
        self.assertGreater(count.get("write", 0), 0)
        self.assertGreater(count.get("submit", 0), 0)


if __name__ == "__main__":
    harness.main()
