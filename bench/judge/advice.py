#!/usr/bin/python3
"""What following the advice of `octet convert` gains: advice.py --ort FOLDER [--build FOLDER] [--count N] [NAME...]

Converts models of ../shared/zoo, lab and repro and random graphs (half of them Q/DQ, --random of them from seed --first on)
until --count have an int8 plan in doubt and an advice. Writes the printed configuration into a file and converts again with
--config. Both int8 plans are measured beside ONNX Runtime on the samples of their verdict (truth.py). The gain is that of the worst output.

--coarse converts with a configuration under which int8 does badly: one scale for all weights of a layer, ranges from minimum to
maximum, and no equalization or correction of biases, as some boards and converters have it. The advice is added to that configuration.

--uneven N comes first: N networks of 3 to 6 convolutions with seeds from --first on, in which one or two layers have channels of very
different size. The layer behind undoes it, so that all channels count alike. Such networks are in doubt with --coarse.

A model of the zoo has one or two stored inputs. Of pictures the first is varied (regressors.py): 32 copies calibrate and judge.

Models in doubt without an advice are counted: nothing that was tried gains 1 dB.

Exit status 1: a printed and a measured gain differ by more than 1 dB (figures above 50 dB count as 50), or too few models.
"""
import argparse
import dataclasses
import os
import pathlib
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import regressors
import truth

BOUND_DB = 1.0
COARSE = """weights: per_tensor
calibration: {method: min-max}
channel_scales: false
equalization: false
bias_correction: false
"""


def more_samples(case: truth.Case) -> truth.Case:
    """Copies of its first picture; the case itself where it has none."""
    data = case.inputs[0]
    if data.ndim != 4 or len(data) >= 16 or min(data.shape[1], data.shape[3]) not in (1, 3):
        return case
    planar = data.shape[1] in (1, 3)
    picture = (data[0].transpose(1, 2, 0) if planar else data[0]).astype(np.float64)
    copies = regressors.varied(picture, 32, 1, float(data.min()), float(data.max()), 0.5)
    return dataclasses.replace(case, inputs=[np.ascontiguousarray(copies.transpose(0, 3, 1, 2)) if planar else copies])


def uneven_cases(folder: pathlib.Path, first: int, count: int):
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(first, first + count):
        random = np.random.Generator(np.random.PCG64(seed))
        layers = int(random.integers(3, 7))
        channels = [3, *random.integers(8, 25, layers - 1), 4]
        uneven = set(random.choice(layers - 1, int(random.integers(1, 3)), replace=False).tolist())
        nodes, weights, value, before = [], [], "x", np.ones(3)
        for i in range(layers):
            sizes = np.exp(2.0 * random.standard_normal(channels[i + 1])) if i in uneven else np.ones(channels[i + 1])
            shape = (channels[i + 1], channels[i], 3, 3)
            numbers = random.standard_normal(shape) * np.sqrt(2 / (9 * channels[i])) * sizes[:, None, None, None] / before[None, :, None, None]
            weights.append(numpy_helper.from_array(numbers.astype(np.float32), f"w{i}"))
            nodes.append(helper.make_node("Conv", [value, f"w{i}"], [f"c{i}"], f"conv{i}", pads=[1] * 4))
            value, before = f"c{i}", sizes
            if i + 1 < layers:
                nodes.append(helper.make_node("Relu", [value], [f"r{i}"], f"relu{i}"))
                value = f"r{i}"
        graph = helper.make_graph(nodes, "uneven", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 16, 16])],
                                  [helper.make_tensor_value_info(value, TensorProto.FLOAT, [1, 4, 16, 16])], weights)
        file = folder / f"{seed}.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(file))
        yield truth.Case(f"uneven/{seed}", file, [random.uniform(-1, 1, (16, 3, 16, 16)).astype(np.float32)])


def int8_figure(rows: list):
    return next((true for plan, _, true in rows if plan == "int8"), None)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="these models alone, by a part of their names")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/native"))
    parser.add_argument("--ort", default=os.environ.get("OCTET_ORT", ""), help="folder of `npm install onnxruntime-node`")
    parser.add_argument("--count", type=int, default=10, help="models with an advice")
    parser.add_argument("--random", type=int, default=400, metavar="N", help="at most N random graphs")
    parser.add_argument("--uneven", type=int, default=0, metavar="N", help="N networks whose channels differ in size, before all others")
    parser.add_argument("--first", type=int, default=1, help="first seed of random graphs")
    parser.add_argument("--coarse", action="store_true", help="with a configuration under which int8 does badly")
    options = parser.parse_args()
    if not options.ort:
        parser.error("--ort names no folder, nor does OCTET_ORT")
    found, differ, silent = 0, 0, 0
    print(f"{'model':<34} {'layers':>6} {'before':>7} {'printed':>8} {'measured':>9}")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        measured = truth.Truth(options.build.resolve(), options.ort, folder)

        def cases():
            yield from uneven_cases(folder / "uneven", options.first, options.uneven)
            yield from truth.repro_cases()
            yield from truth.lab_cases()
            yield from map(more_samples, truth.zoo_cases(False))
            yield from truth.random_cases(options.build.resolve(), folder / "random", options.first, options.random)

        for case in cases():
            if found >= options.count:
                break
            if options.names and not any(name in case.name for name in options.names):
                continue
            base = COARSE if options.coarse else ""
            if base:
                (folder / "base.yaml").write_text(base)
                case = dataclasses.replace(case, options=(*case.options, "--config", folder / "base.yaml"))
            try:
                before = int8_figure(measured.run(case))
                verdict = measured.verdict
                if not verdict["doubtful"] or before is None:
                    continue
                advice = verdict["advice"]
                if advice is None:
                    silent += 1
                    continue
                config = folder / "advice.yaml"
                config.write_text(base + advice["config"] + "\n")
                plain = case.options[:-2] if base else case.options
                after = int8_figure(measured.run(dataclasses.replace(case, options=(*plain, "--config", config))))
            except (RuntimeError, KeyError, OSError, ValueError) as error:
                print(f"{case.name:<34} not compared: {error}", flush=True)
                continue
            found += 1
            cap = truth.CAP_DB
            printed = min(advice["after_db"], cap) - min(advice["before_db"], cap)
            gain = float("nan") if after is None else min(after, cap) - min(before, cap)
            far = not abs(printed - gain) <= BOUND_DB
            differ += far
            print(f"{case.name:<34} {advice['config'].count('precision'):6d} {before:7.1f} {printed:8.1f} {gain:9.1f}"
                  f"{' DIFFERS' if far else ''}", flush=True)
    print(f"{found} advices followed, {differ} gains differ by more than {BOUND_DB:.0f} dB; {silent} models in doubt have no advice")
    return int(differ > 0 or found < options.count)


if __name__ == "__main__":
    sys.exit(main())
