"""What the oracles of office files share: a walk over a folder and the output that tests read."""
import os
import sys


def print_texts(extensions, texts_of):
    """For each file below the folder in argv that can be read prints its path and its texts, each
    behind a zero byte, and a byte 1."""
    sys.setrecursionlimit(10000)
    for folder, _, names in sorted(os.walk(sys.argv[1])):
        for name in sorted(names):
            if not name.endswith(extensions):
                continue
            path = os.path.join(folder, name)
            try:
                texts = texts_of(path)
            except Exception:
                continue
            output = "\0".join([path] + texts).encode("utf-8", "surrogatepass")
            sys.stdout.buffer.write(output + b"\1")


def resolve(source, target):
    """A relationship's target against the part that it stands in."""
    parts = [] if target.startswith("/") else source.split("/")[:-1]
    for piece in target.split("/"):
        if piece == "..":
            parts = parts[:-1]
        elif piece not in ("", "."):
            parts.append(piece)
    return "/".join(parts)
