"""Event streams of the XML parts of office files, as expat reads them.

usage: xml_events.py FOLDER SIZE_MAX

For each part up to SIZE_MAX bytes writes a line "<size> <digest> <name>" and then the part's bytes.
The digest is the SHA-256 of the canonical event stream (see the encode function), or "malformed" or
"undeclared" (an entity that only a document type could declare). UTF-8 parts only.
"""
import hashlib
import os
import sys
import zipfile
from xml.parsers import expat

UNDECLARED = {11, 26, 27}  # undefined entity, undeclared prefix is not checked here


def events(data):
    out = hashlib.sha256()
    text = []

    def flush():
        if text:
            out.update(b"T" + "".join(text).encode() + b"\n")
            text.clear()

    parser = expat.ParserCreate()
    parser.ordered_attributes = True

    def start(name, attributes):
        flush()
        out.update(b"S%d %s" % (parser.CurrentByteIndex, name.encode()))
        for i in range(0, len(attributes), 2):
            out.update(b" %s=%s" % (attributes[i].encode(), attributes[i + 1].encode()))
        out.update(b"\n")

    def end(name):
        flush()
        out.update(b"E" + name.encode() + b"\n")

    def comment(data_):
        flush()
        out.update(b"C" + data_.encode() + b"\n")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CommentHandler = comment
    parser.CharacterDataHandler = text.append
    parser.Parse(data, True)
    return out.hexdigest()


def main():
    folder, size_max = sys.argv[1], int(sys.argv[2])
    out = sys.stdout.buffer
    for directory, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(directory, name)
            try:
                archive = zipfile.ZipFile(path)
                members = archive.infolist()
            except Exception:
                continue
            for member in members:
                if not member.filename.lower().endswith((".xml", ".rels", ".vml")):
                    continue
                if member.file_size > size_max:
                    continue
                try:
                    data = archive.read(member)
                except Exception:
                    continue
                if len(data) > size_max or data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:4]:
                    continue
                if b"<!DOCTYPE" in data:
                    continue
                try:
                    digest = events(data)
                except expat.ExpatError as error:
                    digest = "undeclared" if error.code in UNDECLARED else "malformed"
                except Exception:
                    continue
                label = os.path.relpath(path, folder) + "!" + member.filename
                out.write(b"%d %s %s\n" % (len(data), digest.encode(),
                                           label.encode("utf-8", "replace").replace(b"\n", b"?")))
                out.write(data)


main()
