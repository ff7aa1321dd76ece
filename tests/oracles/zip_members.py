"""Checks archives with Python's zipfile: paths on standard input, one a line.

Prints for each the number of its members, or what is wrong, a tab and the path.
"""
import sys
import zipfile

for line in sys.stdin:
    path = line.rstrip("\n")
    try:
        with zipfile.ZipFile(path) as archive:
            bad = archive.testzip()
            print("%s\t%s" % ("bad " + bad if bad else len(archive.namelist()), path))
    except Exception as error:  # whatever keeps it from reading
        print("error %r\t%s" % (error, path))
