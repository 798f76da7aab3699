#!/usr/bin/env python3
"""Random models through `octet convert --effort fast` and both plans, beside ONNX Runtime without optimisation.

random_qdq.py [--kind qdq|float|all] [--first N] [--count N] [--seeds N,N,...] [--ort FOLDER] [--build FOLDER] [--table FILE]
              [--keep FOLDER]

Run by hand; it needs NumPy, onnx, node, and a folder in which `npm install onnxruntime-node` was run (--ort, or OCTET_ORT).
Seeds N to N + count - 1 of `octet-oracle --random` (Q/DQ graphs in the styles of five exporters) and of `random_networks`
(float graphs, a third of the seeds of each of its three ranges). One line for each finding, then the sums. Bars:

  Q/DQ INT8   99.5 % of the elements within one step of the output's scale, none beyond three; an output that is not
              quantized: 25 dB about the mean
  Q/DQ FP16   45 dB about the mean against the same graph with each Q-DQ pair replaced by a Clip to its range
  float INT8  25 dB about the mean
  float FP16  45 dB about the mean
  refusals    each with its line

ONNX Runtime also runs each float graph on inputs that are moved by one bit of float32. Where its own results then differ by
more than the bar, the output's variation is rounding noise of float32 (the mean of a Softmax over its axis, x - x): no plan
can be compared with it. Such an output is "not told by float32": it is printed with both figures and counted apart.

Of each Q/DQ graph it also runs two copies in which what each QuantizeLinear reads is 2^-21 of itself larger or smaller, four
bits of float32. Where an output of one of them is beyond the bar of INT8 beside the graph itself, ties of rounding decide its
codes. An output of ours with at most twice as many elements beyond one step (and 0.5 %) is "not told by float32" as well.

Each finding of a float graph also says what the verdict of `convert --json` says of that output. It says so where its figure
is below the bar, or within 0.5 dB of what is measured here.

A float graph that rounds (Floor, comparisons: "jumps" in its line) has no bars, since one rounding moves a result by
any amount; it is run all the same. A model that ONNX Runtime refuses is counted apart.

QLinear operators are given to ONNX Runtime as they are, in every case. Its kernels for x86 processors without VNNI saturate sums
of two products at 16 bits: the generator keeps their weights within 7 bits there, and takes 8 where the processor has VNNI. A
line says which was done.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = 4
FLOAT_RANGES = (1, (1 << 32) + 1, (1 << 33) + 1)  # tests/converter/lower/random_graph.h
# Where a QLinear operator has codes (each with scale and zero point behind it) and the scale of its result.
LINEAR = {"QLinearConv": ("Conv", (0, 3), 6), "QLinearMatMul": ("MatMul", (0, 3), 6), "QLinearAdd": ("Add", (0, 3), 6),
          "QLinearMul": ("Mul", (0, 3), 6), "QLinearSigmoid": ("Sigmoid", (0,), 3),
          "QLinearLeakyRelu": ("LeakyRelu", (0,), 3), "QLinearAveragePool": ("AveragePool", (0,), 3),
          "QLinearGlobalAveragePool": ("GlobalAveragePool", (0,), 3)}
NUDGES = {"larger": 2.0 ** -21, "smaller": -(2.0 ** -21)}
LIMITS = {np.dtype(np.uint8): (0, 255), np.dtype(np.int8): (-128, 127)}


def linear_bits() -> int:
    """Bits of the weights of QLinear operators that ONNX Runtime multiplies without saturation here."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return 8
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    return 8 if "avx512_vnni" in flags or "avx_vnni" in flags else 7


