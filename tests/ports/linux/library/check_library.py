#!/usr/bin/env python3
"""What liboctet.so shows and needs: check_library.py [--readelf READELF] --headers FOLDER LIBRARY

Shown: every OCTET_API function of the headers, each with a version of the library's own, and nothing else. Needed: the C
library, none of whose symbols is newer than glibc 2.27, the unwinder, no C++ library. Runs for any architecture.
"""
import argparse
import pathlib
import re
import subprocess
import sys

SONAME = "liboctet.so.1"
NEWEST_GLIBC = (2, 27)  # Ubuntu 18.04, JetPack 4
NEWEST_GCC = (7, 0)  # of libgcc_s.so.1 there
# libpthread.so.0 for glibc before 2.34; the loader by its names, for thread-local storage.
NEEDED = re.compile(r"^(libc\.so\.6|libpthread\.so\.0|libgcc_s\.so\.1|ld-linux[a-z0-9_-]*\.so\.[0-9])$")
DECLARED = re.compile(r"OCTET_API[^;(]*?\b(octet_\w+)\(")
# Num: Value Size Type Bind Vis Ndx Name[@VERSION or @@VERSION] [(number)]; ARM adds a note before Ndx.
SYMBOL = re.compile(r"^\s*\d+: [0-9a-f]+\s+\S+\s+(?P<type>\S+)\s+(?P<bind>\S+)\s+\S+\s+(?:\[[^\]]*\]\s+)?(?P<place>\S+)\s+"
                    r"(?P<name>[^@\s]+)(?:@@?(?P<version>\S+))?")


def read(readelf, library, *options):
    return subprocess.run([readelf, "-W", *options, library], check=True, capture_output=True, text=True).stdout


def too_new(version):
    """Whether no system of glibc 2.27 has this version."""
    family, _, numbers = version.partition("_")
    newest = {"GLIBC": NEWEST_GLIBC, "GCC": NEWEST_GCC}.get(family)
    if newest is None or not re.fullmatch(r"[0-9.]+", numbers):
        return True
    return tuple(int(number) for number in numbers.split("."))[:2] > newest


def check(readelf, library, headers):
    problems, shown = [], {}
    symbols = [match for match in map(SYMBOL.match, read(readelf, library, "--dyn-syms").splitlines()) if match]
    for symbol in symbols:
        name, version = symbol["name"], symbol["version"]
        if symbol["place"] != "UND":
            if symbol["place"] != "ABS" and symbol["type"] != "SECTION":  # ABS: the name of a version
                shown[name] = version
        elif version is None:
            if symbol["bind"] != "WEAK":
                problems.append(f"needs {name} of no version")
        elif too_new(version):
            problems.append(f"needs {name}@{version}; ports/linux/library/old_glibc.cc is the place for it")
    declared = {name for header in sorted(headers.glob("*.h")) for name in DECLARED.findall(header.read_text())}
    problems += [f"shows {name}, which no header declares" for name in sorted(shown.keys() - declared)]
    problems += [f"does not show {name}; see liboctet.map" for name in sorted(declared - shown.keys())]
    problems += [f"{name} has the version {version}" for name, version in sorted(shown.items())
                 if not re.fullmatch(r"OCTET_[0-9.]+", version or "")]
    dynamic = read(readelf, library, "-d")
    if f"[{SONAME}]" not in "".join(line for line in dynamic.splitlines() if "(SONAME)" in line):
        problems.append(f"its SONAME is not {SONAME}")
    problems += [f"needs {name}" for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic) if not NEEDED.match(name)]
    if "TEXTREL" in dynamic:
        problems.append("has relocations in its code")
    if any("GNU_STACK" in line and "E" in line.split()[6] for line in read(readelf, library, "-l").splitlines()):
        problems.append("wants an executable stack")
    if not symbols or not declared:
        problems.append(f"{len(symbols)} symbols read, {len(declared)} functions declared")
    return problems, symbols, shown


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readelf", default="readelf")
    parser.add_argument("--headers", type=pathlib.Path, required=True)
    parser.add_argument("library", type=pathlib.Path)
    options = parser.parse_args()
    problems, symbols, shown = check(options.readelf, options.library, options.headers)
    versions = sorted({symbol["version"] for symbol in symbols if symbol["place"] == "UND" and symbol["version"]})
    print("\n".join(f"{options.library.name} {problem}" for problem in problems)
          or f"{len(shown)} functions shown; needs {' '.join(versions)}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
