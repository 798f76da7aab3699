#!/usr/bin/env python3
"""Instructions of one inference on a Cortex-M without an operating system, by network and level, counted by QEMU.

    cmake --preset cortex-m4 && ninja -C build/cortex-m4 bench-cortex-m && bench/cortex-m/count.py --preset cortex-m4

QEMU's -icount shift=0 makes virtual time one nanosecond an instruction; the image says how many ticks of its clock 2^24 of them
take. Counts have no noise beyond a tick at each end. Exit status 1 where levels differ in the bytes of their outputs, 77 (skipped) where QEMU is absent.
"""
import argparse
import json
import math
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MACHINES = {"cortex-m4": "mps2-an386", "cortex-m7": "mps2-an500", "cortex-m55": "mps3-an547"}
NETWORKS = "resnet8,vww,ds_cnn"
LEVELS = "reference,cm4"  # and of a core with MVE helium
SKIPPED = 77


class Failure(Exception):
    """Bad use: one line, exit status 2."""


def count(machine, image):
    """The values the image prints, and (operator, kernel, multiply-accumulates, instructions) of its layers."""
    command = ["qemu-system-arm", "-M", machine, "-display", "none", "-monitor", "none", "-serial", "stdio", "-icount", "shift=0",
               "-semihosting-config", "enable=on,target=native", "-kernel", str(image)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failure(f"{image.name}: exit status {done.returncode}: {done.stdout}{done.stderr}")
    values, layers = {}, []
    for line in done.stdout.splitlines():
        word, *rest = line.split()
        if word == "layer":
            layers.append(rest)
        else:
            values[word] = int(rest[0])
    each = 2**24 / values["round_ticks"]
    values["instructions"] = round(values["ticks"] * each)
    return values, [(op, kernel, int(macs), round(int(ticks) * each)) for op, kernel, macs, ticks in layers]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", choices=list(MACHINES), default="cortex-m4")
    parser.add_argument("--bin", type=pathlib.Path, help="folder of the images (default: build/PRESET/bin)")
    parser.add_argument("--networks", default=NETWORKS)
    parser.add_argument("--levels", help="default: all of the core")
    parser.add_argument("--layers", action="store_true", help="every layer as well")
    parser.add_argument("--most", default="", metavar="NETWORK=MILLIONS,...", help="exit status 1 where the last level takes more")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    if not shutil.which("qemu-system-arm"):
        print("qemu-system-arm is not installed; ./setup.sh --tests installs it")
        return SKIPPED
    options.levels = options.levels or LEVELS + (",helium" if options.preset == "cortex-m55" else "")
    folder = options.bin or ROOT / "build" / options.preset / "bin"
    most = {name: float(limit) for name, limit in (word.split("=") for word in options.most.split(",") if word)}
    rows, wrong = [], False
    print(f"{'network':<9} {'level':<10} {'millions':>9} {'a MAC':>6} {'flash':>7} {'blob':>8} {'arena':>7} {'stack':>6}  hash")
    for network in options.networks.split(","):
        hashes = set()
        for level in options.levels.split(","):
            image = folder / f"bench-cortex-m-{network}-{level}.elf"
            if not image.exists():
                raise Failure(f"{image}: not there; build the target bench-cortex-m")
            values, layers = count(MACHINES[options.preset], image)
            hashes.add(values["hash"])
            print(f"{network:<9} {level:<10} {values['instructions'] / 1e6:>9.3f} "
                  f"{values['instructions'] / values['macs']:>6.2f} {values['flash_bytes']:>7} {values['blob_bytes']:>8} "
                  f"{values['arena_bytes']:>7} {values['stack_bytes']:>6}  {values['hash']:08x}", flush=True)
            for op, kernel, macs, instructions in layers if options.layers else ():
                print(f"    {op:<16} {kernel:<10} {macs:>9} {instructions:>9} {instructions / max(macs, 1):>7.2f}")
            rows.append({"network": network, "level": level} | values)
        if len(hashes) != 1:
            print(f"{network}: levels differ in their outputs")
            wrong = True
        if values["instructions"] > most.get(network, math.inf) * 1e6:
            print(f"{network}: more than {most[network]} million instructions")
            wrong = True
    if options.json:
        options.json.write_text(json.dumps({"preset": options.preset, "rows": rows}, indent=2))
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"count.py: {failure}", file=sys.stderr)
        sys.exit(2)