def decompose(model) -> None:
    """QLinear operators as the float operator between DequantizeLinear and QuantizeLinear."""
    constants = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    nodes = []
    for k, node in enumerate(model.graph.node):
        def real(at, axis=0):
            out = f"{node.op_type}{k}_real{at}"
            nodes.append(helper.make_node("DequantizeLinear", list(node.input[at:at + 3]), [out], axis=axis))
            return out
        if node.op_type == "QLinearConcat":
            inputs, op, at = [real(i) for i in range(2, len(node.input), 3)], "Concat", 0
        elif node.op_type in LINEAR:
            op, codes, at = LINEAR[node.op_type]
            inputs = [real(i) for i in codes]
            if op == "Conv" and len(node.input) > 8:
                scale = constants[node.input[1]] * constants[node.input[4]]
                bias = (constants[node.input[8]].astype(np.float64) * scale).astype(np.float32)
                name = f"{node.op_type}{k}_bias"
                model.graph.initializer.append(numpy_helper.from_array(bias, name))
                inputs.append(name)
        else:
            nodes.append(node)
            continue
        result = f"{node.op_type}{k}_result"
        made = helper.make_node(op, inputs, [result])
        made.attribute.extend(node.attribute)
        nodes += [made, helper.make_node("QuantizeLinear", [result, *node.input[at:at + 2]], list(node.output))]
    del model.graph.node[:]
    model.graph.node.extend(nodes)


def clipped(model):
    """The same graph with each pair behind a computed value replaced by a Clip to its range; codes become real values."""
    decompose(model)
    graph = model.graph
    constants = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    scheme, fixed, nodes = {}, set(constants), []

    def constant(name, values):
        graph.initializer.append(numpy_helper.from_array(np.asarray(values, np.float32), name))
        return name

    def real_constant(name, scale, zero):
        return constant(f"{name}_real{len(nodes)}", (constants[name].astype(np.float64) - zero) * scale)

    for k, node in enumerate(graph.node):
        if all(name in fixed for name in node.input if name):
            fixed.update(node.output)  # weights: rounded as the file says
            nodes.append(node)
        elif node.op_type == "QuantizeLinear":
            scale, zero = constants[node.input[1]], constants[node.input[2]]
            low, high = LIMITS[zero.dtype]
            ends = [constant(f"clip{k}_{j}", (float(end) - float(zero)) * float(scale)) for j, end in enumerate((low, high))]
            nodes.append(helper.make_node("Clip", [node.input[0], *ends], list(node.output)))
            scheme[node.output[0]] = (float(scale), float(zero))
        elif node.op_type == "DequantizeLinear":
            nodes.append(helper.make_node("Identity", [node.input[0]], list(node.output)))
        else:
            codes = [scheme[name] for name in node.input if name in scheme]
            if codes:
                inputs = [real_constant(name, *codes[0]) if name in constants and constants[name].dtype in LIMITS else name
                          for name in node.input]
                del node.input[:]
                node.input.extend(inputs)
                for name in node.output:
                    scheme[name] = codes[0]
            nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)
    return model


def nudged(model, share: float):
    """The same graph with each computed value times 1 + share in front of its QuantizeLinear."""
    graph, nodes = model.graph, []
    fixed = {t.name for t in graph.initializer}
    graph.initializer.append(numpy_helper.from_array(np.float32(1 + share), "nudge"))
    for k, node in enumerate(graph.node):
        if all(name in fixed for name in node.input if name):
            fixed.update(node.output)
        elif node.op_type == "QuantizeLinear":
            nodes.append(helper.make_node("Mul", [node.input[0], "nudge"], [f"nudged{k}"]))
            node.input[0] = f"nudged{k}"
        nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)
    return model


def steps_apart(got: np.ndarray, wanted: np.ndarray, step: float) -> tuple:
    """The share of elements within one step, the largest error in steps, and whether both are within the bar."""
    error = np.abs(got - wanted) / step
    near, worst = float((error <= 1.01).mean()), float(error.max(initial=0))
    few = error.size * 0.005 < 1 and int((error > 1.01).sum()) <= 1  # one element of a small output
    return near, worst, bool(np.isfinite(got).all()) and (near >= 0.995 or few) and worst <= 3.01


def output_steps(model) -> list:
    """The scale of each output that a DequantizeLinear makes, else None."""
    constants = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    maker = {name: node for node in model.graph.node for name in node.output}
    steps = []
    for value in model.graph.output:
        node = maker.get(value.name)
        quantized = node is not None and node.op_type == "DequantizeLinear"
        steps.append(float(constants[node.input[1]]) if quantized else None)
    return steps


