#!/usr/bin/env python3
"""Small models through both plans, against ONNX Runtime's outputs: what opsets 18 to 24 brought (newer_cases.py, newer_operators.npz),
control flow (flow_cases.py, flow_operators.npz), the front end of sound (sound_cases.py, sound_operators.npz).

An output passes with 45 dB about the mean in FP16 and 25 in INT8, for that is what the plans are made for. Where ONNX Runtime's
number is an infinity or a number that FP16 does not hold, ours has its sign and at least 1e4. Rows that ONNX Runtime gives as
NaN are not compared. Each case is converted with its own samples, at fast effort.

--write FOLDER SET makes newer_operators.npz (or that of flow or sound) anew, by the onnxruntime-node that was installed in FOLDER with npm.
"""
import argparse
import json
import pathlib
import sys
import tempfile

import numpy as np
import onnx

from model_tests import SOURCE, Build, Report, arguments, run
from newer_cases import SAMPLES, Net
import flow_cases
import newer_cases
import sound_cases

SETS = {"newer": newer_cases.CASES, "flow": flow_cases.CASES, "sound": sound_cases.CASES}
CASES = {name: build for cases in SETS.values() for name, build in cases.items()}


def stored_of(which: str) -> pathlib.Path:
    return pathlib.Path(__file__).with_name(f"{which}_operators.npz")


BARS = {"int8": 25.0, "fp16": 45.0}
# A logarithm of numbers over many orders of magnitude, of which 8 bits hold two: FP16 alone is asked for.
FP16_ONLY = ("mel_loud", "log_of_a_small_number_more")
# Columns of whole numbers, which no plan may round: start of the name to columns of the last dimension.
EXACT = {"finished_boxes": 5, "ties": slice(None)}
MOST = 60000.0  # beyond it FP16 holds the sign alone


def build(name: str) -> Net:
    net = Net(name)
    CASES[name](net)
    return net


def files_of(net: Net, folder: pathlib.Path) -> list:
    files = []
    for name, array in net.inputs.items():
        files.append(folder / f"{net.name}.{name}.npy")
        np.save(files[-1], array)
    return files


def decibels(wanted: np.ndarray, got: np.ndarray) -> float:
    """About the mean, of the numbers that FP16 holds."""
    wanted, got = wanted.astype(np.float64), got.astype(np.float64)
    error = ((wanted - got) ** 2).sum()
    return float(10 * np.log10(max(((wanted - wanted.mean()) ** 2).sum(), 1e-300) / max(error, 1e-300)))


def compare(plan: str, wanted: np.ndarray, got: np.ndarray) -> float:
    assert got.size == wanted.size, f"{plan}: {got.size} values where {wanted.size} are stored"
    wanted, got = wanted.ravel(), got.ravel()
    held = np.abs(wanted) <= MOST
    far = ~held & ~np.isnan(wanted)
    assert np.isfinite(got[held]).all(), f"{plan}: a number that is not finite"
    assert (np.sign(got[far]) == np.sign(wanted[far])).all() and (np.abs(got[far]) >= 1e4).all(), f"{plan}: an infinity is lost"
    return decibels(wanted[held], got[held])


def check(programs: Build, work: pathlib.Path, name: str, stored: list) -> None:
    net = build(name)
    model, blob = work / f"newer.{name}.onnx", work / f"newer.{name}.octet"
    onnx.save(net.model(), str(model))
    inputs = files_of(net, work)
    run([programs.octet, "convert", model, "-o", blob, "--calibrate", ",".join(map(str, inputs)), "--effort", "fast"])
    for plan, bar in BARS.items():
        out = work / f"newer.{name}.{plan}.npy"
        run([programs.octet_run, blob, "--input", *inputs, "--output", out, "--plan", plan])
        files = [out] if len(stored) == 1 else [out.with_suffix(f".{i}.npy") for i in range(len(stored))]
        for i, (file, wanted) in enumerate(zip(files, stored)):
            got = np.load(file)
            figure = compare(plan, wanted, got)
            for start, column in EXACT.items():
                if name.startswith(start):
                    rows = got.reshape(wanted.shape)[..., column]
                    assert np.array_equal(rows, wanted[..., column]), f"{plan}: {rows[rows != wanted[..., column]][0]} in place of a whole number"
            assert figure >= bar or (plan == "int8" and name in FP16_ONLY), f"{plan}, output {i}: {figure:.1f} dB, {bar:.0f} are asked for"


def write(folder: pathlib.Path, which: str) -> int:
    results, failed = {}, 0
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        jobs = []
        for case in SETS[which]:
            net = build(case)
            onnx.save(net.model(), str(work / f"{case}.onnx"))
            inputs = []
            for value, array in net.inputs.items():
                array.tofile(work / f"{case}.{value}")
                inputs.append({"name": value, "shape": [1, *array.shape[1:]], "type": "float32", "file": str(work / f"{case}.{value}")})
            jobs.append({"model": str(work / f"{case}.onnx"), "samples": SAMPLES, "inputs": inputs, "result": str(work / case)})
        request = work / "request.json"
        request.write_text(json.dumps({"ort": str(folder), "jobs": jobs}))
        text = run(["node", SOURCE / "tests/models/ort_reference.cjs", request])
        for line in text.splitlines():
            answer = json.loads(line)
            case = pathlib.Path(answer["model"]).stem
            if "error" in answer:
                print(f"{case}: {answer['error'][:300]}")
                failed += 1
                continue
            for i, output in enumerate(answer["outputs"]):
                results[f"{case}.{i}"] = np.fromfile(work / f"{case}.{i}", np.float32).reshape(SAMPLES, *output["shape"][1:])
    np.savez_compressed(stored_of(which), **results)
    print(f"{len(SETS[which]) - failed} of {len(SETS[which])} cases, {stored_of(which).stat().st_size} bytes")
    return int(failed > 0)


def main() -> int:
    if "--write" in sys.argv:
        return write(pathlib.Path(sys.argv[-2]), sys.argv[-1])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help="parts of names; none: all")
    options = arguments(parser)
    report = Report("NewerOperators", options.report)
    programs = Build(options.build)
    for which, cases in SETS.items():
        with np.load(stored_of(which)) as file:
            stored = dict(file)
        for name in cases:
            if options.cases and not any(part in name for part in options.cases):
                continue
            with report.case(name):
                outputs = [stored[f"{name}.{i}"] for i in range(len([k for k in stored if k.rsplit(".", 1)[0] == name]))]
                assert outputs, "no outputs are stored; run with --write"
                check(programs, options.work, name, outputs)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
