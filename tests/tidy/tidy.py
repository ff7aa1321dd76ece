#!/usr/bin/env python3
"""Rules of the source that no compiler checks. usage: tidy.py RULE [ROOT]

Prints `path:line: what to do` for every violation; exit 0 none, 1 some, 77 the rule's tool is
absent. Known violations are listed, with the reason, in exceptions.txt: they may shrink, not grow.
"""

import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from source_tree import Tree, code_only, functions, includes, is_test  # noqa: E402

FUNCTION_LINES_MAX = 75
FILE_LINES_MAX = 600

# What each layer may include besides itself: docs/architecture.md.
BELOW = {
    "base": [],
    "env": ["base"],
    "record": ["base"],
    "codec": ["base", "record"],
    "store": ["base", "env", "record", "codec"],
    "journal": ["base", "env", "record", "codec"],
    "format": ["base", "record", "codec"],
    "diff": ["base", "record", "codec", "format"],
    "merge": ["base", "record", "codec", "format", "diff"],
    "derived": ["base", "env", "record", "codec", "format"],
    "formats": ["base", "record", "codec", "format"],
    "parse_host": ["base", "env", "record", "format"],
}
BELOW["workspace"] = [layer for layer in BELOW if layer not in ("formats", "parse_host")]
BELOW["wire"] = BELOW["workspace"] + ["workspace"]
BELOW["cli"] = BELOW["wire"] + ["wire", "parse_host"]

HEADER_LAYER = {
    "status": "base", "value": "base", "content_hash": "base", "limits": "base",
    "operation": "base", "record": "record", "view": "record", "ext/env": "env",
    "ext/object_store": "store", "ext/journal": "journal", "ext/format": "format", "ext/apply_edits": "format",
    "ext/office_converter": "format",
    "diff": "diff", "merge": "merge", "workspace": "workspace",
}

# Third-party and system headers, and the only folders that may see them (tests see everything).
LIBRARY_FOLDERS = {
    r"sqlite3\.h": ["src/journal", "src/derived"],
    r"nlohmann/": ["src/wire"],
    r"CLI/": ["src/cli"],
    r"fmt/": ["src/cli"],
    r"utf8proc\.h": ["src/workspace"],
    r"git2(\.h|/)": ["src/merge"],
    r"re2/": ["src/derived"],
    r"openssl/": ["src/base"],
    r"libdeflate\.h": ["src/codec", "src/store"],
    r"zstd\.h": ["src/store", "src/derived"],
    r"xxhash\.h": ["src/store", "src/base"],
    r"rapidjson/": ["src/codec"],
    r"cmark-gfm": ["src/formats/markdown"],
    r"tree_sitter/": ["src/formats/code"],
    r"yaml\.h": ["src/formats/yaml"],
    r"pdfium/": ["src/formats/pdf"],
    r"(sys|linux)/|(unistd|fcntl|dirent|poll|signal|pthread|sched|syscall|dlfcn|spawn|time)\.h":
        ["src/env", "src/parse_host"],
    r"seccomp\.h": ["src/parse_host"],
}