def decibels(got: np.ndarray, wanted: np.ndarray) -> float:
    if got.size != wanted.size or not np.isfinite(got).all():
        return -99.0
    noise = float(((got - wanted) ** 2).sum())
    signal = float(((wanted - wanted.mean()) ** 2).sum())
    if signal <= 1e-12 * wanted.size * max(1.0, float(np.abs(wanted).max()) ** 2):
        # Nothing about the mean to speak of: a constant has to come out as one.
        signal = float((wanted ** 2).sum()) or 1e-12
    return min(200.0, 10 * np.log10(max(signal, 1e-300) / max(noise, 1e-300)))


class Case:
    def __init__(self, kind: str, seed: int, path: pathlib.Path, text: str):
        self.kind, self.seed, self.path, self.text = kind, seed, path, text
        self.folder = path.with_suffix("")
        self.folder.mkdir(exist_ok=True)
        self.findings = []  # what and text
        self.not_told = []
        self.verdict = {}  # of a plan: the decibels of each output, in order
        self.spoken = collections.Counter()  # (plan, whether the verdict says so): findings
        self.apart = np.zeros(3, int)  # elements of Q/DQ int8 outputs, of them beyond one step, beyond three
        model = onnx.load(str(path))
        random = np.random.Generator(np.random.PCG64(seed))
        reach = 3.0 if kind == "qdq" else 1.0
        self.inputs = []
        for i, value in enumerate(model.graph.input):
            shape = [d.dim_value for d in value.type.tensor_type.shape.dim]
            data = random.uniform(-reach, reach, [SAMPLES, *shape[1:]]).astype(np.float32)
            np.save(self.folder / f"x{i}.npy", data)
            data.tofile(self.folder / f"x{i}.bin")
            up = random.random(data.shape) < 0.5
            np.where(up, np.nextafter(data, np.float32(9)), np.nextafter(data, np.float32(-9))).tofile(self.folder / f"m{i}.bin")
            self.inputs.append({"name": value.name, "shape": shape, "type": "float32", "file": str(self.folder / f"x{i}.bin"),
                                "moved": str(self.folder / f"m{i}.bin")})
        self.names = [value.name for value in model.graph.output]
        self.steps = output_steps(model) if kind == "qdq" else [None] * len(model.graph.output)
        if kind == "qdq":
            onnx.save(clipped(model), str(self.folder / "clipped.onnx"))
            for name, share in NUDGES.items():
                onnx.save(nudged(onnx.load(str(path)), share), str(self.folder / f"{name}.onnx"))

    def jobs(self) -> list:
        others = [("moved", self.path, "moved")]
        if self.kind == "qdq":
            others = [(name, self.folder / f"{name}.onnx", "file") for name in ("clipped", *NUDGES)]
        return [{"model": str(model), "samples": SAMPLES, "result": str(self.folder / name),
                 "inputs": [dict(tensor, file=tensor[file]) for tensor in self.inputs]}
                for name, model, file in (("ort", self.path, "file"), *others)]

    def stored(self, name: str, i: int) -> np.ndarray:
        return np.fromfile(self.folder / f"{name}.{i}", np.float32).astype(np.float64)

    def read_verdict(self, verdict: dict) -> None:
        for plan in verdict["plans"]:
            fails = {output["output"]: -99.0 for output in plan["outputs"] if "fault" in output}
            found = {output["output"]: output["snr_db"] for output in plan["outputs"]}
            self.verdict[plan["plan"]] = [{**found, **fails}.get(name) for name in self.names]

    def find(self, what: str, text: str) -> None:
        self.findings.append((what, text))


