#!/usr/bin/env python3
"""A classifier under the guard: guard_classifier.py --build build/native --data build/demo

The demo's classifier, calibrated with training pictures at half of their light, sees its test pictures: dim, then as they
are, then dim again, 20 of each in disorder. Prints top-1 of the INT8 plan, the FP16 plan and the guarded stream, for each
third and in all, and when the plan changed. --data: where demo/pictures.py wrote calib.npy, test.npy, labels.npy.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy as np


def run(options, blob: pathlib.Path, frames: np.ndarray, arguments):
    command = [str(options.build / "bin/octet-camera"), str(blob), "--source", "-", "--format", "grey8",
               "--size", f"{frames.shape[2]}x{frames.shape[1]}", "--every-frame", "--json", *arguments]
    done = subprocess.run(command, input=frames.tobytes(), capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()][:-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/native"))
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("build/demo"))
    parser.add_argument("--model", type=pathlib.Path, default=pathlib.Path("demo/fashion_mnist.onnx"))
    parser.add_argument("--light", type=float, default=0.3, help="of calibration, against that of the bright third")
    parser.add_argument("--board", default="boards/x86-host.yaml")
    parser.add_argument("--settings", default="dwell_s=1,dwell_max_s=8")
    options = parser.parse_args()
    pictures, labels = np.load(options.data / "test.npy"), np.load(options.data / "labels.npy")
    pictures = pictures.reshape(len(pictures), *pictures.shape[1:3])
    third = len(pictures) // 3
    dim = lambda a: (a * options.light).astype(np.uint8)
    frames = np.concatenate([dim(pictures[:third]), pictures[third:2 * third], dim(pictures[2 * third:3 * third])])
    with tempfile.TemporaryDirectory() as folder:
        calib = pathlib.Path(folder) / "dim.npy"
        np.save(calib, dim(np.load(options.data / "calib.npy")))
        blob = pathlib.Path(folder) / "dim.octet"
        subprocess.run([str(options.build / "bin/octet"), "convert", str(options.model), "-o", str(blob), "--calibrate", str(calib),
                        "--mean", "0.2860", "--std", "0.3530", "--task", "classify", "--board", options.board],
                       check=True, capture_output=True)
        rows = {plan: run(options, blob, frames, ["--plan", plan]) for plan in ("int8", "fp16")}
        rows["guard"] = run(options, blob, frames, ["--guard-set", options.settings])
    print(f"{'top-1, per cent':<16}{'dim':>8}{'bright':>8}{'dim':>8}{'all':>8}{'changes':>9}")
    for name, lines in rows.items():
        right = np.array([bool(line["classes"]) and line["classes"][0]["class"] == label for line, label in zip(lines, labels)])
        parts = [right[i:i + third].mean() for i in (0, third, 2 * third)]
        changes = sum(a["plan"] != b["plan"] for a, b in zip(lines, lines[1:]))
        print(f"{name:<16}" + "".join(f"{100 * part:8.2f}" for part in parts) + f"{100 * right.mean():8.2f}{changes:9}")
    lines = rows["guard"]
    for a, b in zip(lines, lines[1:]):
        if a["plan"] != b["plan"]:
            print(f"frame {b['frame']}: {a['plan']} -> {b['plan']} ({b['reason']})")


if __name__ == "__main__":
    main()
