"""Which share of a program's instructions runs in reference code: files of runtime/kernels that are written for no
instruction set. What a compilation unit is called says so, whatever was inlined into it.
"""
import bisect
import collections
import pathlib
import re
import subprocess

from instructions import Failure

KERNELS = "runtime/kernels/"


def readelf(program, *what):
    return subprocess.run(["aarch64-linux-gnu-readelf", *what, program], capture_output=True, text=True, check=True).stdout


class Units:
    """Compilation units of a program with debug information, by address."""

    def __init__(self, program):
        names, offset = {}, None
        for line in readelf(program, "--debug-dump=info", "--dwarf-depth=1").splitlines():
            if found := re.search(r"Compilation Unit @ offset (\w+)", line):
                offset = int(found[1], 16)
            elif "DW_AT_name" in line and offset is not None and offset not in names:
                names[offset] = line.rsplit(": ", 1)[1].strip()
        rows, name = [], ""
        for line in readelf(program, "--debug-dump=aranges").splitlines():
            if found := re.search(r"Offset into \.debug_info:\s+(\w+)", line):
                name = names.get(int(found[1], 16), "")
            elif found := re.fullmatch(r"\s*([0-9a-f]{16}) ([0-9a-f]{16})\s*", line):
                start, length = int(found[1], 16), int(found[2], 16)
                if length:
                    rows.append((start, start + length, name))
        if not any(KERNELS in name for _, _, name in rows):
            raise Failure(f"{program}: has no debug information of the kernels; build the aarch64 preset anew")
        self.rows = sorted(rows)
        self.starts = [start for start, _, _ in self.rows]

    def at(self, address):
        i = bisect.bisect_right(self.starts, address) - 1
        return self.rows[i][2] if i >= 0 and address < self.rows[i][1] else ""


def is_reference(unit):
    return KERNELS in unit and "arm_" not in pathlib.PurePath(unit).name


def shares(units, size):
    """size: instructions by block. {file under runtime/kernels: share of all}, those of reference code, largest first."""
    total, by_file = sum(size.values()), collections.Counter()
    for block, instructions in size.items():
        unit = units.at(block.address)
        if is_reference(unit):
            by_file[unit.split(KERNELS, 1)[1]] += instructions
    return {name: instructions / total for name, instructions in by_file.most_common()}
