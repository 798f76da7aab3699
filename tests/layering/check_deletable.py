#!/usr/bin/env python3
"""A feature can be removed with its folders and one line of each list: check_deletable.py <root of the sources>

Counts the lines under converter, runtime and ports that name a feature outside of its own folders and files. The number is
exact: a line more is a place that a removal has to find, and a line less is to be written here. Of each line of sections.inc,
nothing in the converter names the section's folder or what makes it but the folder itself.
"""
import pathlib
import re
import sys

SUFFIXES = {".h", ".cc", ".c", ".hpp", ".inc", ".map", ".md", ".txt", ".cmake", ".py"}
# Lines by folder that name the feature outside of its own folders:
#   of each: the lists of sections and of features, and the two of kinds (the page of the format and blob.h); in ports the lists of
#     observers, options, symbols and numbers;
#   guard: its key of a board file (8), the library of its settings, the reason of a roll-back by that name (3 in runtime, 2 in ports);
#   helium, a level: isa.inc, octet.h, and in each folder that has kernels of it the lists of kernels and of scratch, with the include of
#     the second;
#   roi_align, an operator: the converter's lists, operators.inc, the page of the format;
#   cortex-m, a port: the list of folders.
#   golden: FORMAT.md has a section of it (6), the list of symbols three lines; the programs that make or run golden vectors.
LINES = {
    "golden": {"converter": 1, "runtime": 8, "ports": 15},
    "temporal": {"converter": 1, "runtime": 3, "ports": 2},
    "drift": {"converter": 1, "runtime": 3, "ports": 3},
    "guard": {"converter": 10, "runtime": 6, "ports": 6},
    "helium": {"converter": 0, "runtime": 11, "ports": 0},
    "roi_align": {"converter": 2, "runtime": 2, "ports": 0},
    "cortex-m": {"ports": 1},
}
# The same word for something else.
OTHERS = {"guard": re.compile(r"lock_guard|include guard|nan_?guards?", re.IGNORECASE)}
OTHER_FILES = {"guard": {"converter/passes/legalise/masks.cc"}}
# Files of the feature by another name.
OWN_FILES = {"golden": re.compile(r"self_test(_vectors)?\.(cc|h)")}
SECTIONS = "converter/sections/sections.inc"


def lines_elsewhere(root, feature, folder):
    # A kernel's file begins with its architecture: arm_helium.cc. RoiAlign is roi_align in names of files.
    files = OWN_FILES.get(feature)
    own, other, word = re.compile(f"(arm_|x86_)?{feature}(?![a-z])"), OTHERS.get(feature), feature.replace("_", "")
    found = []
    for path in sorted((root / folder).rglob("*")):
        name = path.relative_to(root)
        if path.suffix not in SUFFIXES or not path.is_file() or any(own.match(part) for part in name.parts):
            continue
        if name.as_posix() in OTHER_FILES.get(feature, ()) or (files and files.fullmatch(path.name)):
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            text = other.sub("", line) if other else line
            if word in text.lower().replace("_", ""):
                found.append(f"{name.as_posix()}:{number}")
    return found


def section_problems(root):
    """(sections, what stands against the removal of one of them)."""
    sections = re.findall(r"^OCTET_SECTION\((\w+)\)", (root / SECTIONS).read_text(), re.M)
    problems = []
    for section in sections:
        folder = f"converter/sections/{re.sub('(?<=[a-z])(?=[A-Z])', '_', section).lower()}/"
        if not (root / folder).is_dir():
            problems.append(f"{section}: {SECTIONS} has it, but there is no {folder}")
        named = re.compile(rf"{folder}|\bMake{section}\b")
        for path in sorted((root / "converter").rglob("*")):
            name = path.relative_to(root).as_posix()
            if name.startswith(folder) or path.suffix not in SUFFIXES or not path.is_file():
                continue
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                if named.search(line):
                    problems.append(f"{section}: {name}:{number} names it; ask section.h, so that it goes with {folder} and its line")
    return sections, problems


def main():
    root = pathlib.Path(sys.argv[1])
    sections, problems = section_problems(root)
    print(f"sections that go with their folder and their line: {', '.join(sections)}")
    for feature, folders in LINES.items():
        for folder, allowed in folders.items():
            found = lines_elsewhere(root, feature, folder)
            if len(found) != allowed:
                problems.append(f"{feature}: {len(found)} lines of {folder} outside of its folders name it, not {allowed}: {', '.join(found)}")
            else:
                print(f"{feature}: its folders and {len(found)} lines elsewhere in {folder}: {', '.join(found)}")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
