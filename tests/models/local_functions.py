#!/usr/bin/env python3
"""Random models with local functions give the bits of the same graphs written flat, in both plans (function_models.py).

local_functions.py [--first N] [--count N] [--keep FOLDER]: seeds N to N + count - 1. By hand with --count 500.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx

import function_models
from model_tests import Report, arguments

OPTIONS = ["--random-calibration", "--samples", "4", "--effort", "fast", "--threads", "1", "--scale", "1", "--task", "none"]


def outputs(build: pathlib.Path, model: onnx.ModelProto, folder: pathlib.Path, name: str) -> list:
    """Bytes of the output of each plan; the last line where the model is refused."""
    path, blob = folder / f"{name}.onnx", folder / f"{name}.octet"
    onnx.save(model, str(path))
    done = subprocess.run([build / "bin/octet", "convert", path, "-o", blob, *OPTIONS], capture_output=True, text=True)
    assert done.returncode == 0, f"{name}: status {done.returncode}: {done.stderr.strip()[-300:]}"
    made = []
    for plan in ("int8", "fp16"):
        out = folder / f"{name}.{plan}.npy"
        subprocess.run([build / "bin/octet-run", blob, "--input", folder / "x.npy", "--output", out, "--plan", plan], check=True,
                       capture_output=True)
        made.append(np.load(out).tobytes())
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--keep", type=pathlib.Path, help="models of cases that fail are kept there")
    options = arguments(parser)
    build = options.build.resolve()
    report = Report("models_local_functions", options.report)
    for seed in range(options.first, options.first + options.count):
        with report.case(f"seed_{seed}"), tempfile.TemporaryDirectory() as work:
            folder = pathlib.Path(work)
            calls, flat = function_models.pair(seed)
            np.save(folder / "x.npy",
                    np.random.default_rng(seed).standard_normal((2, *function_models.SHAPE[1:])).astype(np.float32))
            try:
                assert outputs(build, calls, folder, "calls") == outputs(build, flat, folder, "flat"), "other bits"
            except AssertionError:
                if options.keep:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    onnx.save(calls, str(options.keep / f"{seed}_calls.onnx"))
                    onnx.save(flat, str(options.keep / f"{seed}_flat.onnx"))
                raise
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
