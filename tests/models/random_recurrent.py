#!/usr/bin/env python3
"""Random networks of RNN, GRU and LSTM through both plans, beside ONNX Runtime without optimisation.

The tests run the seeds of random_recurrent.npz, which has ONNX Runtime's outputs. By hand, seeds N to N + count - 1, with node and a
folder in which `npm install onnxruntime-node` was run:

    random_recurrent.py --ort FOLDER [--first N] [--count N] [--keep FOLDER]

With --write they become the new random_recurrent.npz. Each network has
one to three recurrent nodes with random attributes, activations, directions, lengths, states and results. Bars: 45 dB about the
mean in FP16, 25 in INT8. Where ONNX Runtime's own numbers, rounded to FP16, have fewer than 48, it is 3 dB less than those: the sums
inside may lose as much as the result does. ONNX Runtime has no layout 1: it gets the same network with Transposes. An output
that is constant over all samples is not compared. Two kinds of networks have no bars, because one rounding moves a result by any
amount: those with ThresholdedRelu, which jumps, and those with an RNN under a function without bounds whose matrix R multiplies
what it is given by more than 100 over the steps.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper, numpy_helper

from model_tests import Build, Report, arguments, run
from newer_operators import MOST, compare, decibels

HERE = pathlib.Path(__file__).resolve().parent
STORED = pathlib.Path(__file__).with_suffix(".npz")
SAMPLES = 16
BARS = {"int8": 25.0, "fp16": 45.0}
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
# Names, and whether the lists of parameters have a number for them.
FUNCTIONS = {"Affine": (True, True), "Elu": (True, False), "HardSigmoid": (True, True), "LeakyRelu": (True, False),
             "Relu": (False, False), "ScaledTanh": (True, True), "Sigmoid": (False, False), "Softplus": (False, False),
             "Softsign": (False, False), "Tanh": (False, False), "ThresholdedRelu": (True, False)}
BOUNDED = ("Sigmoid", "HardSigmoid", "Tanh", "Softsign", "Sigmoid", "Tanh", "Sigmoid", "Tanh")


class Pair:
    """Two graphs of one network: ours, and one that ONNX Runtime takes. Values have the same names in both."""

    def __init__(self, seed: int):
        self.random = np.random.default_rng(seed)
        self.ours, self.theirs, self.constants, self.inputs, self.outputs = [], [], [], {}, []
        self.count, self.jumps = 0, False
        self.build()

    def fresh(self, base: str) -> str:
        self.count += 1
        return f"{base}{self.count}"

    def chance(self, percent: int) -> bool:
        return self.random.integers(100) < percent

    def const(self, array) -> str:
        self.constants.append(numpy_helper.from_array(array, self.fresh("c")))
        return self.constants[-1].name

    def both(self, op: str, inputs: list, **attributes) -> str:
        out = self.fresh("t")
        for nodes in (self.ours, self.theirs):
            nodes.append(helper.make_node(op, inputs, [out], name=out, **attributes))
        return out

    def input(self, *shape) -> str:
        """A live input, as a tensor of this shape."""
        name = self.fresh("x")
        self.inputs[name] = self.random.normal(0, 1, (SAMPLES, int(np.prod(shape)))).clip(-2.5, 2.5).astype(np.float32)
        return self.both("Reshape", [name, self.const(np.array(shape, np.int64))])

    def output(self, value: str) -> None:
        out = self.both("Reshape", [value, self.const(np.array([1, -1], np.int64))])
        self.outputs.append(out)

    def state(self, shape: tuple) -> str:
        if self.chance(50):
            return self.both("Tanh", [self.input(*shape)])
        return self.const(self.random.uniform(-1, 1, shape).astype(np.float32))

    def functions(self, op: str, directions: int) -> dict:
        if self.chance(50):
            return {}
        names, alphas, betas = [], [], []
        for _ in range(directions):
            names.append(str(self.random.choice(BOUNDED if op == "RNN" and self.chance(70) else
                                                ("Sigmoid", "HardSigmoid") if op != "RNN" else list(FUNCTIONS))))
            if op != "RNN":
                names.append(str(self.random.choice(BOUNDED if self.chance(70) else list(FUNCTIONS))))
            if op == "LSTM":
                names.append(str(self.random.choice(BOUNDED if self.chance(70) else list(FUNCTIONS))))
        self.jumps |= "ThresholdedRelu" in names
        for name in names:
            has_alpha, has_beta = FUNCTIONS[name]
            if has_alpha:
                alphas.append(float(np.float32(self.random.uniform(0.1, 0.9))))
            if has_beta:
                betas.append(float(np.float32(self.random.uniform(0.1, 0.9))))
        attributes = {"activations": names}
        if alphas:
            attributes["activation_alpha"] = alphas
        if betas:
            attributes["activation_beta"] = betas
        return attributes

    def recurrent(self, x: str, steps: int, batch: int, size: int) -> tuple:
        """(name, size) of Y as [steps, batch, size]."""
        op = str(self.random.choice(list(GATES)))
        direction = str(self.random.choice(["forward", "reverse", "bidirectional"]))
        d, hidden = 2 if direction == "bidirectional" else 1, int(self.random.integers(1, 40))
        rows = GATES[op] * hidden

        def weights(*shape):
            return self.const(self.random.normal(0, shape[-1] ** -0.5, shape).astype(np.float32))

        attributes = {"hidden_size": hidden, "direction": direction, **self.functions(op, d)}
        if self.chance(25):
            attributes["clip"] = float(np.float32(self.random.uniform(0.5, 3)))
        if op == "GRU" and self.chance(60):
            attributes["linear_before_reset"] = 1
        if op == "LSTM" and self.chance(20):
            attributes["input_forget"] = 1
        layout = int(self.chance(25))
        bias = self.const(self.random.normal(0, 0.3, (d, 2 * rows)).astype(np.float32)) if self.chance(70) else ""
        lengths = self.const(self.random.integers(1, steps + 1, batch).astype(np.int32)) if self.chance(30) else ""
        shape = (d, batch, hidden)
        states = [self.state(shape) if self.chance(50) else ""]
        if op == "LSTM":
            states.append(self.state(shape) if self.chance(50) else "")
        matrices = [weights(d, rows, size), weights(d, rows, hidden)]
        if op == "RNN" and not set(attributes.get("activations", ())) <= set(BOUNDED):
            r = numpy_helper.to_array(self.constants[-1])
            self.jumps |= any(np.abs(np.linalg.eigvals(matrix)).max() ** steps > 100 for matrix in r)
        peepholes = [weights(d, 3 * hidden)] if op == "LSTM" and self.chance(40) else []
        count = 3 if op == "LSTM" else 2
        wanted = [True] + [self.chance(50) for _ in range(count - 1)]
        results = [self.fresh("y") if use else "" for use in wanted]
        inputs = [*matrices, bias, lengths]
        self.theirs.append(helper.make_node(op, [x, *inputs, *states, *peepholes], results, name=results[0], **attributes))
        if layout:
            def turn(value, perm):
                out = self.fresh("n")
                self.ours.append(helper.make_node("Transpose", [value], [out], name=out, perm=perm))
                return out
            turned = [turn(s, [1, 0, 2]) if s else "" for s in states]
            inside = [f"{r}_first" if r else "" for r in results]
            self.ours.append(helper.make_node(op, [turn(x, [1, 0, 2]), *inputs, *turned, *peepholes], inside,
                                              name=results[0], layout=1, **attributes))
            for k, (source, target) in enumerate(zip(inside, results)):
                if source:
                    perm = [1, 2, 0, 3] if k == 0 else [1, 0, 2]
                    self.ours.append(helper.make_node("Transpose", [source], [target], name=f"{target}_turn", perm=perm))
        else:
            self.ours.append(helper.make_node(op, [x, *inputs, *states, *peepholes], results, name=results[0], **attributes))
        for result in results[1:]:
            if result:
                self.output(result)
        y = self.both("Transpose", [results[0]], perm=[0, 2, 1, 3])
        return self.both("Reshape", [y, self.const(np.array([steps, batch, d * hidden], np.int64))]), d * hidden

    def build(self) -> None:
        steps, batch = int(self.random.integers(1, 13)), 1 if self.chance(60) else int(self.random.integers(2, 4))
        size = int(self.random.integers(1, 33))
        x = self.input(steps, batch, size)
        if self.chance(50):
            size, before = int(self.random.integers(1, 33)), size
            x = self.both("MatMul", [x, self.const(self.random.normal(0, before ** -0.5, (before, size)).astype(np.float32))])
        for _ in range(int(self.random.integers(1, 4))):
            x, size = self.recurrent(x, steps, batch, size)
        self.output(x)

    def model(self, nodes: list):
        graph = helper.make_graph(
            nodes, "recurrent", [helper.make_tensor_value_info(n, T.FLOAT, [1, a.shape[1]]) for n, a in self.inputs.items()],
            [helper.make_tensor_value_info(n, T.FLOAT, None) for n in self.outputs], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def reference(ort: str, pairs: dict, work: pathlib.Path) -> dict:
    """By seed: outputs of ONNX Runtime, or its error."""
    jobs = []
    for seed, pair in pairs.items():
        onnx.save(pair.model(pair.theirs), str(work / f"{seed}.theirs.onnx"))
        inputs = []
        for name, array in pair.inputs.items():
            array.tofile(work / f"{seed}.{name}")
            inputs.append({"name": name, "shape": [1, array.shape[1]], "type": "float32", "file": str(work / f"{seed}.{name}")})
        jobs.append({"model": str(work / f"{seed}.theirs.onnx"), "samples": SAMPLES, "inputs": inputs, "result": str(work / f"{seed}.out")})
    (work / "request.json").write_text(json.dumps({"ort": ort, "jobs": jobs}))
    answers = {}
    for line in run(["node", HERE / "ort_reference.cjs", work / "request.json"]).splitlines():
        answer = json.loads(line)
        seed = int(pathlib.Path(answer["model"]).name.split(".")[0])
        answers[seed] = answer.get("error") or [np.fromfile(work / f"{seed}.out.{i}", np.float32).reshape(SAMPLES, -1)
                                                for i in range(len(answer["outputs"]))]
    return answers


def stored() -> dict:
    """As reference(), of the seeds in the file."""
    answers = collections.defaultdict(list)
    with np.load(STORED) as file:
        for key in file.files:  # in the order of the outputs
            answers[int(key.split(".")[0])].append(file[key])
    return dict(answers)


def check(programs: Build, work: pathlib.Path, seed: int, pair: Pair, wanted: list, sums: collections.Counter) -> None:
    model, blob = work / f"{seed}.onnx", work / f"{seed}.octet"
    onnx.save(pair.model(pair.ours), str(model))
    files = [work / f"{seed}.{name}.npy" for name in pair.inputs]
    for file, array in zip(files, pair.inputs.values()):
        np.save(file, array)
    run([programs.octet, "convert", model, "-o", blob, "--calibrate", ",".join(map(str, files)), "--effort", "fast", "--keep-failing"])
    faults = []
    for plan, bar in BARS.items():
        out = work / f"{seed}.{plan}.npy"
        run([programs.octet_run, blob, "--input", *files, "--output", out, "--plan", plan])
        for i, truth in enumerate(wanted):
            got = np.load(out if len(wanted) == 1 else out.with_suffix(f".{i}.npy")).reshape(truth.shape)
            if np.ptp(truth) == 0:
                continue
            figure = compare(plan, truth, got)
            sums[f"{plan} without bars" if pair.jumps else plan] += 1
            held = truth[np.abs(truth) <= MOST]
            bar = min(bar, decibels(held, held.astype(np.float16)) - 3)
            if not figure >= bar and not pair.jumps:
                faults.append(f"{plan}, output {i}: {figure:.1f} dB, {bar:.1f} are asked for")
    assert not faults, "; ".join(faults)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--ort", type=pathlib.Path, help="folder of onnxruntime-node; none: the stored outputs")
    parser.add_argument("--keep", type=pathlib.Path, help="models are kept there")
    parser.add_argument("--write", action="store_true", help="store the outputs of ONNX Runtime")
    options = arguments(parser)
    report, programs, sums = Report("RandomRecurrent", options.report), Build(options.build.resolve()), collections.Counter()
    with tempfile.TemporaryDirectory() as scratch:
        work = options.keep or pathlib.Path(scratch)
        work.mkdir(parents=True, exist_ok=True)
        answers = {} if options.ort else stored()
        seeds = range(options.first, options.first + options.count) if options.ort else sorted(answers)
        pairs = {seed: Pair(seed) for seed in seeds}
        if options.ort:
            answers = reference(str(options.ort.resolve()), pairs, work)
        if options.write:
            np.savez_compressed(STORED, **{f"{seed}.{i}": array for seed in seeds for i, array in enumerate(answers[seed])})
        for seed, pair in pairs.items():
            with report.case(f"seed_{seed}"):
                assert not isinstance(answers[seed], str), f"ONNX Runtime refuses: {answers[seed]}"
                check(programs, work, seed, pair, answers[seed], sums)
    print(f"compared: {dict(sums)}")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
