#!/usr/bin/env python3
"""One model makes one blob, whatever its path, the folder it is converted in and the contents of fresh memory.

Each model of ../shared/repro/k1_convtranspose and k2_range_lost, and eight random Q/DQ models with a ConvTranspose or a learned
range, is converted twice: by another path, from another folder and with another MALLOC_PERTURB_. The two blobs have to be the same
bytes. Where ../shared/repro is not there the random models are tried alone.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from model_tests import Report, arguments

REPRO = pathlib.Path(__file__).resolve().parents[3] / "shared" / "repro"
KINDS = ("k1_convtranspose", "k2_range_lost")
RANDOM = ((3, "Brevitas"), (5, "ConvTranspose"))  # how many models, and a word of their lines
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


def random_cases(build: pathlib.Path, folder: pathlib.Path) -> list:
    """Folders of random Q/DQ models with samples, as those of ../shared/repro; the same in every run."""
    lines = subprocess.run([build / "tests/octet-oracle", "--random", folder, "--first", "1", "--count", "120"], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    cases = []
    for count, word in RANDOM:
        seeds = [line.split(":")[0] for line in lines if word in line.split(":", 1)[1]]
        seeds = [seed for seed in seeds if (folder / f"{seed}.onnx").exists()]  # not taken yet
        assert len(seeds) >= count, f"{word}: {len(seeds)} random models"
        for seed in seeds[:count]:
            case = folder / f"{word}_{seed}"
            case.mkdir()
            shutil.move(folder / f"{seed}.onnx", case / "m.onnx")
            shape = [d.dim_value for d in onnx.load(str(case / "m.onnx")).graph.input[0].type.tensor_type.shape.dim]
            data = np.random.Generator(np.random.PCG64(int(seed))).uniform(-3, 3, [2, *shape[1:]])
            np.save(case / "x0.npy", data.astype(np.float32))
            cases.append(case)
    return cases


def main() -> int:
    options = arguments(argparse.ArgumentParser(description=__doc__))
    cases = [path.parent for kind in KINDS for path in sorted((REPRO / kind).glob("*/m.onnx"))]
    if not cases:
        print("../shared/repro is not there: random models alone")
    octet = options.build.resolve() / "bin" / "octet"
    report = Report("models_same_blob", options.report)
    random_folder = tempfile.TemporaryDirectory()
    cases += random_cases(options.build.resolve(), pathlib.Path(random_folder.name))
    for case in cases:
        with report.case(f"{case.parent.name}/{case.name}"), tempfile.TemporaryDirectory() as work:
            first = blob(octet, case, pathlib.Path(work) / "a", PERTURB[0])
            second = blob(octet, case, pathlib.Path(work) / "another/folder", PERTURB[1])
            assert first == second, "two conversions give different blobs"
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
