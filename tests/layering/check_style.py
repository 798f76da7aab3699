#!/usr/bin/env python3
"""Rules of style a compiler does not check: check_style.py <root of the sources>

Files of code under runtime, converter and ports have at most 500 lines; no unfinished-work marks.
"""
import pathlib
import re
import sys

FOLDERS = ("runtime", "converter", "ports")
SUFFIXES = {".h", ".hpp", ".c", ".cc", ".inc"}
LINES_MAX = 500
# Spelled in pieces so that this file does not find itself.
MARKS = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK")) + r")\b")


def check(root):
    problems, count = [], 0
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            count += 1
            name = path.relative_to(root).as_posix()
            lines = path.read_text(errors="replace").splitlines()
            if len(lines) > LINES_MAX:
                problems.append(f"{name}: {len(lines)} lines, at most {LINES_MAX} are wanted")
            problems += [f"{name}:{number}: unfinished-work mark" for number, line in enumerate(lines, 1)
                         if MARKS.search(line)]
    return count, problems


def main():
    count, problems = check(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(problems) or f"{count} files keep the rules")
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main())
