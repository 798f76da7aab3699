#!/usr/bin/python3
"""Whether the verdict of `octet convert` notices faults: faults.py --ort FOLDER --work FOLDER [--only TEXT] [--draw N] [--graphs N]

Copies the tree to FOLDER, builds it, and for each fault of fault_list.py changes one expression of a pass, of the
quantization or of a kernel, builds again, converts the graphs and takes the change back. truth.py measures what the plans of
the blob give beside ONNX Runtime. A fault is noticed where the verdict of each damaged plan is within 3 dB of the truth; a plan
is damaged where the truth is below 30 dB and at least 6 dB below what the tree without faults gives.

The graphs: those of directed.py, each made for one kind of fault, N random float graphs, N random Q/DQ graphs (--first: their
first seed), and the small cases of ../shared/repro where that is present. Graphs are tried until two plans are damaged. A fault
that damages no graph is listed as such.

--built FOLDER works in a copy that is there, with its objects: FOLDER/build/dev is its build folder. Its files are changed.

Exit status 1: a fault was not noticed, damages no graph, or its expression is not in the tree any longer.
"""
import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import directed
import truth
from fault_list import FAULTS, file_of

SOURCE = truth.SOURCE
DAMAGED_DB, LOST_DB, FALSE_DB, ENOUGH = 30.0, 6.0, 3.0, 2

# What a change leaves unused is no error.
UNUSED = "".join(f'#pragma GCC diagnostic ignored "-Wunused-{what}"\n' for what in ("variable", "parameter", "function", "but-set-variable"))


class Tree:
    """A copy of the source that is built again and again."""

    def __init__(self, folder: pathlib.Path, built, jobs: int):
        self.root, self.build, self.jobs = folder / "tree", folder / "build", jobs
        folder.mkdir(parents=True, exist_ok=True)
        if built is not None:
            self.root, self.build = built, built / "build/dev"
            return
        subprocess.run(["rm", "-rf", str(self.root)], check=True)
        subprocess.run(["git", "clone", "-q", str(SOURCE), str(self.root)], check=True)
        subprocess.run(["cmake", "-S", str(self.root), "-B", str(self.build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                        "-DOCTET_TESTS=ON", "-DOCTET_BENCH=OFF", "-DOCTET_UNITY=OFF", "-DOCTET_WERROR=OFF"], check=True, stdout=subprocess.DEVNULL)

    def make(self, *targets) -> bool:
        return subprocess.run(["ninja", "-C", str(self.build), f"-j{self.jobs}", *targets], stdout=subprocess.DEVNULL).returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ort", default=os.environ.get("OCTET_ORT", ""), help="folder of `npm install onnxruntime-node`")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for the copy and its build")
    parser.add_argument("--built", type=pathlib.Path, help="a built copy to work in; its files are changed")
    parser.add_argument("--only", default="", help="faults with this text in their description")
    parser.add_argument("--after", type=int, default=0, metavar="N", help="without the first N faults of the list")
    parser.add_argument("--draw", type=int, metavar="N", help="N of these faults, drawn at random by --seed")
    parser.add_argument("--seed", type=int, default=1, help="seed of --draw")
    parser.add_argument("--graphs", type=int, default=24, help="random graphs of each kind")
    parser.add_argument("--first", type=int, default=1, help="first seed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if not options.ort:
        parser.error("--ort names no folder, nor does OCTET_ORT")
    faults = [fault for fault in FAULTS[options.after:] if options.only in fault[0]]
    if options.draw is not None:
        drawn = random.Random(options.seed).sample(range(len(faults)), min(options.draw, len(faults)))
        faults = [faults[i] for i in sorted(drawn)]
        print(f"{len(faults)} faults drawn by seed {options.seed}")
    work = options.work.resolve()
    tree = Tree(work, options.built and options.built.resolve(), options.jobs)
    programs = ("octet", "octet-run")
    if not tree.make(*programs, "octet-oracle", "random_networks"):
        raise SystemExit("the tree without faults does not build; run cmake --build by hand and mend it")
    cases = list(directed.cases(work / "directed"))
    cases += list(truth.random_cases(tree.build, work / "random", options.first, 2 * options.graphs)) + list(truth.repro_cases())
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        measured = truth.Truth(tree.build, options.ort, pathlib.Path(scratch))

        def rows_of(case) -> dict:
            try:
                return {plan: (said, true) for plan, said, true in measured.run(case)}
            except (RuntimeError, KeyError, OSError, ValueError):
                return {}

        sound = {case.name: rows_of(case) for case in cases}
        print(f"{len(cases)} graphs\n{'fault':<64} {'graph':<26} {'plan':<5} {'sound':>6} {'truth':>6} {'verdict':>7}", flush=True)
        for what, name, expression, instead in faults:
            try:
                file = file_of(tree.root, name, expression)
            except LookupError as error:
                print(f"{what:<64} not applied: {error}", flush=True)
                failed += 1
                continue
            text = file.read_text()
            file.write_text(UNUSED + text.replace(expression, instead))
            built = tree.make(*programs)
            damaged, false, refused = 0, 0, 0
            for case in cases if built else []:
                if damaged >= ENOUGH:
                    break
                rows = rows_of(case)
                refused += bool(sound[case.name]) and not rows
                for plan, (said, true) in rows.items():
                    before = sound[case.name].get(plan, (0, -100))[1]
                    if true >= DAMAGED_DB or true > before - LOST_DB:
                        continue
                    damaged += 1
                    missed = min(said, truth.CAP_DB) - true > FALSE_DB
                    false += missed
                    print(f"{what:<64} {case.name:<26} {plan:<5} {before:6.1f} {true:6.1f} {said:7.1f} {'NOT NOTICED' if missed else ''}",
                          flush=True)
            if not built or damaged == 0:
                print(f"{what:<64} " + ("does not build" if not built else f"damages none, {refused} are refused"), flush=True)
            failed += false > 0 or damaged == 0
            file.write_text(text)
    print(f"{failed} faults were not noticed, damage no graph or were not applied")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
