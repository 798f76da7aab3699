#!/usr/bin/env python3
"""Octet, ONNX Runtime and oneDNN's convolutions side by side on the benchmark networks, one thread, one core, interleaved round by round.

Both engines live in child processes that stay loaded and take turns, from float input to float output. oneDNN (where
bench-onednn was built) runs the convolutions and nothing else, in the memory layouts it likes best: a ceiling.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

from engines import ROOT, Failure, add_options, levels_of, octet, onednn, ort, ort_version, prepare

NETWORKS = "resnet18,resnet50,mobilenet_v1,mobilenet_v2,resnet8,vww,ds_cnn"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--networks", default=NETWORKS)
    parser.add_argument("--winograd", action="store_true", help="our blobs bring transformed weights as well")
    parser.add_argument("--plan", choices=("int8", "fp16"), default="int8", help="fp16: beside the network in FP32")
    parser.add_argument("--json", type=pathlib.Path, default=ROOT / "build/peers/compare.json")
    return parser.parse_args()


def compare(options, models, network, levels):
    shapes = json.loads((models / f"{network}.json").read_text())
    words = ["--network", network] + ["--winograd"] * options.winograd
    int8 = options.plan == "int8"
    theirs = models / f"{network}{'' if int8 else '.float'}.onnx"
    engines = {level: (octet(options, level, options.plan, *words), ort(options, theirs, shapes["input"], level),
                       onednn(options, network, level) if int8 else None) for level in levels}
    for _ in range(options.rounds):
        for contestants in engines.values():
            for contestant in filter(None, contestants):
                contestant.turn()
    rows = []
    for level, (ours, peer, ceiling) in engines.items():
        octet_ms = statistics.median(ours.times)
        peer_ms = statistics.median(peer.times)
        best = (min(ours.times), min(peer.times))
        rows.append({"network": network, "level": level, "macs": shapes["macs"], "octet_ms": octet_ms,
                     "ort_ms": peer_ms, "ratio": octet_ms / peer_ms, "octet_min_ms": best[0], "ort_min_ms": best[1],
                     "min_ratio": best[0] / best[1],
                     "onednn_convolutions_ms": statistics.median(ceiling.times) if ceiling else None,
                     "onednn_convolutions_min_ms": min(ceiling.times) if ceiling else None,
                     "samples": [len(ours.times), len(peer.times)]})
        for contestant in filter(None, (ours, peer, ceiling)):
            contestant.worker.close()
    return rows


def ceiling_of(row):
    """oneDNN's convolutions in a row of the table, and our whole network against them."""
    if row["onednn_convolutions_ms"] is None:
        return f"{'-':>13} {'-':>9}"
    return f"{row['onednn_convolutions_ms']:>13.3f} {row['octet_min_ms'] / row['onednn_convolutions_min_ms']:>9.2f}"


def main():
    options = parse_arguments()
    os.sched_setaffinity(0, {options.core})
    levels = levels_of(options)
    models = prepare(options)
    subprocess.run([options.bin / "bench-models", "--export-onnx", models, "--network", options.networks], check=True)
    version = ort_version(options)
    print(f"one thread on core {options.core}, {options.plan}, medians of {options.rounds} interleaved rounds, "
          f"ONNX Runtime {version}")
    print(f"{'network':<13} {'level':<10} {'octet ms':>10} {'ORT ms':>10} {'ratio':>6} {'of minima':>10} "
          f"{'oneDNN convs':>13} {'octet/it':>9}")
    rows = []
    for network in options.networks.split(","):
        for row in compare(options, models, network, levels):
            print(f"{network:<13} {row['level']:<10} {row['octet_ms']:>10.3f} {row['ort_ms']:>10.3f} "
                  f"{row['ratio']:>6.2f} {row['min_ratio']:>10.2f} {ceiling_of(row)}", flush=True)
            rows.append(row)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps({"onnxruntime": version, "rounds": options.rounds, "rows": rows}, indent=2))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"compare.py: {failure}", file=sys.stderr)
        sys.exit(2)
