#!/usr/bin/python3
"""Whether the verdict of `octet convert` is true: truth.py --ort FOLDER [--build FOLDER] [--random N] [NAME...]

Converts each model with `octet convert --json --keep-failing`, runs both plans with octet-run on the samples that
verdict.sample_indices lists, and the ONNX file with ONNX Runtime (optimisation disabled) on the same. The figure of an output:

    10 log10(sum (r - m)^2 / sum (r - y)^2)     r: ONNX Runtime, y: the plan, m: the mean of r

and, from 8 samples on, the same with m each element's own mean; the lower of the two. The figure of a plan is that of its
worst output. Only outputs of kind "numbers" are compared; a plan that has others beside them is compared by its rows in
verdict.plans[].outputs. This file computes every figure anew. QLinear operators are given to ONNX Runtime as float operators
between DequantizeLinear and QuantizeLinear, because its AVX2 kernels saturate.

Models, without NAME: those of ../shared/repro, ../shared/lab and ../shared/zoo that take seconds (--all: every one), and N
random graphs (half of them Q/DQ) of seeds --first and up. What is absent is left out with a line.

Exit status 1 where a verdict and the truth differ by more than 0.5 dB, both capped at 50 dB. Too high by more than 3 dB is FALSE.
Such a row of a model with QuantizeLinear has the number of its ties: values in front of QuantizeLinear that lie within FP32's own
rounding of the middle between two codes, by ONNX Runtime. There two right FP32 sums may give two codes.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/models"))
from random_qdq import decompose  # noqa: E402
SHARED = SOURCE.parent / "shared"
CAP_DB, BOUND_DB, FALSE_DB = 50.0, 0.5, 3.0
SLOW = ("yolov8n_640", "yolo26n_640", "yolov8n_seg_320", "bodypix_mnv1_050", "yolo11n_pose_qdq", "ldc_edges")
CIFAR = ([0.4914, 0.4822, 0.4465], [0.2470, 0.2435, 0.2616])


@dataclasses.dataclass
class Case:
    name: str
    model: pathlib.Path
    inputs: list  # one array [samples, ...] for each input, in the model's layout
    options: tuple = ()

    @property
    def exact(self) -> pathlib.Path:
        """The file for ONNX Runtime: of some models with inputs of codes one that takes the real values stands beside them."""
        of_reals = self.model.with_name("ort.onnx")
        return of_reals if self.model.name == "m.onnx" and of_reals.exists() else self.model


def normalized(pictures: np.ndarray, mean, std) -> np.ndarray:
    """uint8 NHWC pictures as float32 NCHW."""
    values = (pictures.astype(np.float32) / 255 - np.array(mean, np.float32)) / np.array(std, np.float32)
    return np.ascontiguousarray(values.transpose(0, 3, 1, 2))


def graph_inputs(model) -> list:
    given = {t.name for t in model.graph.initializer}
    return [v for v in model.graph.input if v.name not in given]


def repro_cases():
    for file in sorted((SHARED / "repro").glob("k*/*/m.onnx")):
        data = sorted(file.parent.glob("x?.npy"))
        if data and not file.parent.name.endswith("_5outs"):  # a training form, refused
            yield Case("/".join(file.parent.parts[-2:]), file, [np.load(path) for path in data])


def lab_cases():
    lab = SHARED / "lab"
    if not lab.exists():
        return
    cifar, mosaic = np.load(lab / "cifar_calib_x.npy")[:96], np.load(lab / "mosaic_calib_x.npy")[:48]
    for file in ("resnet18_cifar10", "mobilenet_v2_cifar10", "mobilenet_v2_qat", "attention/hybrid_cifar10"):
        yield Case("lab/" + file, lab / (file + ".onnx"), [normalized(cifar, *CIFAR)])
    for file in ("mosaic_detector", "attention/mosaic_attention_detector"):
        yield Case("lab/" + file, lab / (file + ".onnx"), [normalized(mosaic, [0, 0, 0], [1, 1, 1])])


def zoo_cases(everything: bool):
    for folder in sorted((SHARED / "zoo").glob("*/ref")) + sorted((SHARED / "zoo_2026").glob("*/ref")):
        name, file = folder.parent.name, folder.parent / "model.onnx"
        if name in SLOW and not everything:
            continue
        stored = []
        for run in sorted(folder.iterdir()):
            pictures = run / "images_u8_nhwc.npy"
            if pictures.exists():
                stored.append(normalized(np.load(pictures), [0, 0, 0], [1, 1, 1]))
            elif (run / "input_0.npy").exists() and not (run / "input_1.npy").exists():
                stored.append(np.load(run / "input_0.npy"))
        inputs = graph_inputs(onnx.load(str(file), load_external_data=False))
        if not stored or len(inputs) != 1 or any(a.shape[1:] != stored[0].shape[1:] for a in stored):
            print(f"{'zoo/' + name:<44} left out: its stored runs are not one float input of one shape", flush=True)
            continue
        data = np.concatenate(stored).astype(np.float32)
        options = ()
        if any(d.dim_value <= 0 for d in inputs[0].type.tensor_type.shape.dim[1:]):
            options = ("--input-shape", f"{inputs[0].name}:1," + ",".join(map(str, data.shape[1:])))
        yield Case("zoo/" + name, file, [data], options)


def random_cases(build: pathlib.Path, folder: pathlib.Path, first: int, count: int):
    if count == 0:
        return
    half = count // 2
    folder.mkdir(parents=True, exist_ok=True)
    for kind, program, number in (("qdq", ["octet-oracle", "--random"], count - half), ("float", ["random_networks", "--onnx"], half)):
        out = folder / kind
        out.mkdir(exist_ok=True)
        subprocess.run([build / "tests" / program[0], program[1], out, "--first", str(first), "--count", str(number)], check=True,
                       stdout=subprocess.DEVNULL)
        for seed in range(first, first + number):
            model = onnx.load(str(out / f"{seed}.onnx"))
            random = np.random.Generator(np.random.PCG64(seed))
            reach = 3.0 if kind == "qdq" else 1.0
            yield Case(f"{kind}/{seed}", out / f"{seed}.onnx",
                       [random.uniform(-reach, reach, [16, *[d.dim_value for d in v.type.tensor_type.shape.dim][1:]]).astype(np.float32)
                        for v in graph_inputs(model)])


def give_and_take_floats(model) -> bool:
    """Casts behind inputs of other types, and in front of outputs in FP16, which keep their names. Whether any was needed."""
    graph, before = model.graph, len(model.graph.node)
    used = {name for node in graph.node for name in (*node.input, *node.output)}
    for value in graph_inputs(model):
        kind = value.type.tensor_type.elem_type
        if kind == onnx.TensorProto.FLOAT:
            continue
        inner = value.name + "/typed"
        assert inner not in used
        for node in graph.node:
            node.input[:] = [inner if name == value.name else name for name in node.input]
        graph.node.insert(0, onnx.helper.make_node("Cast", [value.name], [inner], to=kind))
        value.type.tensor_type.elem_type = onnx.TensorProto.FLOAT
    for value in graph.output:
        if value.type.tensor_type.elem_type != onnx.TensorProto.FLOAT16:
            continue
        inner = value.name + "/typed"
        assert inner not in used
        for node in graph.node:
            node.input[:] = [inner if name == value.name else name for name in node.input]
            node.output[:] = [inner if name == value.name else name for name in node.output]
        graph.node.append(onnx.helper.make_node("Cast", [inner], [value.name], to=onnx.TensorProto.FLOAT))
        value.type.tensor_type.elem_type = onnx.TensorProto.FLOAT
    return len(graph.node) > before


def figure_db(wanted: np.ndarray, got: np.ndarray) -> float:
    """Rows are samples. NaN or infinity where the reference is finite: -100."""
    finite = np.isfinite(wanted)
    if not np.isfinite(got[finite]).all():
        return -100.0
    wanted, got = np.where(finite, wanted, 0.0), np.where(finite, got, 0.0)
    noise = ((wanted - got) ** 2).sum()

    def decibels(signal: float) -> float:
        if noise == 0:
            return 100.0
        return float(np.clip(10 * np.log10(max(signal, 1e-300) / noise), -100, 100))

    # What varies by less than FP32's own rounding is a constant, and has to come out as one.
    size = np.abs(wanted).max(initial=0)
    spread = wanted[finite].std() if finite.any() else 0
    if spread <= 1e-5 * size:
        return decibels((wanted ** 2).sum())
    figures = [decibels(((wanted - wanted[finite].mean())[finite] ** 2).sum())]
    if len(wanted) >= 8:
        about = (wanted - wanted.mean(axis=0)) ** 2
        if about.sum() > (1e-5 * size) ** 2 * wanted.size:
            figures.append(decibels(about.sum()))
    return min(figures)


class Truth:
    def __init__(self, build: pathlib.Path, ort: str, folder: pathlib.Path):
        self.build, self.ort, self.folder, self.verdict = build, ort, folder, {}

    def call(self, *command) -> subprocess.CompletedProcess:
        return subprocess.run([str(part) for part in command], capture_output=True, text=True, errors="replace")

    def onnx_runtime(self, case: Case, chosen: list) -> list:
        """[samples, elements] of each output."""
        inputs = []
        model = onnx.load(str(case.exact))
        file = case.exact
        rewritten = any(node.op_type.startswith("QLinear") for node in model.graph.node)
        if rewritten:
            decompose(model)
        if give_and_take_floats(model) or rewritten:
            file = self.folder / "rewritten.onnx"
            onnx.save(model, str(file))
        values = graph_inputs(model)
        for i, (value, data) in enumerate(zip(values, chosen)):
            raw = self.folder / f"ort_in{i}.bin"
            np.ascontiguousarray(data, np.float32).tofile(raw)
            inputs.append({"name": value.name, "shape": [1, *data.shape[1:]], "type": "float32", "file": str(raw)})
        request = self.folder / "request.json"
        request.write_text(json.dumps({"ort": self.ort, "jobs": [
            {"model": str(file), "samples": len(chosen[0]), "inputs": inputs, "result": str(self.folder / "ort_out")}]}))
        reply = json.loads(self.call("node", SOURCE / "tests/models/ort_reference.cjs", request).stdout)
        if "error" in reply:
            raise RuntimeError("ONNX Runtime: " + reply["error"][:120])
        return [np.fromfile(self.folder / f"ort_out.{i}", np.float32).astype(np.float64).reshape(len(chosen[0]), -1)
                for i in range(len(reply["outputs"]))], [out["name"] for out in reply["outputs"]]

    def ties(self, case: Case) -> int:
        """On the samples of the last verdict. 0 of models without QuantizeLinear."""
        model = onnx.load(str(case.exact))
        decompose(model)
        scales = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
        inputs = {v.name for v in graph_inputs(model)}
        rounded = {n.input[0]: scales[n.input[1]] for n in model.graph.node
                   if n.op_type == "QuantizeLinear" and n.input[0] not in inputs and n.input[1] in scales and scales[n.input[1]].size == 1}
        if not rounded:
            return 0
        del model.graph.output[:]
        for name in rounded:
            model.graph.output.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None))
        file = self.folder / "ties.onnx"
        onnx.save(model, str(file))
        values, _ = self.onnx_runtime(dataclasses.replace(case, model=file), [data[self.verdict["sample_indices"]] for data in case.inputs])
        steps = [v / float(scale) for v, scale in zip(values, rounded.values())]
        return sum(int((np.abs(np.abs(s - np.floor(s)) - 0.5) <= 2.0 ** -20 * np.maximum(np.abs(s), 1)).sum()) for s in steps)

    def run(self, case: Case) -> list:
        """[(plan, verdict, truth)]; the whole verdict is kept in self.verdict."""
        files = []
        for i, data in enumerate(case.inputs):
            files.append(self.folder / f"x{i}.npy")
            np.save(files[-1], data.astype(np.float32))
        blob = self.folder / "m.octet"
        blob.unlink(missing_ok=True)
        made = self.call(self.build / "bin/octet", "convert", case.model, "-o", blob, "--calibrate", ",".join(map(str, files)),
                         "--scale", "1", "--effort", "fast", "--keep-failing", "--json", *case.options)
        if not blob.exists():
            raise RuntimeError(f"convert {made.returncode}: " + (made.stderr.strip().splitlines() or [""])[-1][:140])
        verdict = self.verdict = json.loads(made.stdout)["verdict"]
        at = verdict["sample_indices"]
        chosen = [data[at] for data in case.inputs]
        for i, data in enumerate(chosen):
            np.save(self.folder / f"y{i}.npy", data.astype(np.float32))
        wanted, names = self.onnx_runtime(case, chosen)
        rows = []
        for plan in verdict["plans"]:
            if not plan["in_blob"]:
                continue
            out = self.folder / f"{plan['plan']}.npy"
            done = self.call(self.build / "bin/octet-run", blob, "--plan", plan["plan"], "--output", out, "--input",
                             ",".join(str(self.folder / f"y{i}.npy") for i in range(len(chosen))))
            if done.returncode != 0:
                raise RuntimeError(f"octet-run {plan['plan']}: " + done.stderr.strip()[-120:])
            got = [np.load(out if len(names) == 1 else self.folder / f"{plan['plan']}.{i}.npy") for i in range(len(names))]
            judged = {row["output"]: row for row in plan["outputs"] if row["kind"] == "numbers"}
            pairs = [(judged[name]["snr_db"], figure_db(wanted[i], got[i].astype(np.float64).reshape(len(at), -1)))
                     for i, name in enumerate(names) if name in judged]
            if pairs:
                rows.append((plan["plan"], min(v for v, _ in pairs), min(t for _, t in pairs)))
        return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="these models alone, by a part of their names")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/native"))
    parser.add_argument("--ort", default=os.environ.get("OCTET_ORT", ""), help="folder of `npm install onnxruntime-node`")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="N random graphs as well")
    parser.add_argument("--first", type=int, default=1, help="first seed of random graphs")
    parser.add_argument("--all", action="store_true", help="models that take minutes too")
    options = parser.parse_args()
    if not options.ort:
        parser.error("--ort names no folder, nor does OCTET_ORT")
    counts = {"compared": 0, "differ": 0, "false": 0, "not compared": 0}
    print(f"{'model':<44} {'plan':<5} {'verdict':>8} {'truth':>8}")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        truth = Truth(options.build.resolve(), options.ort, folder)

        def cases():
            yield from repro_cases()
            yield from lab_cases()
            yield from zoo_cases(options.all)
            yield from random_cases(options.build.resolve(), folder / "random", options.first, options.random)

        for case in cases():
            if options.names and not any(name in case.name for name in options.names):
                continue
            try:
                rows = truth.run(case)
            except (RuntimeError, KeyError, OSError, ValueError) as error:
                rows = []
                print(f"{case.name:<44} not compared: {error}", flush=True)
            counts["not compared"] += not rows
            for plan, said, true in rows:
                above = min(said, CAP_DB) - min(true, CAP_DB)
                word = "" if abs(above) <= BOUND_DB else "FALSE" if above > FALSE_DB else "differs"
                counts["compared"] += 1
                counts["differ"] += bool(word)
                counts["false"] += word == "FALSE"
                if word or not case.name.startswith(("qdq/", "float/")):
                    ties = truth.ties(case) if word else 0
                    print(f"{case.name:<44} {plan:<5} {said:8.2f} {true:8.2f} {word}{f', {ties} ties' if ties else ''}", flush=True)
    print(", ".join(f"{number} {what}" for what, number in counts.items()))
    return int(counts["differ"] > 0)


if __name__ == "__main__":
    sys.exit(main())
