#!/usr/bin/env python3
"""What recalibration gains while light changes slowly: drift.py BLOB --build build/native --garments build/demo

BLOB: a detector of the built-in scene, calibrated in the dark (demo/darken.py), converted with --drift. The scene gets
brighter step by step, from the light of calibration to twice of it. Prints, for each tenth of the film, how far the int8
plan agrees with the FP16 plan (mean F1 of boxes at IoU 0.5, frame by frame), with its own scales and with those that
octet-camera --drift finds on the way, and the mAP of each run.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile


def overlap(a, b) -> float:
    """Of two [x0, y0, x1, y1]."""
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    common = width * height
    area = [(box[2] - box[0]) * (box[3] - box[1]) for box in (a, b)]
    return common / (area[0] + area[1] - common)


def agreement(a, b) -> float:
    """F1 of boxes of one class, best scores first."""
    if not a and not b:
        return 1.0
    free, hits = list(b), 0
    for box in a:
        alike = [other for other in free if other["class"] == box["class"]]
        match = max(alike, key=lambda other: overlap(box["box"], other["box"]), default=None)
        if match is not None and overlap(box["box"], match["box"]) >= 0.5:
            free.remove(match)
            hits += 1
    return 2 * hits / (len(a) + len(b))


def exposures(frames: int, steps: int, dark: float) -> str:
    """A tenth of the film in the dark, then brighter, the last tenth in full light."""
    begun, ended = frames // 10, frames - frames // 10
    parts = [f"exposure:{dark}@0-{begun - 1}"]
    for i in range(steps):
        first = begun + (ended - begun) * i // steps
        last = begun + (ended - begun) * (i + 1) // steps - 1
        parts.append(f"exposure:{dark + (1 - dark) * (i + 0.5) / steps:.4f}@{first}-{last}")
    return ",".join(parts)


def run(options, arguments, name: str):
    command = [str(options.build / "bin/octet-camera"), str(options.blob), "--source", "scene", "--garments", str(options.garments),
               "--frames", str(options.frames), "--fps", str(options.fps), "--every-frame", "--score", "--json", "--seed",
               str(options.seed), "--disturb", exposures(options.frames, options.steps, 0.5), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    for line in done.stderr.splitlines():
        if "drift" in line and options.verbose:
            print(f"{name}: {line}")
    return lines[:-1], lines[-1]["summary"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("blob", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/native"))
    parser.add_argument("--garments", type=pathlib.Path, default=pathlib.Path("build/demo"))
    parser.add_argument("--frames", type=int, default=3000)
    parser.add_argument("--steps", type=int, default=24, help="of the light")
    parser.add_argument("--fps", type=float, default=60)
    parser.add_argument("--every-s", type=float, default=0.1, help="a frame for recalibration, as 360 is in the field")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        drift = ["--drift", f"{folder}/record", "--drift-set", f"every_s={options.every_s}"]
        fp16, fp16_summary = run(options, ["--plan", "fp16"], "fp16")
        rows = {"int8, its own scales": run(options, ["--plan", "int8"], "int8"), "int8, recalibrated": run(options, drift, "drift")}
    tenth = max(1, len(fp16) // 10)
    print("agreement with FP16 by tenths of the film, per cent")
    for name, (lines, summary) in rows.items():
        scores = [100 * agreement(a["detections"], b["detections"]) for a, b in zip(lines, fp16)]
        parts = [sum(scores[i:i + tenth]) / tenth for i in range(0, 10 * tenth, tenth)]
        print(f"{name:<22}" + "".join(f"{part:8.2f}" for part in parts) + f"   mAP@0.5 {summary['map50']:.2f}" +
              (f"   kept {summary['drift_kept']}, dropped {summary['drift_dropped']}" if "drift_kept" in summary else ""))
    print(f"{'fp16':<22}" + " " * 80 + f"   mAP@0.5 {fp16_summary['map50']:.2f}")


if __name__ == "__main__":
    main()
