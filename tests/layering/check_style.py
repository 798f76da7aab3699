#!/usr/bin/env python3
"""Rules of style a compiler does not check: check_style.py <root of the sources>

Files of code under runtime and ports have at most 500 lines, those under converter 400; no unfinished-work marks. In the converter an
ONNX operator is named where it is registered (operators) and by passes about it, in the families of passes. The rest
asks traits. Where it still names operators, it is counted by folder: NAMED_MOST is the most, and goes down alone. The
converter takes no function of the C library whose last bits depend on the processor: converter/support/functions.h has them.
"""
import collections
import pathlib
import re
import sys

FOLDERS = ("runtime", "converter", "ports")
SUFFIXES = {".h", ".hpp", ".c", ".cc", ".inc"}
LINES_MAX = {"runtime": 500, "converter": 400, "ports": 500}
OPERATORS = "converter/operators/operators.inc"
NAMED_MOST = {"converter/export": 26, "converter/import": 166, "converter/lower": 62, "converter/passes": 59}
# Spelled in pieces so that this file does not find itself.
# exp, logf, std::pow, ...; sqrt, floor, ldexp and other exact ones are free.
LIBRARY_FUNCTIONS = re.compile(r"(?:\bstd::|(?<![\w:.>]))(?:exp2?|expm1|log(?:2|10|1p)?|pow|cbrt|hypot|a?(?:sin|cos|tan)h?|atan2|erfc?|[lt]gamma)[fl]?\(")
MARKS = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK")) + r")\b")


def may_name(parts):
    # passes.inc says of each pass which operators it is about.
    return (parts[:2] == ("converter", "operators") or (parts[:2] == ("converter", "passes") and len(parts) > 3)
            or parts == ("converter", "passes", "passes.inc"))


def named_operators(root, path, names):
    """(line, operator) of every string literal of the file that is an operator's name, where the file may not have one."""
    parts = path.relative_to(root).parts
    if parts[0] != "converter" or may_name(parts):
        return []
    return [(number, name) for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
            for name in re.findall(r'"(\w+)"', line.split("//")[0]) if name in names]


def library_functions(root, path):
    """Lines of the file that call such a function."""
    if path.relative_to(root).parts[0] != "converter":
        return []
    lines = enumerate(path.read_text(errors="replace").splitlines(), 1)
    return [number for number, line in lines if LIBRARY_FUNCTIONS.search(re.sub(r'"(?:\\.|[^"\\])*"', '""', line.split("//")[0]))]


def count_problems(named, most):
    """Of {folder: ["FILE:LINE: names ...", ...]}: what is above the most of a folder, or below it by now."""
    problems = []
    for folder in sorted({*named, *most}):
        found, allowed = named[folder], most.get(folder, 0)
        if allowed == 0:
            problems += found
        elif len(found) > allowed:
            files = collections.Counter(line.split(":")[0] for line in found)
            problems.append(f"{folder}: names operators {len(found)} times, at most {allowed} are allowed; ask a trait of "
                            f"converter/operators ({', '.join(f'{file} {count}' for file, count in sorted(files.items()))})")
        elif len(found) < allowed:
            problems.append(f"{folder}: names operators {len(found)} times, fewer than before: write that into NAMED_MOST of "
                            f"check_style.py instead of {allowed}")
    return problems


def check(root, most=None):
    problems, count, named = [], 0, collections.defaultdict(list)
    registered = root / OPERATORS
    names = set(re.findall(r"^OCTET_OPERATOR\((\w+)", registered.read_text(), re.M)) if registered.exists() else set()
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            count += 1
            name = path.relative_to(root).as_posix()
            named["/".join(name.split("/")[:2])] += [
                f"{name}:{number}: names operator {operator}; ask a trait of converter/operators"
                for number, operator in named_operators(root, path, names)]
            problems += [f"{name}:{number}: a function of the C library, whose bits depend on the processor; take math:: of "
                         "converter/support/functions.h" for number in library_functions(root, path)]
            lines = path.read_text(errors="replace").splitlines()
            if len(lines) > LINES_MAX[folder]:
                problems.append(f"{name}: {len(lines)} lines, at most {LINES_MAX[folder]} are wanted")
            problems += [f"{name}:{number}: unfinished-work mark" for number, line in enumerate(lines, 1)
                         if MARKS.search(line)]
    return count, problems + count_problems(named, most or {})


def main():
    count, problems = check(pathlib.Path(sys.argv[1]).resolve(), NAMED_MOST)
    counted = ", ".join(f"{folder} {most}" for folder, most in NAMED_MOST.items())
    print("\n".join(problems) or f"{count} files keep the rules; operators named outside operators/ and passes about them: {counted}")
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main())
