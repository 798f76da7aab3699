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
# Lists of sections, observers, options, symbols, and the two of kinds: the page of the format and blob.h.
# A level: isa.inc, octet.h, and in each folder that has kernels of it the lists of kernels and of scratch, with the include of the
# second. An operator: the converter's lists (operators, scaling, meaning, standard), operators.inc, the page of the format.
LINES = {"temporal": 6, "helium": 11, "roi_align": 6}


def lines_elsewhere(root, feature):
    # A kernel's file begins with its architecture: arm_helium.cc. RoiAlign is roi_align in names of files.
    own, word, found = re.compile(f"(arm_|x86_)?{feature}(?![a-z])"), feature.replace("_", ""), []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root)
            if path.suffix not in SUFFIXES or not path.is_file() or any(own.match(part) for part in name.parts):
                continue
            found += [f"{name.as_posix()}:{number}" for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
                      if word in line.lower().replace("_", "")]
    return found


def main():
    problems, root = [], pathlib.Path(sys.argv[1])
    for feature, allowed in LINES.items():
        found = lines_elsewhere(root, feature)
        if len(found) != allowed:
            problems.append(f"{feature}: {len(found)} lines outside of its folders name it, not {allowed}: {', '.join(found)}")
        else:
            print(f"{feature}: its folders and {len(found)} lines elsewhere: {', '.join(found)}")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