# Calls, where they are allowed, and what to use instead.
CALL = r"(?<![\w.>:])(?:::|std::)?(?:%s)\s*\("
BANNED = [
    (CALL % "open|openat|fopen|freopen|unlink|remove|rename|renameat2?|fsync|fdatasync|mkdir|rmdir|"
     "stat|lstat|truncate|ftruncate|symlink|chmod|flock", ["src/env"], "a method of Env"),
    # Also of memory that two processes share.
    (CALL % "fstat|mmap", ["src/env", "src/parse_host"], "a method of Env"),
    (r"std::(?:basic_)?[io]?fstream\b|std::filesystem\b|#include <(?:fstream|filesystem)>",
     ["src/env"], "a method of Env"),
    (CALL % "system|popen|fork|vfork|exec[lv]p?e?|posix_spawnp?", ["src/env", "src/parse_host"],
     "a process facility of src/env"),
    (CALL % "rand|srand|random|drand48|getrandom|getentropy", ["src/env"], "Env's randomness"),
    (r"std::(?:random_device|mt19937(?:_64)?|default_random_engine)\b", ["src/env"],
     "Env's randomness"),
    (CALL % "time|gettimeofday|clock_gettime|clock|localtime(?:_r)?|gmtime(?:_r)?|mktime|strftime",
     ["src/env", "src/parse_host"], "Env's clock"),
    (r"(?:system_clock|steady_clock|high_resolution_clock)::now\b", ["src/env"], "Env's clock"),
    (CALL % "sleep|usleep|nanosleep|sleep_for|sleep_until" + r"|this_thread::sleep_(?:for|until)",
     ["src/env"], "a condition variable or Env"),
    (r"(?<!\w)throw\b(?!\s*\()|(?<!\w)throw\s*\w+\(", [], "a Status"),
    (r"std::regex\b|std::basic_regex\b|#include <regex>", [], "a hand-written matcher, or re2"),
    (CALL % "printf|fprintf|vprintf|puts|fputs|putchar|perror", ["src/cli"], "a Status or a sink"),
    (r"std::(?:cout|cerr|clog)\b", ["src/cli"], "a Status or a sink"),
    (CALL % "getenv|secure_getenv|setenv|putenv", ["src/cli"], "an option given by the adapter"),
    (CALL % "setlocale|atoi|atof|atol|strtod|strtof|strtold|stod|stof|stoi|stol|stoll|stoul",
     ["src/cli"], "std::from_chars, which ignores the locale"),
    (r"(?<!\w)using\s+namespace\b", [], "the qualified name"),
    (r"(?<!\w)(?:assert|abort)\s*\(\s*(?:false|0)\s*\)", [], "a Status"),
]


class Exceptions:
    """Lines `rule subject [limit] # reason`."""

    def __init__(self, tree, rule):
        self.limits = {}
        self.used = set()
        path = "tests/tidy/exceptions.txt"
        for line in tree.text(path).splitlines() if path in tree.paths else []:
            words, _, reason = line.partition("#")
            fields = words.split()
            if fields and fields[0] == rule:
                assert reason.strip(), f"exceptions.txt: give the reason of: {line}"
                self.limits[fields[1]] = int(fields[2]) if len(fields) > 2 else None

    def allows(self, subject, size=None):
        if subject not in self.limits:
            return False
        self.used.add(subject)
        return size is None or size <= self.limits[subject]

    def unused(self):
        for subject in sorted(set(self.limits) - self.used):
            yield f"tests/tidy/exceptions.txt:1: {subject} keeps the rule now: delete its exception"


def layer_of(path):
    parts = path.split("/")
    if parts[0] == "src":
        return parts[1]
    name = path[len("include/staged/"):].removesuffix(".h")
    return HEADER_LAYER.get(name)


def check_layers(tree, exceptions):
    for path in tree.sources("src", "include"):
        layer = layer_of(path)
        if layer not in BELOW:
            yield f"{path}:1: give its layer a line in {pathlib.Path(__file__).name}"
            continue
        for number, name, quoted in includes(tree.text(path)):
            if not quoted or is_test(path) or exceptions.allows(f"{path}:{name}"):
                continue
            target = "include/" + name if name.startswith("staged/") else "src/" + name
            if target not in tree.paths:
                yield f"{path}:{number}: write the include {name} as layer/file.h"
            elif is_test(target):
                yield f"{path}:{number}: {name} is for tests only"
            elif layer_of(target) == "formats" != layer:
                if not (layer == "cli" and name == "formats/builtin_formats.h"):
                    yield f"{path}:{number}: only adapters name formats, by builtin_formats.h"
            elif layer == layer_of(target) == "formats":
                folder = "/".join(path.split("/")[:3])
                if not target.startswith(folder + "/") and path != "src/formats/builtin_formats.cc":
                    yield f"{path}:{number}: a format sees no other: make {name} a codec"
            elif layer_of(target) not in BELOW[layer] + [layer]:
                yield f"{path}:{number}: {layer} may not see {layer_of(target)} ({name})"


