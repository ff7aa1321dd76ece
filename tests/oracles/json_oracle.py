"""Prints what Python's json module reads: a line "pointer<TAB>type<TAB>text as JSON" a value."""
import json
import sys


class Number(str):
    pass


def reject(text):
    raise ValueError(text)


def escape(token):
    return token.replace("~", "~0").replace("/", "~1")


def walk(pointer, value, out):
    # Objects are lists of pairs, so that duplicate keys are seen.
    if isinstance(value, tuple):
        kind, text = "object", ""
    elif isinstance(value, list):
        kind, text = "array", ""
    elif isinstance(value, Number):
        kind, text = "number", str(value)
    elif isinstance(value, str):
        kind, text = "string", value
    elif value is None:
        kind, text = "null", "null"
    else:
        kind, text = "boolean", "true" if value else "false"
    if pointer or kind not in ("object", "array"):
        clean = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
        out.append("\t".join([pointer, kind, json.dumps(clean)]))
    if kind == "array":
        for i, item in enumerate(value):
            walk(f"{pointer}/{i}", item, out)
    if kind == "object":
        seen = {}
        for key, item in value:
            seen[key] = seen.get(key, 0) + 1
            suffix = "" if seen[key] == 1 else f"~{seen[key]}"
            walk(f"{pointer}/{escape(key)}{suffix}", item, out)


def main():
    sys.setrecursionlimit(100000)
    with open(sys.argv[1], "rb") as source:
        text = source.read().decode("utf-8-sig")
    root = json.loads(text, parse_int=Number, parse_float=Number, parse_constant=reject,
                      object_pairs_hook=lambda pairs: tuple(pairs))
    out = []
    walk("", root, out)
    sys.stdout.write("\n".join(out) + "\n")


main()