def run_case(case: Case, build: pathlib.Path) -> Case:
    def call(*command):
        return subprocess.run([str(part) for part in command], capture_output=True, text=True, errors="replace")
    files = ",".join(str(case.folder / f"x{i}.npy") for i in range(len(case.inputs)))
    blob = case.folder / "m.octet"
    done = call(build / "bin/octet", "convert", case.path, "-o", blob, "--calibrate", files, "--effort", "fast", "--json",
                "--threads", "1")
    if done.returncode != 0:
        line = (done.stderr.strip().splitlines() or [f"signal {-done.returncode}"])[-1]
        case.find("refused" if done.returncode == 2 else f"status {done.returncode}", line.replace(str(case.path), "model"))
        return case
    case.read_verdict(json.loads(done.stdout)["verdict"])
    for plan in ("int8", "fp16"):
        done = call(build / "bin/octet-run", blob, "--plan", plan, "--output", case.folder / f"{plan}.npy", "--input", files)
        if done.returncode != 0:
            case.find(f"octet-run {done.returncode}", (done.stderr.strip().splitlines() or [""])[-1])
            continue
        for i, step in enumerate(case.steps):
            got = np.load(case.folder / (f"{plan}.npy" if len(case.steps) == 1 else f"{plan}.{i}.npy")).astype(float).ravel()
            wanted = case.stored("clipped" if case.kind == "qdq" and plan == "fp16" else "ort", i)
            judge(case, plan, i, got, wanted, step)
    return case


def judge(case: Case, plan: str, i: int, got: np.ndarray, wanted: np.ndarray, step) -> None:
    name = f"{case.kind} {plan}"
    if got.size != wanted.size:
        return case.find(name, f"output {i}: {got.size} values, {wanted.size} wanted")
    db = decibels(got, wanted)
    if plan == "int8" and step:
        near, worst, fine = steps_apart(got, wanted, step)
        case.apart += [got.size, *(int((np.abs(got - wanted) > most * step).sum()) for most in (1.01, 3.01))]
        text = f"output {i}: {100 * near:.1f} % within one step, worst {worst:.1f} steps, {db:.1f} dB"
        told = min((steps_apart(case.stored(other, i), wanted, step) for other in NUDGES), key=lambda one: (one[2], one[0]))
        if not fine and not told[2] and 1 - near <= 2 * (1 - told[0]) + 0.005:
            case.not_told.append((name, f"{text}; {100 * told[0]:.1f} % and {told[1]:.1f} steps between two runs of float32"))
        elif not fine:
            case.find(name, text)
        return None
    bar = 25 if plan == "int8" else 45
    if db >= bar or case.text.startswith("jumps"):
        return None
    if case.kind == "qdq":
        return case.find(name, f"output {i}: {db:.1f} dB")
    told = decibels(case.stored("moved", i), wanted)
    if told < bar:
        case.not_told.append((name, f"output {i}: {db:.1f} dB, {told:.1f} dB between two runs of float32"))
        return None
    said = case.verdict.get(plan, [None] * (i + 1))[i]
    case.spoken[plan, said is not None and (said < bar or said < db + 0.5)] += 1
    return case.find(name, f"output {i}: {db:.1f} dB, verdict " + ("nothing" if said is None else f"{said:.1f} dB"))


