#!/usr/bin/env python3
"""A feature can be removed with its folders and one line of each list: check_deletable.py <root of the sources>

Counts the lines under converter, runtime and ports that name a feature outside of its own folders and files. The number is
exact: a line more is a place that a removal has to find, and a line less is to be written here.
"""
import pathlib
import re
import sys

FOLDERS = ("converter", "runtime", "ports")
SUFFIXES = {".h", ".cc", ".c", ".hpp", ".inc", ".map", ".md", ".txt", ".cmake", ".py"}
# Lists of sections, observers, symbols, and the two of kinds: the page of the format and blob.h.
LINES = {"temporal": 5}
# Of ports/ alone. drift: the lists of observers, symbols and numbers. guard: these (three lines in the page of numbers), the
# include of answer.cc, and its word for a roll-back in a store (two). A port: the list of folders.
PORTS_LINES = {"drift": 3, "guard": 8, "roi": 0, "cortex-m": 1}


def lines_elsewhere(root, feature, folders=FOLDERS):
    found = []
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root)
            if path.suffix not in SUFFIXES or not path.is_file() or any(re.match(feature + r"(?![a-z])", part) for part in name.parts):
                continue
            found += [f"{name.as_posix()}:{number}" for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
                      if feature in line.lower().replace("lock_guard", "")]
    return found


def main():
    problems, root = [], pathlib.Path(sys.argv[1])
    counts = [(*count, FOLDERS) for count in LINES.items()] + [(*count, ("ports",)) for count in PORTS_LINES.items()]
    for feature, allowed, folders in counts:
        found = lines_elsewhere(root, feature, folders)
        if len(found) != allowed:
            problems.append(f"{feature}: {len(found)} lines outside of its folders name it, not {allowed}: {', '.join(found)}")
        else:
            print(f"{feature}: its folders and {len(found)} lines elsewhere: {', '.join(found)}")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
