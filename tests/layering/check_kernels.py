#!/usr/bin/env python3
"""Every operator has a kernel at every level that kernels.txt names: check_kernels.py <root of the sources>

kernels.txt has a line for each entry of runtime/kernels/kernel_table.h with the levels it must have a version for, and one for each
operator without a entry, with the reason. A kernel that goes, a entry or an operator that is not listed, and a kernel that is not
listed yet are errors. A level also runs the versions of those below it: avx512vnni those of avx2.
"""
import pathlib
import re
import sys

LIST = "tests/layering/kernels.txt"
TABLE = "runtime/kernels/kernel_table.h"
OPERATORS = "runtime/format/operators.inc"


def kernels_of(root):
    """{entry: levels in the order of the files}, without the reference."""
    found = {entry: [] for entry in re.findall(r"^\s*X\((\w+), \w+\)", (root / TABLE).read_text(), re.MULTILINE)}
    for path in sorted((root / "runtime/kernels").glob("*/kernels.inc")):
        for entry, word in re.findall(r"^OCTET_(?:FEATURE_)?KERNEL\((\w+), \w+, (\w+), Isa::", path.read_text(), re.MULTILINE):
            if word != "reference" and word not in found.setdefault(entry, []):
                found[entry].append(word)
    return found


def bare_operators(root):
    """Operators that call no entry."""
    return re.findall(r"^OCTET_OPERATOR\(\d+, (\w+),.*OCTET_NO_KERNEL\)", (root / OPERATORS).read_text(), re.MULTILINE)


def problems_of(root):
    required, reasons, problems = {}, {}, []
    for number, line in enumerate((root / LIST).read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, _, rest = line.partition(":")
        if name.startswith("operator "):
            reasons[name.removeprefix("operator ")] = rest.strip()
            if not rest.strip():
                problems.append(f"{LIST}:{number}: {name} has no reason")
        else:
            required[name] = rest.split()
    there = kernels_of(root)
    for entry, levels in required.items():
        for level in levels:
            if level not in there.get(entry, []):
                problems.append(f"{entry} has no kernel at {level}, which {LIST} asks for")
    for entry, levels in there.items():
        if entry not in required:
            problems.append(f"{entry} is not in {LIST}; write down the levels that it must have a kernel at")
        for level in set(levels) - set(required.get(entry, levels)):
            problems.append(f"{entry} has a kernel at {level}; write that into {LIST}")
    bare = bare_operators(root)
    problems += [f"{op} calls no kernel; write into {LIST} why" for op in bare if op not in reasons]
    problems += [f"{op} has kernels, or is gone; take it out of {LIST}" for op in reasons if op not in bare]
    return problems, len(required), len(reasons)


def main():
    problems, entries, bare = problems_of(pathlib.Path(sys.argv[1]))
    print("\n".join(problems) or f"{entries} entries have the kernels that are asked for; {bare} operators have one version")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