def check_calls(tree, exceptions):
    for path in tree.sources("src", "include"):
        if is_test(path):
            continue
        for number, line in enumerate(code_only(tree.text(path)).splitlines(), 1):
            for pattern, folders, replacement in BANNED:
                match = re.search(pattern, line)
                if not match or path.startswith(tuple(folder + "/" for folder in folders)):
                    continue
                call = re.sub(r"\W+", "_", match.group()).strip("_")
                if not exceptions.allows(f"{path}:{call}"):
                    yield f"{path}:{number}: {match.group().strip(' (')}: use {replacement}"


def check_libraries(tree, exceptions):
    for path in tree.sources("src", "include"):
        for number, name, _ in includes(tree.text(path)):
            if is_test(path) or not re.search(r"[./]", name):
                continue
            for pattern, folders in LIBRARY_FOLDERS.items():
                allowed = path.startswith(tuple(folder + "/" for folder in folders))
                if re.match(pattern, name) and not allowed and not exceptions.allows(f"{path}:{name}"):
                    yield f"{path}:{number}: <{name}> stays in {' and '.join(folders)}"
        if path.startswith(("src/journal/", "src/derived/")) or is_test(path):
            continue
        for number, line in enumerate(code_only(tree.text(path)).splitlines(), 1):
            if re.search(r"\bsqlite3\w*\b", line):
                yield f"{path}:{number}: no SQLite type leaves src/journal and src/derived"


def check_lengths(tree, exceptions):
    for path in tree.sources():
        text = tree.text(path)
        lines = text.count("\n")
        if lines > FILE_LINES_MAX and not exceptions.allows(path, lines):
            yield f"{path}:{lines}: {lines} lines, of {FILE_LINES_MAX}: split the file"
        for number, name, length in functions(text):
            if length <= FUNCTION_LINES_MAX:
                continue
            if not exceptions.allows(f"{path}:{name}", length):
                yield f"{path}:{number}: {name} has {length} lines, of {FUNCTION_LINES_MAX}: split it"


def check_fuzzers(tree, exceptions):
    formats = {path.split("/")[2] for path in tree.sources("src/formats") if path.count("/") > 2}
    for name in sorted(formats):
        if f"fuzz/{name}_fuzzer.cc" not in tree.paths and not exceptions.allows(name):
            yield f"src/formats/{name}:1: give its parser a fuzz/{name}_fuzzer.cc"


def check_headers(tree, exceptions):
    included = {}
    for path in tree.sources():
        for _, name, quoted in includes(tree.text(path)):
            if quoted:
                included.setdefault(name, set()).add(path)
    for path in tree.sources():
        if not path.endswith(".h"):
            continue
        name = re.sub(r"^(src|include)/", "", path)
        users = included.get(name, set()) - {path, path[:-2] + ".cc"}
        if not users and not exceptions.allows(path):
            yield f"{path}:1: nobody includes it: delete it"
        if "#pragma once" not in tree.text(path):
            yield f"{path}:1: begin it with #pragma once"


# Written in halves, so that this file does not contain them.
FORBIDDEN = ["".join(halves) for halves in [
    (r"(?<![\w<.\"])/wo", r"rk/"), (r"(?<![\w<.\"])/ro", r"ot/"), (r"(?<![\w<.\"])/ho", r"me/\w+/"),
    ("registry", r"\.np"), ("np", r"mjs\.(org|com)"), ("py", r"pi\.(org|io)"), ("deb", r"ian\.org/deb"),
    ("artifact", "ory"), ("crates", r"\.io"), ("sub", "agent"), ("help", "er agent"),
    ("session", " transcript"), ("transcript of the", " session"), ("as an", r" AI\b"),
    ("language model", " wrote"), (r"\bBRI", r"EF\b"), (r"\b(the|this|my) br", r"ief\b"),
    ("HACK", "ATHON"), (r"\bFI", r"XME\b"), (r"\bTO", r"DO\b"), (r"\bXX", r"X\b"),
    (r"\bis", r"sue #\d"), ("Co-Auth", "ored-By"), ("Generated", " with"),
]]


