#!/usr/bin/python3
"""Whether the verdict of `octet convert` notices faults: faults.py --work FOLDER [--ort FOLDER] [--only TEXT] [--on TEXT] [--draw N] [--graphs N]

Copies the tree to FOLDER, builds it, and for each fault of fault_list.py changes one expression of a pass, of the
quantization or of a kernel, builds again, converts the graphs and takes the change back. truth.py measures what the plans of
the blob give beside ONNX Runtime. A fault is noticed where the verdict of each damaged plan is within 3 dB of the truth; a plan
is damaged where the truth is below 30 dB and at least 6 dB below what the tree without faults gives.

The graphs: those of directed.py, each made for one kind of fault, N random float graphs, N random Q/DQ graphs (--first: their
first seed), and the small cases of ../shared/repro where that is present. Graphs are tried until two plans are damaged. A fault
that damages no graph is listed as such.

--built FOLDER works in a copy that is there, with its objects: FOLDER/build/dev is its build folder. Its files are changed.
--linked FOLDER copies and changes nothing: the changed file is compiled alone, and the programs are linked from it and the libraries
of this build folder. Only for faults of .cc files whose functions nobody has inline; others damage nothing, and fail.

Exit status 1: a fault was not noticed, damages no graph, or its expression is not in the tree any longer. 77: there is no ONNX Runtime.
"""
import argparse
import os
import pathlib
import random
import shlex
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


PROGRAMS = ("octet", "octet-run")


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

    def make_with(self, file: pathlib.Path, text: str) -> bool:
        """The programs, of the tree with this text in the file."""
        sound = file.read_text()
        file.write_text(text)
        try:
            return self.make(*PROGRAMS)
        finally:
            file.write_text(sound)


class Linked:
    """Programs of a build folder, in which one file is another. The first definition of a function is the one that is linked."""

    def __init__(self, folder: pathlib.Path, built: pathlib.Path):
        self.root, self.built, self.build = SOURCE, built, folder / "linked"
        (self.build / "bin").mkdir(parents=True, exist_ok=True)
        for program in PROGRAMS:
            self.use(program, built / "bin" / program)

    def use(self, program: str, file: pathlib.Path):
        (self.build / "bin" / program).unlink(missing_ok=True)
        (self.build / "bin" / program).symlink_to(file)

    def commands(self, program: str) -> list:
        shown = subprocess.run(["ninja", "-C", str(self.built), "-t", "commands", f"bin/{program}"], check=True, capture_output=True, text=True)
        return shown.stdout.splitlines()

    def run(self, command: list) -> bool:
        return subprocess.run(command, cwd=self.built).returncode == 0

    def make_with(self, file: pathlib.Path, text: str) -> bool:
        changed, code = self.build / file.name, self.build / "changed.o"
        changed.write_text(text)
        units = {str(file)} | {str(unit) for unit in self.built.rglob("Unity/*.cxx") if f'"{file}"' in unit.read_text()}
        for program in PROGRAMS:
            self.use(program, self.built / "bin" / program)
            commands = [shlex.split(command) for command in self.commands(program)]
            compile_it = next((words for words in commands if "-c" in words and words[-1] in units), None)
            if compile_it is None:
                continue  # the file is no part of this program
            compile_it[compile_it.index("-o") + 1] = str(code)
            compile_it[compile_it.index("-MF") + 1] = str(code.with_suffix(".d"))
            link_it, made = commands[-1][2:-2], self.build / f"changed-{program}"
            at = link_it.index("-o")
            link_it[at + 1] = str(made)
            if not self.run([*compile_it[:-1], str(changed)]) or not self.run([*link_it[:at], str(code), "-Wl,-z,muldefs", *link_it[at:]]):
                return False
            self.use(program, made)
        return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ort", default=os.environ.get("OCTET_ORT", str(SOURCE / "build/ort")), help="folder of `npm install onnxruntime-node`")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for the copy and its build")
    parser.add_argument("--built", type=pathlib.Path, help="a built copy to work in; its files are changed")
    parser.add_argument("--linked", type=pathlib.Path, help="a build folder whose libraries the changed programs are linked from")
    parser.add_argument("--on", default="", help="graphs with this text in their name")
    parser.add_argument("--only", default="", help="faults with this text in their description")
    parser.add_argument("--after", type=int, default=0, metavar="N", help="without the first N faults of the list")
    parser.add_argument("--draw", type=int, metavar="N", help="N of these faults, drawn at random by --seed")
    parser.add_argument("--seed", type=int, default=1, help="seed of --draw")
    parser.add_argument("--graphs", type=int, default=24, help="random graphs of each kind")
    parser.add_argument("--first", type=int, default=1, help="first seed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if not (pathlib.Path(options.ort) / "node_modules/onnxruntime-node").exists():
        print(f"{options.ort} has no onnxruntime-node: ./setup.sh --tests, --ort or OCTET_ORT")
        return 77
    faults = [fault for fault in FAULTS[options.after:] if options.only in fault[0]]
    if options.draw is not None:
        drawn = random.Random(options.seed).sample(range(len(faults)), min(options.draw, len(faults)))
        faults = [faults[i] for i in sorted(drawn)]
        print(f"{len(faults)} faults drawn by seed {options.seed}")
    work = options.work.resolve()
    if options.linked is not None:
        tree = Linked(work, options.linked.resolve())
    else:
        tree = Tree(work, options.built and options.built.resolve(), options.jobs)
        if not tree.make(*PROGRAMS, "octet-oracle", "random_networks"):
            raise SystemExit("the tree without faults does not build; run cmake --build by hand and mend it")
    cases = list(directed.cases(work / "directed"))
    cases += list(truth.random_cases(tree.build, work / "random", options.first, 2 * options.graphs)) + list(truth.repro_cases())
    cases = [case for case in cases if options.on in case.name]
    failed = 0 if faults and cases else 1
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
            built = tree.make_with(file, UNUSED + file.read_text().replace(expression, instead))
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
    print(f"{failed} faults were not noticed, damage no graph or were not applied")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
