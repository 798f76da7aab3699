#!/usr/bin/env python3
"""What the runtime archive may define and reference: check_symbols.py [--weak] [--imports] [--nm NM] ARCHIVE

--weak     no object of one instruction set (x86_*.cc, arm_*.cc) defines a weak or unique symbol: the linker would keep
           one copy, perhaps the one with the wide instructions, for every machine
--imports  what the archive does not define itself is memcpy, memset, memmove or an arithmetic helper of the compiler: no
           heap, no exceptions, no C++ runtime, no C library
"""
import argparse
import re
import subprocess
import sys

ISA_OBJECT = re.compile(r"(^|_)(x86|arm)_[a-z0-9]+\.cc\.o(bj)?$")
WEAK_TYPES = set("WwVvu")
ALLOWED_IMPORTS = re.compile(
    r"^(memcpy|memset|memmove|_GLOBAL_OFFSET_TABLE_"
    # The ARM EABI's names of memory and arithmetic helpers; libgcc's own ones (64-bit division, leading zeros, half floats).
    r"|__aeabi_(mem(cpy|set|move|clr)[48]?|u?[il]div(mod)?|u?[lf]2[fd]|[fd]2u?lz|l(mul|lsl|lsr|asr)|[hf]2[hf](_alt)?)"
    r"|__u?(div|mod|divmod)[dt]i[34]|__clz[sd]i2|__gnu_[hf]2[hf]_ieee)$")
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
    defined = {symbol for _, symbol, kind in symbols if kind not in "Uwv"}
    return [f"{member}: references {symbol}" for member, symbol, kind in symbols
            if kind in "Uwv" and symbol not in defined and not ALLOWED_IMPORTS.match(symbol)]


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
