#!/usr/bin/env python3
"""Cycles of the inner loops of the ARM int8 kernels, by llvm-mca, for the cores that boards have.

The loops come from the objects of the aarch64 build: of every function of the int8 convolutions the innermost
loop with the most multiplications (--all: every one that multiplies). A loop is taken as straight code: branches inside it
are not followed. The port limit is what the multiplications alone (SDOT, SMMLA, SMULL and SMLAL) need on that core,
measured by llvm-mca too: the same sequence without anything that depends on anything. In brackets, with the additions
of 16-bit products to 32-bit sums (SADALP, SADDW), without which multiplying in 16 bits is not exact.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CORES = "cortex-a53,cortex-a55,cortex-a57,cortex-a72,cortex-a76,neoverse-n1,neoverse-n2,cortex-a78"
DOTPROD = {"cortex-a55", "cortex-a76", "neoverse-n1", "neoverse-n2", "cortex-a78"}
I8MM = {"neoverse-n2"}
PROBES = {  # by mnemonic: an instruction with a destination of its own
    "sdot": "sdot v{0}.4s, v30.16b, v31.4b[1]", "smmla": "smmla v{0}.4s, v30.16b, v31.16b",
    "smull": "smull v{0}.8h, v30.8b, v31.8b", "smull2": "smull2 v{0}.8h, v30.16b, v31.16b",
    "smlal": "smlal v{0}.8h, v30.8b, v31.8b", "smlal2": "smlal2 v{0}.8h, v30.16b, v31.16b"}
ADDITIONS = {"sadalp": "sadalp v{0}.4s, v31.8h", "saddw": "saddw v{0}.4s, v{0}.4s, v31.4h",
             "saddw2": "saddw2 v{0}.4s, v{0}.4s, v31.8h"}
ITERATIONS = 100
Instruction = collections.namedtuple("Instruction", "address text")


class Failure(Exception):
    """Bad use: one line, exit status 2."""


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/aarch64", help="folder of the aarch64 build")
    parser.add_argument("--cores", default=CORES)
    parser.add_argument("--files", default="", help="only files whose path holds this text")
    parser.add_argument("--all", action="store_true", help="every innermost loop that multiplies")
    parser.add_argument("--show", action="store_true", help="print the instructions of the loops, too")
    parser.add_argument("--mca", default="llvm-mca-19")
    parser.add_argument("--objdump", default="aarch64-linux-gnu-objdump")
    parser.add_argument("--json", type=pathlib.Path, default=ROOT / "build/arm/loops.json")
    return parser.parse_args()


def functions_of(objdump, path):
    """Name -> instructions. Compiler clones (.part, .constprop) keep their own names."""
    text = subprocess.run([objdump, "-d", "-C", "--no-show-raw-insn", str(path)], capture_output=True, text=True,
                          check=True).stdout
    functions, current = {}, None
    for line in text.splitlines():
        head = re.match(r"^[0-9a-f]+ <(.*)>:$", line)
        if head:
            current = functions.setdefault(head.group(1), [])
            continue
        body = re.match(r"^\s*([0-9a-f]+):\t(.*)$", line)
        if body and current is not None:
            current.append(Instruction(int(body.group(1), 16), body.group(2).split("//")[0].strip()))
    return functions


def mnemonic(instruction):
    return instruction.text.split()[0]


def innermost_loops(instructions):
    """Runs of instructions between a backward branch and its target that hold no other such run."""
    loops = []
    for i, instruction in enumerate(instructions):
        branch = re.match(r"^(?:b(?:\.\w+)?\t|cbn?z\t\w+, |tbn?z\t\w+, #\d+, )([0-9a-f]+) <", instruction.text)
        if not branch or int(branch.group(1), 16) > instruction.address:
            continue
        start = [k for k in range(i + 1) if instructions[k].address == int(branch.group(1), 16)]
        if start:
            loops.append((start[0], i))
    # The same head twice (two ways back): the longer one.
    longest = {first: max(last for f, last in loops if f == first) for first, _ in loops}
    return [instructions[first:last + 1] for first, last in longest.items()
            if not any(first <= f and last >= l and (f, l) != (first, last) for f, l in longest.items())]


def multiplications(loop):
    return sum(mnemonic(i) in PROBES for i in loop)


def cycles(mca, core, lines):
    """Cycles of one round."""
    text = "\n".join(lines) + "\n"
    done = subprocess.run([mca, "-mtriple=aarch64", f"-mcpu={core}", f"-iterations={ITERATIONS}",
                           "-instruction-info=0", "-resource-pressure=0", "-"], input=text, capture_output=True,
                          text=True, check=False)
    total = re.search(r"Total Cycles:\s+(\d+)", done.stdout)
    if not total:
        raise Failure(f"{mca} -mcpu={core}: {done.stderr.strip().splitlines()[:1]}")
    return int(total.group(1)) / ITERATIONS


def assembly(loop):
    """Branches lose their addresses; llvm-mca follows none."""
    lines = []
    for instruction in loop:
        lines.append(re.sub(r"[0-9a-f]+ <.*$", "out", instruction.text))
    return lines


def port_limit(mca, core, names):
    """Cycles of these instructions alone, in this order, repeated to a multiple of their 24 destinations."""
    forms = PROBES | ADDITIONS
    lines = [forms[name].format(i % 24) for i, name in enumerate(names * 24)]
    return cycles(mca, core, lines) / 24


def title(path, name):
    where = "/".join(path.parts[-2:]).replace(".cc.o", "")
    short = re.sub(r"\(anonymous namespace\)::|octet::|void |static ", "", name).split("(")[0]
    return f"{where} {short}"


def loops_of(options):
    objects = sorted(options.build.rglob("*conv/arm_*.cc.o"))
    if not objects:
        raise Failure(f"{options.build}: no objects of ARM kernels; build the aarch64 preset or give --build")
    for path in objects:
        if options.files not in str(path):
            continue
        for name, instructions in functions_of(options.objdump, path).items():
            found = [loop for loop in innermost_loops(instructions) if multiplications(loop)]
            for loop in found if options.all else sorted(found, key=multiplications)[-1:]:
                yield title(path, name), loop


def main():
    options = parse_arguments()
    rows, seen = [], set()
    cores = options.cores.split(",")
    print("cycles, and the share of the port limit in %: multiplications (with the additions to 32-bit sums)")
    print(f"{'loop':<52} {'instr':>5} {'mul':>4} " + " ".join(f"{core.replace('cortex-', ''):>15}" for core in cores))
    for name, loop in loops_of(options):
        text = "\n".join(assembly(loop))
        if (name, text) in seen:
            continue
        seen.add((name, text))
        words = [mnemonic(i) for i in loop]
        multiplying = [w for w in words if w in PROBES]
        adding = any(w in ADDITIONS for w in words)
        cells = []
        for core in cores:
            if ("sdot" in words and core not in DOTPROD) or ("smmla" in words and core not in I8MM):
                cells.append(f"{'-':>15}")
                continue
            measured = cycles(options.mca, core, text.splitlines())
            limit = port_limit(options.mca, core, multiplying)
            with_sums = port_limit(options.mca, core, [w for w in words if w in PROBES or w in ADDITIONS])
            sums = f"({100 * with_sums / measured:.0f})" if adding else ""
            cells.append(f"{measured:>6.1f} {100 * limit / measured:>3.0f}{sums:>5}")
            rows.append({"loop": name, "core": core, "instructions": len(loop), "multiplications": len(multiplying),
                         "cycles": measured, "port_limit": limit, "port_limit_with_sums": with_sums,
                         "share": limit / measured, "share_with_sums": with_sums / measured})
        print(f"{name[:52]:<52} {len(loop):>5} {len(multiplying):>4} " + " ".join(cells), flush=True)
        if options.show:
            print("    " + "\n    ".join(text.splitlines()))
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps({"rows": rows}, indent=2))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"loops.py: {failure}", file=sys.stderr)
        sys.exit(2)
