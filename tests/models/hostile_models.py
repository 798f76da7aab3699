#!/usr/bin/env python3
"""Hostile ONNX files through `octet convert`: each ends with status 0, 1 or 2 within 10 s of processor time and 2 GB (hostile_graphs.py).

hostile_models.py [--graphs N] [--nodes N] [--damaged N] [--files FOLDER] [--first N] [--keep FOLDER] [--table]

--graphs   deep, wide, cyclic, shared and growing graphs, with at most --nodes nodes
--damaged  files with changed bytes and fields: of graphs as above, and of all files *.onnx of at most 64 KiB below --files
--table    processor time and status of chains, wide, shared and branching graphs of 1,000 to 20,000 nodes
By hand: --graphs 900 --nodes 20000 --damaged 20000 --files ../shared/repro --keep FOLDER
"""
import argparse
import concurrent.futures
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

import hostile_graphs
from model_tests import Report, arguments

SECONDS, BYTES = 10, 2_000_000 * 1024
WAITING = 6  # a machine that runs several tests gives each a part of itself
LARGEST_FILE = 65536
OPTIONS = ["--random-calibration", "--samples", "2", "--effort", "fast", "--threads", "1", "--scale", "1/255", "--task", "none"]
# Graph, kind of its nodes, and how many of them it has for each step.
TABLE = (("chain", "Identity", 1), ("chain", "Relu", 1), ("chain", "Conv", 1), ("chain", "Transpose", 1), ("chain", "Reshape", 1),
         ("chain", "Shapes", 2), ("wide", "Relu", 1), ("joined", "Relu", 1), ("shared", "Add", 1), ("shared", "Concat", 2),
         ("shared", "Slice", 3), ("shared", "Split", 2), ("ifs", "initialiser", 1), ("ifs", "shape", 6), ("ifs", "unknown", 3))


def limit(process: int) -> None:
    """Not by preexec_fn, for which subprocess copies this whole process."""
    resource.prlimit(process, resource.RLIMIT_AS, (BYTES, BYTES))
    resource.prlimit(process, resource.RLIMIT_CPU, (SECONDS, SECONDS))  # a signal ends what takes longer


def end_of(octet: pathlib.Path, data: bytes, mixed: bool) -> tuple:
    """Status, seconds and last line of a conversion; a status below 0 is a signal, and None a hang."""
    with tempfile.TemporaryDirectory() as work:
        path = pathlib.Path(work) / "m.onnx"
        path.write_bytes(data)
        command = [octet, "convert", path, "-o", path.with_suffix(".octet"), *OPTIONS, *(["--mixed"] if mixed else [])]
        started = time.monotonic()
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            limit(process.pid)
            try:
                said = process.communicate(timeout=SECONDS * WAITING)[1]
            except subprocess.TimeoutExpired:
                process.kill()
                return None, time.monotonic() - started, "no end"
        line = (said.decode(errors="replace").strip().splitlines() or [""])[-1]
        return process.returncode, time.monotonic() - started, line[-200:].replace(str(path), "")


def seeds_of(folder: pathlib.Path | None) -> list:
    found = [hostile_graphs.graph(seed, 12)[1] for seed in range(60)]
    if folder:
        found += [path.read_bytes() for path in sorted(folder.rglob("*.onnx")) if path.stat().st_size <= LARGEST_FILE]
    return found


def cases(options):
    """Name, bytes and whether --mixed is given, of each case."""
    for seed in range(options.first, options.first + options.graphs):
        name, data = hostile_graphs.graph(seed, options.nodes)
        yield f"graph_{seed}_{name}", data, seed // len(hostile_graphs.SHAPES) % 2 == 1
    seeds = seeds_of(options.files)
    for seed in range(options.first, options.first + options.damaged):
        r = random.Random(seed)
        yield f"damaged_{seed}", hostile_graphs.damaged(r.choice(seeds), r), r.random() < 0.25


class Fixed:
    """Stands for random: its choices are given."""

    def __init__(self, *choices):
        self.choices = list(choices)

    def choice(self, values):
        return self.choices.pop(0) if self.choices else values[0]

    def sample(self, values, count: int):
        return values[:count]

    def random(self) -> float:
        return 1.0


def print_table(octet: pathlib.Path) -> None:
    sizes = (1000, 2000, 5000, 10000, 20000)
    print(f"{'processor seconds by nodes':<28}", *(f"{n:>9}" for n in sizes))
    for name, kind, nodes_a_step in TABLE:
        row = []
        for n in sizes:
            r = Fixed(kind, [kind]) if name == "chain" else Fixed(kind)
            model = hostile_graphs.SHAPES[name](hostile_graphs.Builder(), n // nodes_a_step, r).SerializeToString()
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            status, _, _ = end_of(octet, model, False)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            row.append(f"{spent:6.2f} ({status})")
        print(f"{name + ', ' + kind:<28}", *(f"{text:>9}" for text in row), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=int, default=36)
    parser.add_argument("--nodes", type=int, default=300)
    parser.add_argument("--damaged", type=int, default=60)
    parser.add_argument("--files", type=pathlib.Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=pathlib.Path, help="files that end otherwise are kept there")
    parser.add_argument("--table", action="store_true")
    options = arguments(parser)
    octet = options.build.resolve() / "bin/octet"
    if options.table:
        print_table(octet)
        return 0
    report = Report("models_hostile", options.report)
    ends = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        def one(case):
            return case, end_of(octet, case[1], case[2])
        waiting = cases(options)
        while batch := [case for _, case in zip(range(64), waiting)]:
            for (name, data, mixed), (status, seconds, line) in pool.map(one, batch):
                ends[status] = ends.get(status, 0) + 1
                if status in (0, 1, 2) and options.damaged > 1000 and not name.startswith("graph"):
                    continue  # one line a case is too much
                with report.case(name):
                    if status not in (0, 1, 2):
                        if options.keep:
                            options.keep.mkdir(parents=True, exist_ok=True)
                            (options.keep / f"{name}{'_mixed' if mixed else ''}.onnx").write_bytes(data)
                        raise AssertionError(f"status {status} after {seconds:.1f} s{' (--mixed)' if mixed else ''}: {line}")
    print("ends:", ", ".join(f"status {status}: {count}" for status, count in sorted(ends.items(), key=str)))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