def check_words(tree, exceptions):
    pattern = re.compile("|".join(FORBIDDEN), re.IGNORECASE)
    for path in tree.paths:
        if path.startswith(("tests/data/", "examples/workspace/")) or path == "LICENSE":
            continue
        for number, line in enumerate(tree.text(path).splitlines(), 1):
            match = pattern.search(line)
            if match and not exceptions.allows(f"{path}:{match.group().strip()}"):
                yield f"{path}:{number}: say it without '{match.group().strip()}'"


def check_format(tree, _):
    tool = shutil.which("clang-format-19")
    if not tool:
        print("skipped: no clang-format-19 here")
        sys.exit(77)
    style = f"--style=file:{pathlib.Path(__file__).resolve().parents[2] / '.clang-format'}"
    files = tree.sources()
    for first in range(0, len(files), 50):
        done = subprocess.run([tool, style, "--dry-run", "--Werror", *files[first:first + 50]],
                              cwd=tree.root, capture_output=True, text=True)
        found = set(re.findall(r"^(\S+?):\d+:\d+: error", done.stderr, re.MULTILINE))
        for path in sorted(found):
            yield f"{path}:1: run `make format`"
        if done.returncode and not found:
            yield f"clang-format-19: {done.stderr.strip()}"


def anchor(heading):
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def check_links(tree, exceptions):
    """Links of documents resolve; commands are shown where a test runs them."""
    folders = {str(parent) for path in tree.paths for parent in pathlib.PurePosixPath(path).parents}
    for path in tree.paths:
        if not path.endswith(".md") or not (path.startswith("docs/") or "/" not in path):
            continue
        fence = None
        for number, line in enumerate(tree.text(path).splitlines(), 1):
            if line.startswith("```"):
                fence = line[3:].strip() if fence is None else None
                continue
            if fence is not None:
                if fence != "console" and re.match(r"(\$ |staged )", line):
                    yield f"{path}:{number}: show commands in ```console, which a test runs"
                continue
            prose = re.sub(r"`[^`]*`", "", line)
            for target in re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", prose):
                if re.match(r"\w+:", target) or exceptions.allows(f"{path}:{target}"):
                    continue
                name, _, fragment = target.partition("#")
                folder = pathlib.PurePosixPath(path).parent
                parts = []
                for part in (folder / name).parts if name else pathlib.PurePosixPath(path).parts:
                    parts = parts[:-1] if part == ".." else parts + [part]
                file = "/".join(parts)
                if file not in tree.paths and file not in folders:
                    yield f"{path}:{number}: {target} does not exist"
                elif fragment and file.endswith(".md"):
                    headings = re.findall(r"^#+ (.*)$", tree.text(file), re.MULTILINE)
                    if fragment not in map(anchor, headings):
                        yield f"{path}:{number}: {file} has no heading #{fragment}"


def check_contract(tree, _):
    """Every rule of docs/contract.md names tests that exist, and none is missing."""
    tests = set()
    for path in tree.sources("src", "tests"):
        if is_test(path):
            for suite, name in re.findall(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST)\(\s*(\w+),\s*(\w+)\)",
                                          tree.text(path), re.MULTILINE):
                tests.add(f"{suite}.{name}")
    path = "docs/contract.md"
    rule = None
    named = {}
    for number, line in enumerate(tree.text(path).splitlines(), 1):
        match = re.match(r"### (\d+)\. ", line)
        if match:
            rule = int(match.group(1))
            named[rule] = 0
        if rule is None or not line.startswith("Held by:"):
            continue
        for test in re.findall(r"`([^`]+)`", line):
            named[rule] += 1
            if test not in tests:
                yield f"{path}:{number}: there is no test {test}"
    for rule in range(1, 19):
        if not named.get(rule):
            yield f"{path}:1: rule {rule} names no test"


def main():
    rule = sys.argv[1] if len(sys.argv) > 1 else ""
    check = globals().get("check_" + rule)
    if check is None:
        print(__doc__)
        return 2
    root = sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parents[2]
    tree = Tree(root)
    exceptions = Exceptions(tree, rule)
    violations = list(check(tree, exceptions))
    violations += exceptions.unused()
    print("\n".join(violations) if violations else f"{rule}: {len(tree.paths)} files keep it")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
