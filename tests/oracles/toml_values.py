"""Prints what Python's tomllib makes of TOML. Of each TOML file below the folders given, and of each
JSON file that the toml package can write anew: a line "file<TAB>name<TAB>text as JSON", then a line
"pointer<TAB>type<TAB>text as JSON" for each value (the text of strings only), sorted. A file that
tomllib refuses has the one line "invalid"."""
import json
import pathlib
import sys
import tomllib

try:
    import toml
except ImportError:
    toml = None


def escape(token):
    return token.replace("~", "~0").replace("/", "~1")


def walk(pointer, value, out):
    text = ""
    if isinstance(value, dict):
        kind = "object"
    elif isinstance(value, list):
        kind = "array"
    elif isinstance(value, bool):
        kind = "boolean"
    elif isinstance(value, (int, float)):
        kind = "number"
    elif isinstance(value, str):
        kind, text = "string", value
    else:
        kind = "date"
    if pointer:
        out.append(f"{pointer}\t{kind}\t{json.dumps(text)}")
    if kind == "object":
        for key, member in value.items():
            walk(f"{pointer}/{escape(key)}", member, out)
    if kind == "array":
        for i, item in enumerate(value):
            walk(f"{pointer}/{i}", item, out)


def show(name, text):
    out = []
    try:
        walk("", tomllib.loads(text), out)
    except tomllib.TOMLDecodeError:
        out = ["invalid"]
    except RecursionError:
        return
    print("\n".join([f"file\t{name}\t{json.dumps(text)}"] + sorted(out)))


def main():
    for folder in sys.argv[1:]:
        for path in sorted(pathlib.Path(folder).rglob("*")):
            try:
                if not path.is_file() or path.stat().st_size > 60_000:
                    continue
                if path.suffix == ".toml":
                    show(path, path.read_bytes().decode())
                elif path.suffix == ".json" and toml is not None:
                    value = json.loads(path.read_bytes().decode())
                    if isinstance(value, dict):
                        text = toml.dumps(value)
                        tomllib.loads(text)
                        show(path, text)
            except Exception:
                continue


main()
