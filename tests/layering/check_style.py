#!/usr/bin/env python3
"""Rules of style a compiler does not check: check_style.py <root of the sources>

Files of code under runtime, converter and ports have at most 500 lines; no unfinished-work marks. In the converter, an
ONNX operator is named where it is registered, imported, rewritten, lowered and exported, nowhere else: the rest asks its traits.
"""
import pathlib
import re
import sys

FOLDERS = ("runtime", "converter", "ports")
SUFFIXES = {".h", ".hpp", ".c", ".cc", ".inc"}
LINES_MAX = 500
OPERATORS = "converter/operators/operators.inc"
NAMING = ("operators", "lower", "passes", "import", "export")
# Spelled in pieces so that this file does not find itself.
MARKS = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK")) + r")\b")


def named_operators(root, path, names):
    """'FILE:LINE: ...' for every string literal of the file that is an operator's name."""
    parts = path.relative_to(root).parts
    if parts[0] != "converter" or parts[1] in NAMING:
        return []
    found = []
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        code = line.split("//")[0]
        found += [f"{path.relative_to(root).as_posix()}:{number}: names operator {name}; ask a trait of converter/operators"
                  for name in re.findall(r'"(\w+)"', code) if name in names]
    return found


def check(root):
    problems, count = [], 0
    registered = root / OPERATORS
    names = set(re.findall(r"^OCTET_OPERATOR\((\w+)", registered.read_text(), re.M)) if registered.exists() else set()
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            count += 1
            problems += named_operators(root, path, names)
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
