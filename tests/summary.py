#!/usr/bin/env python3
"""Counts the cases of CTest runs: summary.py <build>/tests ...

Each folder holds junit.xml of one CTest run and, in reports/, the XML of its GoogleTest programs, whose cases are
counted one by one. A program that CTest saw fail (crash, leak, time-out) without a failed case in its report counts as
one more failure, and so does a folder without a run (the file not-run in it says why). A skip counts as a failure unless
its reason is one of EXCUSES: a test that does not run proves nothing. Prints the tests that took longest, the skips with their
reasons, the failures and `N passed, N failed, N skipped`; exit status 1 if anything failed or nothing passed.
"""
import collections
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

# What a machine cannot be given by ./setup.sh: instructions, the models of ../shared, devices, cores. And what the caller
# left out himself: `./test.sh --preset`.
EXCUSES = re.compile(r"this CPU (has no|lacks) |\.\./shared\b|this machine has (no|one) |is not part of this run$")
NAMED = 8  # tests named for each reason; the others are counted
DEAREST = 20  # tests in the table of times


def count_program(report):
    """(passed, failed case names, [(skipped case name, reason)]) of one GoogleTest report."""
    passed, failed, skipped = 0, [], []
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        if case.find("failure") is not None:
            failed.append(name)
        elif case.find("skipped") is not None:
            message = (case.find("skipped").get("message") or "").strip().splitlines()
            skipped.append((name, message[-1] if message else "no reason given"))
        elif case.get("status") == "run":
            passed += 1
    return passed, failed, skipped


def count_run(folder):
    """The same over all entries of one CTest run."""
    passed, failed, skipped = 0, [], []
    junit = folder / "junit.xml"
    if not junit.exists():
        reason = folder / "not-run"
        said = reason.read_text().strip() if reason.exists() else "not built or not run"
        return 0, [f"{folder.parent.name}: {said}"], []
    for entry in ElementTree.parse(junit).getroot().iter("testcase"):
        name = f"{folder.parent.name}: {entry.get('name')}"
        ok, bad = entry.find("skipped") is None, entry.find("failure") is not None
        if entry.get("status") in ("fail", "notrun"):
            ok, bad = False, entry.get("status") == "fail" or bad
        try:
            cases = count_program(folder / "reports" / f"{entry.get('name')}.xml")
        except FileNotFoundError:
            cases = None
        except ElementTree.ParseError:
            cases = (0, ["unreadable report"], [])
        if cases is None:
            passed += ok and not bad
            if bad:
                failed.append(name)
            elif not ok:
                text = (entry.findtext("system-out") or "").strip().splitlines()
                skipped.append((name, text[-1] if text else "not run"))
            continue
        passed += cases[0]
        failed += [f"{name}: {case}" for case in cases[1]]
        if bad and not cases[1]:
            failed.append(f"{name}: ended badly after its cases passed")
        skipped += [(f"{name}: {case}", reason) for case, reason in cases[2]]
    return passed, failed, skipped


def times(folder):
    """[(seconds, name)] of the entries of one CTest run."""
    junit = folder / "junit.xml"
    entries = ElementTree.parse(junit).getroot().iter("testcase") if junit.exists() else ()
    return [(float(entry.get("time") or 0), f"{folder.parent.name}: {entry.get('name')}") for entry in entries]


def main(folders):
    passed, failed, skipped = 0, [], []
    for folder in map(pathlib.Path, folders):
        run = count_run(folder)
        passed, failed, skipped = passed + run[0], failed + run[1], skipped + run[2]
    took = sorted((row for folder in folders for row in times(pathlib.Path(folder))), reverse=True)
    print(f"{sum(seconds for seconds, _ in took):.0f} s of tests, of these")
    for seconds, name in took[:DEAREST]:
        print(f"{seconds:8.1f} s  {name}")
    excused = [(name, reason) for name, reason in skipped if EXCUSES.search(reason)]
    failed += [f"{name}: skipped: {reason}" for name, reason in skipped if not EXCUSES.search(reason)]
    by_reason = collections.defaultdict(list)
    for name, reason in excused:
        by_reason[reason.removeprefix("skipped: ")].append(name)
    for reason, names in sorted(by_reason.items()):
        print(f"skipped {len(names)}: {reason}")
        for name in names[:NAMED]:
            print(f"    {name}")
        if len(names) > NAMED:
            print(f"    and {len(names) - NAMED} more")
    for name in failed:
        print(f"FAILED {name}")
    print(f"{passed} passed, {len(failed)} failed" + (f", {len(excused)} skipped" if excused else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
