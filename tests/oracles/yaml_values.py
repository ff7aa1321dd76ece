"""Prints what PyYAML's own (pure Python) reader makes of YAML. Of each YAML file below the folders
given, and of each JSON file written anew as YAML in block and in mixed style: a line
"file<TAB>name<TAB>text as JSON", then a line "pointer<TAB>text as JSON" for each value."""
import json
import pathlib
import sys

import yaml


def escape(token):
    return token.replace("~", "~0").replace("/", "~1")


class Complex(Exception):
    """A key that is no scalar, or several documents: not compared."""


class Walker:
    def __init__(self, text):
        self.events = iter(yaml.parse(text, Loader=yaml.SafeLoader))
        self.out = []

    def walk(self):
        documents = 0
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise Complex()
                self.value("", next(self.events))
        return self.out

    def add(self, pointer, text):
        self.out.append(pointer + "\t" + json.dumps(text))

    def value(self, pointer, event):
        if isinstance(event, yaml.AliasEvent):
            self.add(pointer, "*" + event.anchor)
        elif isinstance(event, yaml.ScalarEvent):
            self.add(pointer, event.value)
        elif isinstance(event, yaml.SequenceStartEvent):
            if pointer:
                self.add(pointer, "")
            index = 0
            for item in self.events:
                if isinstance(item, yaml.SequenceEndEvent):
                    return
                self.value(f"{pointer}/{index}", item)
                index += 1
        else:
            if pointer:
                self.add(pointer, "")
            seen = {}
            for key in self.events:
                if isinstance(key, yaml.MappingEndEvent):
                    return
                if not isinstance(key, (yaml.ScalarEvent, yaml.AliasEvent)):
                    raise Complex()
                name = key.value if isinstance(key, yaml.ScalarEvent) else "*" + key.anchor
                seen[name] = seen.get(name, 0) + 1
                suffix = "" if seen[name] == 1 else f"~{seen[name]}"
                self.value(f"{pointer}/{escape(name)}{suffix}", next(self.events))


def show(name, text):
    try:
        lines = Walker(text).walk()
    except (Complex, yaml.YAMLError, RecursionError):
        return
    if any("\\ud" in line for line in lines):
        return  # half a surrogate pair is no text
    print("\n".join([f"file\t{name}\t{json.dumps(text)}"] + lines))


def main():
    for folder in sys.argv[1:]:
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if not path.is_file() or path.stat().st_size > 60_000:
                continue
            try:
                if path.suffix in (".yaml", ".yml"):
                    show(path, path.read_bytes().decode())
                elif path.suffix == ".json":
                    value = json.loads(path.read_bytes().decode())
                    for flow in (False, None):
                        text = yaml.safe_dump(value, default_flow_style=flow, sort_keys=False,
                                              allow_unicode=True)
                        show(path, text)
            except (ValueError, RecursionError, yaml.YAMLError):
                continue


main()
