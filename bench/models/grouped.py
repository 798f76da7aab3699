#!/usr/bin/env python3
"""Grouped 3x3 convolutions beside the dense layer of the same channels, one thread, every level of this CPU, both plans.

GMAC/s count useful products, not the zeros of groups that were merged. `share` is that of the dense layer's; wanted are
40 % from 16 channels a group on and 15 % at 4 (a `*` marks less). Exit status 1: a grouped layer takes over twice the
time of the dense one, which does at least four times its work.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHANNELS, SIZE, ROUNDS = 128, 28, 7
GROUPS = (1, 4, 8, 16, 32)


def save_model(path: pathlib.Path, groups: int, random: np.random.Generator) -> None:
    depth = CHANNELS // groups
    weights = random.normal(size=(CHANNELS, depth, 3, 3)).astype(np.float32) / np.sqrt(9 * depth).astype(np.float32)
    shape = [1, CHANNELS, SIZE, SIZE]
    graph = helper.make_graph(
        [helper.make_node("Conv", ["x", "w"], ["y"], group=groups, pads=[1, 1, 1, 1])], "grouped",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)], [numpy_helper.from_array(weights, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)


def run(*command) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"grouped.py: {done.stderr.strip()}")
    return done.stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "native", help="build folder")
    options = parser.parse_args()
    octet, octet_run = options.build / "bin" / "octet", options.build / "bin" / "octet-run"
    levels = [word for word in run(octet_run, "--isa", "list").split() if word != "reference"]
    cliffs = 0
    with tempfile.TemporaryDirectory() as folder:
        work, random = pathlib.Path(folder), np.random.default_rng(1)
        data = work / "x.npy"
        np.save(data, random.normal(size=(4, CHANNELS, SIZE, SIZE)).astype(np.float32))
        for groups in GROUPS:
            save_model(work / f"{groups}.onnx", groups, random)
            run(octet, "convert", work / f"{groups}.onnx", "-o", work / f"{groups}.octet", "--calibrate", data, "--scale", "1")
        print("plan  level       channels a group      us   GMAC/s   share")
        for plan in ("int8", "fp16"):
            for level in levels:
                times = {groups: [] for groups in GROUPS}
                for _ in range(ROUNDS):
                    for groups in GROUPS:
                        report = run(octet_run, work / f"{groups}.octet", "--input", data, "--plan", plan, "--isa", level,
                                     "--repeat", "10", "--json")
                        times[groups].append(json.loads(report)["median_ms"] * 1e3)
                dense = statistics.median(times[1])
                for groups in GROUPS:
                    us = statistics.median(times[groups])
                    share = dense / us / groups
                    depth = CHANNELS // groups
                    wanted = 0.40 if depth >= 16 else 0.15
                    rate = SIZE * SIZE * CHANNELS * depth * 9 / us / 1e3
                    cliff = us > 2 * dense
                    cliffs += cliff
                    print(f"{plan}  {level:10}  {depth:16} {us:7.1f} {rate:8.1f} {100 * share:6.1f} %"
                          f"{' *' if share < wanted else ''}{' CLIFF' if cliff else ''}")
    return 1 if cliffs else 0


if __name__ == "__main__":
    sys.exit(main())
