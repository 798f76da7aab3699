#!/usr/bin/env python3
"""examples/board under QEMU: outputs equal to those of octet-run on this machine to the last bit in both plans, memory within
budget, no heap in the image. Exit status 77 (skipped) where the emulator or the programs of the preset native are absent.
"""
import argparse
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77
# Bytes, of a part with 64 KiB of flash for code: without blob, picture, arena and decode memory.
BUDGETS = {"flash_bytes": 64 * 1024, "data_bytes": 1024, "stack_bytes": 3 * 1024, "arena_first_plan_bytes": 68000}
HEAP = re.compile(r"^_*(malloc|calloc|realloc|free|s?brk|_malloc_r|_free_r|_sbrk_r|Znw.*|Zna.*|Zd[la].*)$")


def run(*command):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, timeout=240)
    if done.returncode != 0:
        sys.exit(f"{command[0]}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def read_npy(path):
    """The data of an .npy file, version 1."""
    data = path.read_bytes()
    return data[10 + int.from_bytes(data[8:10], "little"):]


def check_budgets(options, values):
    budgets = BUDGETS | ({"arena_first_plan_bytes": options.arena} if options.arena else {})
    problems = [f"{name} {values[name]}, budget {most}" for name, most in budgets.items()
                if not 0 < int(values[name]) <= most]
    symbols = [line.split()[0] for line in run(options.nm, "--format=posix", options.image).splitlines()]
    problems += [f"the image has {symbol}" for symbol in symbols if HEAP.match(symbol)]
    if "octet_bind" not in symbols:
        problems.append("no symbols in the image: nothing was checked for a heap")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--image", type=pathlib.Path, required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--host", type=pathlib.Path, required=True)
    parser.add_argument("--nm", required=True)
    parser.add_argument("--budgets", action="store_true", help="the image has the machine for itself: memory and heap too")
    parser.add_argument("--arena", type=int, help="bytes of arena for INT8 alone, in place of the budget of a small part")
    parser.add_argument("--run", type=pathlib.Path, help="this build's octet-run, held against the same bytes")
    parser.add_argument("--emulator", nargs=argparse.REMAINDER, required=True)
    options = parser.parse_args()
    if not shutil.which(options.emulator[0]):
        print(f"{options.emulator[0]} is not installed; ./setup.sh --tests installs it")
        return SKIPPED
    needed = (options.image, options.data / "model.octet", options.host / "octet-run")
    if not all(path.exists() for path in needed):
        print("the preset native is not built, or was not when this one was configured: it makes blob and outputs to compare with")
        return SKIPPED

    lines = run(*options.emulator, options.image).splitlines()
    print("\n".join(lines))
    values = dict(line.split(" ", 1) for line in lines)
    problems = []
    for plan in ("int8", "fp16"):
        run(options.host / "octet-run", options.data / "model.octet", "--input", options.data / "picture.npy",
            "--output", options.data / "expected.npy", "--isa", "reference", "--plan", plan)
        expected, outputs = read_npy(options.data / "expected.npy"), bytes.fromhex(values[f"outputs_{plan}"])
        print(f"{plan} sha256 {hashlib.sha256(outputs).hexdigest()}")
        if outputs != expected:
            problems.append(f"{plan}: other outputs than octet-run: {expected.hex()}")
        if options.run:
            run(*options.emulator, options.run, options.data / "model.octet", "--input", options.data / "picture.npy",
                "--output", options.data / "actual.npy", "--threads", "2", "--plan", plan)
            if read_npy(options.data / "actual.npy") != expected:
                problems.append(f"{plan}: other outputs of {options.run.name} than of this machine's")
    if not values["label"].startswith("Trouser "):
        problems.append(f"the picture shows trousers, not {values['label']}")
    if options.budgets:
        problems += check_budgets(options, values)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