def make(kind: str, seeds: list, chosen: bool, build: pathlib.Path, folder: pathlib.Path) -> list:
    """Cases of seeds: those of the range that they begin, or, where `chosen`, these alone."""
    folder.mkdir(parents=True, exist_ok=True)
    texts, bits = {}, ["--linear-bits", str(linear_bits())]
    if chosen:
        program = ["tests/octet-oracle", "--random"] if kind == "qdq" else ["tests/random_networks", "--onnx"]
        for seed in seeds:
            line = subprocess.run([build / program[0], program[1], folder, "--first", str(seed), "--count", "1",
                                   *(bits if kind == "qdq" else [])], check=True, capture_output=True, text=True).stdout
            texts[seed] = line.split(":", 1)[-1].strip()
        return [Case(kind, seed, folder / f"{seed}.onnx", texts[seed]) for seed in seeds]
    if kind == "qdq":
        lines = subprocess.run([build / "tests/octet-oracle", "--random", folder, "--first", str(seeds[0]), "--count",
                                str(len(seeds)), *bits], check=True, capture_output=True, text=True).stdout.splitlines()
        texts = {int(line.split(":", 1)[0]): line.split(":", 1)[1].strip() for line in lines if ":" in line}
    else:
        third = -(-len(seeds) // 3)
        firsts = [first + seeds[0] - 1 for first in FLOAT_RANGES]
        counts = [third, third, len(seeds) - 2 * third]
        for first, count in zip(firsts, counts):
            if count > 0:
                lines = subprocess.run([build / "tests/random_networks", "--onnx", folder, "--first", str(first),
                                        "--count", str(count)], check=True, capture_output=True,
                                       text=True).stdout.splitlines()
                texts.update({int(line.split(":", 1)[0]): line.split(":", 1)[1].strip() for line in lines if ":" in line})
        seeds = [first + i for first, count in zip(firsts, counts) for i in range(count)]
    return [Case(kind, seed, folder / f"{seed}.onnx", texts.get(seed, "")) for seed in seeds]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=("qdq", "float", "all"), default="all")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seeds", help="these seeds alone, as the lines print them; with one --kind")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/native"))
    parser.add_argument("--ort", default=os.environ.get("OCTET_ORT", ""), help="folder of `npm install onnxruntime-node`")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the models and what they gave")
    parser.add_argument("--table", type=pathlib.Path, help="text file for the findings")
    options = parser.parse_args()
    if not options.ort:
        parser.error("--ort names no folder, nor does OCTET_ORT")
    if options.seeds and options.kind == "all":
        parser.error("--seeds belongs to one --kind")
    lines = []

    def say(line: str) -> None:
        print(line, flush=True)
        lines.append(line)

    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        work = options.keep or pathlib.Path(scratch)
        for kind in ("qdq", "float") if options.kind == "all" else (options.kind,):
            seeds = list(range(options.first, options.first + options.count))
            named = f"seeds {seeds[0]} to {seeds[-1]}"
            if options.seeds:
                seeds, named = [int(seed) for seed in options.seeds.split(",")], "chosen seeds"
            cases = make(kind, seeds, bool(options.seeds), options.build.resolve(), work / kind)
            request = work / f"{kind}.json"
            request.write_text(json.dumps({"ort": options.ort, "jobs": [job for case in cases for job in case.jobs()]}))
            done = subprocess.run(["node", HERE / "ort_reference.cjs", request], check=True, capture_output=True, text=True)
            errors = {}
            for line in done.stdout.splitlines():
                reply = json.loads(line)
                if "error" in reply:
                    errors[reply["model"]] = reply["error"]
            kept = []
            for case in cases:
                error = next((errors[job["model"]] for job in case.jobs() if job["model"] in errors), None)
                if error:
                    say(f"{kind} {case.seed}: ONNX Runtime refuses: {error[:200]}")
                else:
                    kept.append(case)
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                for case in pool.map(lambda one: run_case(one, options.build), kept):
                    for what, text in case.findings:
                        say(f"{kind} {case.seed}: {what}: {text} ({case.text})")
                    for what, text in case.not_told:
                        say(f"{kind} {case.seed}: not told by float32: {what}: {text} ({case.text})")
            counts = collections.Counter(what for case in kept for what in {w for w, _ in case.findings})
            wrong = sum(bool(case.findings) for case in kept)
            failed += wrong
            if kind == "qdq":
                say(f"qdq: QLinear operators as they are, weights of {linear_bits()} bits")
                say("qdq int8: {} elements, {} more than one step away, {} more than three".format(*sum(c.apart for c in kept)))
            say(f"{kind}: {named}: {len(kept)} models, {wrong} with a finding; "
                + (", ".join(f"{n} {what}" for what, n in sorted(counts.items())) or "none"))
            apart = collections.Counter(what for case in kept for what in {w for w, _ in case.not_told})
            say(f"{kind}: not told by float32, counted apart: "
                + (", ".join(f"{n} {what}" for what, n in sorted(apart.items())) or "none"))
            if kind == "float":
                spoken = sum((case.spoken for case in kept), collections.Counter())
                for plan in ("int8", "fp16"):
                    says, silent = spoken[plan, True], spoken[plan, False]
                    say(f"float {plan}: the verdict says so in {says} of {says + silent} outputs below the bar")
    if options.table:
        options.table.write_text("\n".join(lines) + "\n")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
