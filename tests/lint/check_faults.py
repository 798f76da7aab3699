#!/usr/bin/env python3
"""The faults of bench/judge/faults.py apply to the tree: check_faults.py <root of the sources>, or check_faults.py --self-test

Of each fault of bench/judge/fault_list.py one file has the expression, and has it once. What stands there instead differs from
it, and no two faults have the same description or the same change.
"""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench/judge"))
sys.dont_write_bytecode = True
import fault_list  # noqa: E402


def check(root, faults):
    problems, seen = [], set()
    for what, name, expression, instead in faults:
        try:
            file = fault_list.file_of(root, name, expression)
        except LookupError as error:
            problems.append(f"{what}: {error}: {expression!r}")
            continue
        if expression == instead:
            problems.append(f"{what}: changes nothing")
        for key in (what, (file, expression, instead)):
            if key in seen:
                problems.append(f"{what}: is in the list twice")
            seen.add(key)
    return problems


FILES = {"converter/a.cc": "x + y\n", "converter/twice.cc": "p\np\n", "runtime/one/c.cc": "z\n", "runtime/two/c.cc": "z\nw\n"}
GOOD = (("a sum is a difference", "a.cc", "x + y", "x - y"), ("w is lost", "c.cc", "w", ""))
BAD = (
    (("gone", "a.cc", "x * y", "x"), "0 files"),
    (("another file", "b.cc", "x + y", "x"), "0 files"),
    (("two files", "c.cc", "z", ""), "2 files"),
    (("twice in a file", "twice.cc", "p", ""), "2 times"),
    (("no change", "a.cc", "x", "x"), "changes nothing"),
    (("w is lost", "a.cc", "y", ""), "list twice"),
    (("the same change", "a.cc", "x + y", "x - y"), "list twice"),
)


def self_test():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in FILES.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        if check(root, GOOD):
            failures.append(f"wanted nothing, got {check(root, GOOD)}")
        for fault, complaint in BAD:
            problems = check(root, (*GOOD, fault))
            if len(problems) != 1 or complaint not in problems[0]:
                failures.append(f"wanted {complaint!r}, got {problems}")
    print("\n".join(failures) or f"{len(BAD)} wrong lists are found")
    return 1 if failures else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    problems = check(pathlib.Path(sys.argv[1]).resolve(), fault_list.FAULTS)
    print("\n".join(problems) or f"{len(fault_list.FAULTS)} faults apply")
    return 1 if problems or not fault_list.FAULTS else 0


if __name__ == "__main__":
    sys.exit(main())
