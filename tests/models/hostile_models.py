#!/usr/bin/env python3
"""Hostile ONNX files through `octet convert`: each ends with status 0, 1 or 2 within 10 s and 2 GB (hostile_graphs.py).

hostile_models.py [--graphs N] [--nodes N] [--damaged N] [--files FOLDER] [--first N] [--keep FOLDER] [--table]

--graphs   deep, wide, cyclic, shared and growing graphs, with at most --nodes nodes
--damaged  files with changed bytes and fields: of graphs as above, and of all files *.onnx of at most 64 KiB below --files
--table    times of chains, wide, shared and branching graphs of 1,000 to 20,000 nodes
By hand: --graphs 900 --nodes 20000 --damaged 20000 --files ../shared/repro --keep FOLDER
"""
import argparse
import concurrent.futures
import os
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
LARGEST_FILE = 65536
OPTIONS = ["--random-calibration", "--samples", "2", "--effort", "fast", "--threads", "1", "--scale", "1/255", "--task", "none"]
TABLE = ("chain", "joined", "shared", "ifs")


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


def end_of(octet: pathlib.Path, data: bytes, mixed: bool) -> tuple:
    """Status, seconds and last line of a conversion; a status below 0 is a signal, and None a hang."""
    with tempfile.TemporaryDirectory() as work:
        path = pathlib.Path(work) / "m.onnx"
        path.write_bytes(data)
        command = [octet, "convert", path, "-o", path.with_suffix(".octet"), *OPTIONS, *(["--mixed"] if mixed else [])]
        started = time.monotonic()
        try:
            done = subprocess.run(command, capture_output=True, timeout=SECONDS * SLOWER, preexec_fn=limit)
        except subprocess.TimeoutExpired:
            return None, time.monotonic() - started, "no end"
        line = (done.stderr.decode(errors="replace").strip().splitlines() or [""])[-1]
        return done.returncode, time.monotonic() - started, line[-200:].replace(str(path), "")


# A machine that runs several tests at a time gives each a part of itself.
SLOWER = float(os.environ.get("OCTET_SLOWER", "1"))


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


def print_table(octet: pathlib.Path) -> None:
    sizes = (1000, 2000, 5000, 10000, 20000)
    print("seconds by nodes   ", *(f"{n:>7}" for n in sizes))
    for name in TABLE:
        for mixed in (False, True):
            for seed in range(4):
                row = []
                for n in sizes:
                    b = hostile_graphs.Builder()
                    model = hostile_graphs.SHAPES[name](b, n, random.Random(seed)).SerializeToString()
                    status, seconds, _ = end_of(octet, model, mixed)
                    row.append(f"{seconds:6.2f}{'' if status is None else status:>1}")
                print(f"{name:<7}{seed:>2}{' mixed' if mixed else '      '}    ", *row, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=int, default=36)
    parser.add_argument("--nodes", type=int, default=1000)
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
