#!/usr/bin/env python3
"""What the runtime archive may define and reference: check_symbols.py [--weak] [--imports] [--nm NM] ARCHIVE

--weak     no object of one instruction set (x86_*.cc, arm_*.cc) defines a weak or unique symbol: the linker would keep
           one copy, perhaps the one with the wide instructions, for every machine
--imports  no object references the heap, exceptions or the C++ runtime
"""
import argparse
import re
import subprocess
import sys

ISA_OBJECT = re.compile(r"(^|_)(x86|arm)_[a-z0-9]+\.cc\.o(bj)?$")
WEAK_TYPES = set("WwVvu")
FORBIDDEN = re.compile(
    r"^(malloc|calloc|realloc|reallocarray|free|aligned_alloc|posix_memalign|memalign|abort|__assert_fail"
    r"|_Zn[wa].*|_Zd[la].*|__cxa_.*|_ZSt\d+__throw_.*|.*__throw_.*|_Unwind_.*|__gxx_personality.*|__aeabi_unwind_.*|__stack_chk_.*)$")
NM_LINE = re.compile(r"^.*[\[:](?P<object>[^:\[\]]+\.o(?:bj)?)\]?: (?P<symbol>\S+) (?P<type>\S)( .*)?$")


def read_symbols(nm, archive):
    """[(object, symbol, nm type letter)] of all members."""
    text = subprocess.run([nm, "-A", "--format=posix", archive], check=True, capture_output=True, text=True).stdout
    symbols = []
    for line in text.splitlines():
        match = NM_LINE.match(line)
        if not match:
            raise SystemExit(f"check_symbols.py: cannot read this line of {nm}: {line}")
        symbols.append((match["object"], match["symbol"], match["type"]))
    return symbols


def weak_problems(symbols):
    return [f"{member}: defines the weak symbol {symbol} ({kind})" for member, symbol, kind in symbols
            if ISA_OBJECT.search(member) and kind in WEAK_TYPES]


def import_problems(symbols):
    return [f"{member}: references {symbol}" for member, symbol, kind in symbols
            if kind in "Uwv" and FORBIDDEN.match(symbol)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weak", action="store_true")
    parser.add_argument("--imports", action="store_true")
    parser.add_argument("--nm", default="nm")
    parser.add_argument("archive")
    arguments = parser.parse_args()
    symbols = read_symbols(arguments.nm, arguments.archive)
    problems = []
    if arguments.weak:
        problems += weak_problems(symbols)
    if arguments.imports:
        problems += import_problems(symbols)
    if not symbols:
        problems.append(f"{arguments.archive}: no symbols at all")
    isa_objects = {member for member, _, _ in symbols if ISA_OBJECT.search(member)}
    print("\n".join(problems) or f"{len(symbols)} symbols, ISA objects: {' '.join(sorted(isa_objects)) or 'none'}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
