#!/usr/bin/env python3
"""One model makes one blob, whatever its path, the folder it is converted in and the contents of fresh memory.

Each model of ../shared/repro/k1_convtranspose and k2_range_lost is converted twice: by another path, from another folder and with
another MALLOC_PERTURB_. The two blobs have to be the same bytes.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from model_tests import SKIPPED, Report, arguments

REPRO = pathlib.Path(__file__).resolve().parents[3] / "shared" / "repro"
KINDS = ("k1_convtranspose", "k2_range_lost")
PERTURB = ("85", "170")  # every other bit of fresh memory, and the rest of them


def blob(octet: pathlib.Path, case: pathlib.Path, folder: pathlib.Path, perturb: str) -> bytes:
    """The blob of the case's model, copied to the folder and converted there."""
    folder.mkdir(parents=True)
    shutil.copy(case / "m.onnx", folder / "m.onnx")
    samples = []
    for sample in sorted(case.glob("x?.npy")):
        shutil.copy(sample, folder / sample.name)
        samples.append(sample.name)
    result = subprocess.run(
        [octet, "convert", "m.onnx", "-o", "m.octet", "--calibrate", ",".join(samples), "--effort", "fast"],
        cwd=folder, env={**os.environ, "MALLOC_PERTURB_": perturb}, capture_output=True, text=True)
    assert result.returncode == 0, f"status {result.returncode}: {result.stderr.strip()[-300:]}"
    return (folder / "m.octet").read_bytes()


def main() -> int:
    options = arguments(argparse.ArgumentParser(description=__doc__))
    cases = [path.parent for kind in KINDS for path in sorted((REPRO / kind).glob("*/m.onnx"))]
    if not cases:
        print("skipped: ../shared/repro is not there")
        return SKIPPED
    octet = options.build.resolve() / "bin" / "octet"
    report = Report("models_same_blob", options.report)
    for case in cases:
        with report.case(f"{case.parent.name}/{case.name}"), tempfile.TemporaryDirectory() as work:
            first = blob(octet, case, pathlib.Path(work) / "a", PERTURB[0])
            second = blob(octet, case, pathlib.Path(work) / "another/folder", PERTURB[1])
            assert first == second, "two conversions give different blobs"
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
