#!/usr/bin/env python3
"""The demo's table: one row a plan and ISA word, from what octet verify and octet-run reported."""
import argparse
import hashlib
import json
import pathlib

import numpy as np


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="holds labels.npy, verify.json, <plan>-<isa>.json and .npy")
    folder = parser.parse_args().folder
    labels = np.load(folder / "labels.npy")
    verify = json.loads((folder / "verify.json").read_text())
    row = "{:<6} {:<12} {:>10} {:>12} {:>12} {:>12}  {}"
    print(row.format("plan", "isa", "accuracy", "ms a frame", "blob bytes", "arena bytes", "sha-256 of the outputs"))
    print(row.format("fp32", "executor", f"{verify['fp32_top1']:.2f} %", "-", "-", "-", "-"))
    for report in sorted(folder.glob("*-*.json")):
        figures = json.loads(report.read_text())
        outputs = np.load(report.with_suffix(".npy"))
        accuracy = 100 * np.mean(outputs.argmax(1) == labels)
        digest = hashlib.sha256(outputs.tobytes()).hexdigest()[:16]
        print(row.format(figures["plan"], figures["isa"], f"{accuracy:.2f} %", f"{figures['median_ms']:.4f}",
                         figures["blob_bytes"], figures["arena_bytes"], digest))


if __name__ == "__main__":
    main()
