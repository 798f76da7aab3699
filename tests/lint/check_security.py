#!/usr/bin/env python3
"""Each test that SECURITY.md names as a proof is there: check_security.py <root of the sources>

A name with a dot is a case of GoogleTest, `Suite.Case`; one without is an entry of CTest.
"""
import pathlib
import re
import sys

CASE = re.compile(r"\b(?:TEST|TEST_F|TEST_P)\((\w+), (\w+)\)")
ENTRY = re.compile(r"octet_(?:(?:script_)?test\(NAME|model_test\() ?(\w+)")
FUZZ = re.compile(r"octet_fuzz_target\((\w+)")


def main() -> int:
    root = pathlib.Path(sys.argv[1]).resolve()
    known = set()
    for path in (root / "tests").rglob("*.cc"):
        known.update(f"{suite}.{case}" for suite, case in CASE.findall(path.read_text()))
    for path in (root / "tests").rglob("CMakeLists.txt"):
        text = path.read_text()
        known.update(ENTRY.findall(text))
        known.update(f"fuzz_{name}" for name in FUZZ.findall(text))
    rows = [line.split("|") for line in (root / "SECURITY.md").read_text().split("| tests |")[1].split("\n\n")[0].splitlines()]
    named = [name for row in rows if len(row) > 3 for name in re.findall(r"`([\w.]+)`", row[3])]
    missing = [name for name in named if name not in known]
    for name in missing:
        print(f"SECURITY.md: no test {name}")
    print(f"{len(named)} tests are named, {len(missing)} of them missing")
    return int(bool(missing) or not named)


if __name__ == "__main__":
    sys.exit(main())
