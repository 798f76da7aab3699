#!/usr/bin/env python3
"""octet.hpp has what octet.h has: check_hpp.py <root of the sources>

Each function of octet/octet.h is called in octet/octet.hpp, so that a C++ program needs no call of the C API beside the class.
"""
import pathlib
import re
import sys

FOLDER = "runtime/include/octet"


def missing(root):
    declared = re.findall(r"^OCTET_API[^;]*?\b(octet_\w+)\(", (root / FOLDER / "octet.h").read_text(), re.MULTILINE)
    called = set(re.findall(r"\b(octet_\w+)\(", (root / FOLDER / "octet.hpp").read_text()))
    return declared, [name for name in declared if name not in called]


def main():
    declared, absent = missing(pathlib.Path(sys.argv[1]))
    print("\n".join(f"octet.hpp: no member calls {name}, which octet.h declares" for name in absent)
          or f"{len(declared)} functions of octet.h are in octet.hpp")
    return int(bool(absent) or not declared)


if __name__ == "__main__":
    sys.exit(main())
