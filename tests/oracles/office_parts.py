"""The members of every office file below a folder and their digests.

usage: office_parts.py FOLDER EXTENSION...

Prints as office_walk.py says: for each member its name, a tab and the SHA-256 of its content.
"""
import hashlib
import sys
import zipfile

from office_walk import print_texts


def parts_of(path):
    archive = zipfile.ZipFile(path)
    return [name + "\t" + hashlib.sha256(archive.read(name)).hexdigest()
            for name in archive.namelist() if not name.endswith("/")]


print_texts(tuple(sys.argv[2:]), parts_of)
