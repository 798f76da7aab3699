#!/usr/bin/env python3
"""The INT8 plan beside ONNX Runtime's computation of what `octet export --qdq` writes of it, and `octet verify --against ort`.

  Exports   every model that converts; ONNX Runtime loads it, with all its optimizations where the CPU has VNNI
  Agrees    its outputs are as near to octet's as either is to FP32, and as good as octet's within CLOSE dB (chaotic Q/DQ
            models: reported). Ties in rounding go up in octet and to even codes in ONNX Runtime; networks that amplify
            a step of one value to all of them leave no more than that
  Layers    FP32 here and in ONNX Runtime within 1e-3 of each value's range, every layer

Without --all the models that take seconds. With --all every model of ../shared/zoo and ../shared/lab, and scores of octet's
INT8 plan and of ONNX Runtime on the exported file: top-1 of CIFAR-10, mAP@0.5 of the mosaics, mAP50-95 of ../shared/coco,
the mean of five variants of the pictures; prints a table; takes an hour. Needs Node.js and npm's
onnxruntime-node in OCTET_ORT or build/ort (./setup.sh --tests); skipped without.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess

import numpy as np

from coco_scores import MODELS as COCO_MODELS
from coco_scores import VARIANTS, map_of, pictures
from model_tests import LAB, MODELS, SKIPPED, SOURCE, Build, Model, Report, arguments, require, run, save
from model_tests import CIFAR
from zoo import COCO, FAST, ZOO, Entry

CLOSE = 3.0
MOST_DB = 90.0  # beyond it float roundings are compared, not plans
# ONNX Runtime's own ways of computing these files differ by more than a step (zoo.py): nothing to be near to.
CHAOTIC = ("mobilenetv2_qdq_u8s8", "yolo11n_pose_qdq", "mobilenet_v2_qat")
QAT = Model("mobilenet_v2_qat", LAB / "mobilenet_v2_qat.onnx", "cifar_calib_x.npy", "cifar_test_x.npy", tuple(CIFAR),
            (32, 32, 3))
MEAN, STD = (np.array(CIFAR[i].split(","), np.float32).reshape(1, 3, 1, 1) for i in (1, 3))


def decibels(wanted: np.ndarray, got: np.ndarray) -> float:
    wanted, got = wanted.astype(np.float64), got.astype(np.float64)
    return min(MOST_DB, float(10 * np.log10(max((wanted ** 2).sum(), 1e-300) / max(((wanted - got) ** 2).sum(), 1e-300))))


class Runtime:
    """ONNX Runtime through the script that octet itself uses."""

    def __init__(self, work: pathlib.Path):
        self.folder, self.work = os.environ["OCTET_ORT"], work
        # Its int8 kernels for AVX2 add two products in 16 bits, which saturates. Without VNNI it computes Q/DQ in float.
        self.optimize = "_vnni" in pathlib.Path("/proc/cpuinfo").read_text()

    def run(self, model: pathlib.Path, name: str, values: np.ndarray) -> list:
        """Outputs of every sample, [samples, elements] each."""
        data, request, result = (self.work / f"ort.{kind}" for kind in ("input", "json", "result"))
        np.ascontiguousarray(values, np.float32).tofile(data)
        request.write_text(json.dumps({
            "ort": self.folder, "model": str(model), "optimize": self.optimize, "threads": 2, "samples": len(values),
            "inputs": [{"name": name, "shape": [1, *values.shape[1:]], "type": "float32", "file": str(data)}],
            "outputs": [], "result": str(result)}))
        answer = json.loads(run(["node", SOURCE / "converter" / "ort" / "run.cjs", request]))
        sizes = [int(np.prod(output["shape"])) for output in answer["outputs"]]
        loaded = np.fromfile(result, np.float32).reshape(len(values), sum(sizes))
        data.unlink()
        result.unlink()
        return np.split(loaded, np.cumsum(sizes)[:-1], axis=1)


class CrossCheck:
    def __init__(self, options, report):
        self.options, self.report, self.work = options, report, options.work
        self.build, self.ort = Build(options.build), Runtime(options.work)

    def outputs(self, blob: pathlib.Path, values: np.ndarray, count: int) -> list:
        data, out = save(self.work / "cross.input.npy", values), self.work / "cross.out.npy"
        self.build.infer(blob, data, out, "--plan", "int8", "--threads", 2)
        files = [out] if count == 1 else [out.with_suffix(f".{i}.npy") for i in range(count)]
        loaded = [np.load(file).reshape(len(values), -1) for file in files]
        for file in files:
            file.unlink()
        return loaded

    def export(self, onnx: pathlib.Path, blob: pathlib.Path, shapes=()) -> pathlib.Path:
        out = self.work / f"{blob.stem}.qdq.onnx"
        text = run([self.build.octet, "export", "--qdq", onnx, blob, "-o", out, *shapes])
        print(text.strip())
        return out

    def compare(self, figures: dict, name: str, octet: list, ort: list, fp32: list) -> None:
        rows = [(decibels(a, b), decibels(w, a), decibels(w, b)) for a, b, w in zip(octet, ort, fp32)]
        figures["db"] = [[round(v, 1) for v in row] for row in rows]
        for row in rows:
            print("  octet to ONNX Runtime %.1f dB, octet to FP32 %.1f, ONNX Runtime to FP32 %.1f" % row)
            assert name in CHAOTIC or row[0] >= min(row[1:]) and row[2] >= row[1] - CLOSE, figures["db"]

    def layers(self, figures: dict, onnx: pathlib.Path, blob: pathlib.Path, data: pathlib.Path, options: list) -> None:
        done = subprocess.run([str(w) for w in (self.build.octet, "verify", onnx, blob, "--data", data, "--samples", 2,
                                                "--against", "ort", "--json", *options)], capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stderr
        answer = json.loads(done.stdout)
        layers = answer["fp32_layers"]
        wrong = [layer["value"] for layer in layers if not layer["agrees"] and not layer["picked"]]
        figures["layers"], figures["layers_agree"] = len(layers), len(layers) - len(wrong)
        assert layers and (not wrong or not answer["fp32_judged"]), wrong[:5]

    def zoo(self, name: str) -> dict:
        figures = {"model": name}
        entry = qdq = None
        blob = self.work / f"zoo.{name}.octet"
        with self.report.case(f"{name}.Exports"):
            entry = Entry(name)
            values, wanted = entry.stacked()
            floats = values
            calibration = [save(self.work / f"zoo.{name}.input.npy", values), "--scale", 1]
            if entry.pictures:
                calibration = [COCO / "calib", "--resize", "letterbox"] if COCO.exists() else calibration[:1]
                floats = values.transpose(0, 3, 1, 2).astype(np.float32) / np.float32(255)
            shapes = [word for shape in entry.shapes() for word in ("--input-shape", shape)]
            run([self.build.octet, "convert", entry.onnx, "-o", blob, "--calibrate", *calibration, *shapes])
            qdq = self.export(entry.onnx, blob, shapes)
            octet = self.outputs(blob, floats, len(wanted))
            ort = self.ort.run(qdq, entry.inputs[0].name, floats)
        if qdq is None:
            return figures
        with self.report.case(f"{name}.Agrees"):
            self.compare(figures, name, octet, ort, wanted)
        with self.report.case(f"{name}.Layers"):
            data = save(self.work / "cross.input.npy", floats)
            self.layers(figures, entry.onnx, blob, data, shapes)
        if self.options.all and name in COCO_MODELS and COCO.exists():
            with self.report.case(f"{name}.Score"):
                # One score moves by 0.3 when every pixel moves by one grey level (coco_scores.py): the mean of five.
                scores = np.mean([self.coco(entry, qdq, blob, variant) for variant in VARIANTS], axis=0).tolist()
                self.score(figures, "mAP50-95", scores)
        return figures

    def coco(self, entry: Entry, qdq: pathlib.Path, blob: pathlib.Path, variant: str) -> list:
        """mAP50-95 of octet's plan and of ONNX Runtime on one variant of the pictures."""
        pixels, meta = pictures(variant, COCO_MODELS[entry.name], self.work)
        floats = np.load(pixels).transpose(0, 3, 1, 2).astype(np.float32) / np.float32(255)
        wanted = entry.cases[0][1]
        scores = []
        for results in (self.outputs(blob, floats, len(wanted)), self.ort.run(qdq, entry.inputs[0].name, floats)):
            scores.append(map_of(save(self.work / "cross.scored.npy", results[0].reshape(-1, *wanted[0].shape[1:])), meta))
        print("  %s: octet %.2f, ONNX Runtime %.2f" % (variant, *scores), flush=True)
        return scores

    def lab(self, model: Model) -> dict:
        figures = {"model": model.name}
        qdq = None
        blob = self.work / f"{model.name}.cross.octet"
        with self.report.case(f"{model.name}.Exports"):
            require(model)
            self.build.convert(model, self.work, 0, blob, 512)
            qdq = self.export(model.onnx, blob)
        if qdq is None:
            return figures
        pixels = np.load(LAB / model.images)
        values = pixels.transpose(0, 3, 1, 2).astype(np.float32) / np.float32(255)
        if model.options:
            values = (values - MEAN) / STD
        name = self.build.inspect(blob)["inputs"][0]["name"]
        kind = "detect" if model.name == "detector" else "classify"
        with self.report.case(f"{model.name}.Layers"):
            self.layers(figures, model.onnx, blob, save(self.work / "cross.input.npy", values[:2]), [])
        with self.report.case(f"{model.name}.Score"):
            shape = (len(values), 15, 256) if kind == "detect" else (len(values), -1)
            octet, ort = self.outputs(blob, values, 1)[0], self.ort.run(qdq, name, values)[0]
            figures["db"] = [[round(decibels(octet, ort), 1)]]
            print(f"  octet to ONNX Runtime {figures['db'][0][0]} dB")
            scored = self.work / "cross.scored.npy"
            scores = [float(run([self.build.folder / "tests" / "score_outputs", kind, LAB, save(scored, r.reshape(shape))]))
                      for r in (octet, ort)]
            self.score(figures, "mAP50" if kind == "detect" else "top-1", scores)
        return figures

    def score(self, figures: dict, metric: str, scores: list) -> None:
        figures["metric"], figures["octet"], figures["ort"] = metric, scores[0], scores[1]
        print("  %s: octet %.2f, ONNX Runtime %.2f" % (metric, *scores))
        assert figures["model"] in CHAOTIC or abs(scores[0] - scores[1]) <= 0.3, scores


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="every model, and scores")
    parser.add_argument("--models", default="", help="these alone, joined by commas")
    parser.add_argument("--json", type=pathlib.Path, help="file for all figures")
    options = arguments(parser)
    os.environ.setdefault("OCTET_ORT", str(SOURCE / "build/ort"))
    if shutil.which("node") is None or not (pathlib.Path(os.environ["OCTET_ORT"]) / "node_modules/onnxruntime-node").exists():
        print("skipped: Node.js or npm's onnxruntime-node is not installed (./setup.sh --tests)")
        return SKIPPED
    if not ZOO.exists():
        print("skipped: ../shared/zoo is not there")
        return SKIPPED
    report = Report("CrossCheck", options.report)
    check = CrossCheck(options, report)
    zoo = sorted(folder.name for folder in ZOO.iterdir() if folder.is_dir()) if options.all else list(FAST)
    lab = [model for model in (*MODELS, QAT) if model.images] if options.all else []
    if options.models:
        wanted = options.models.split(",")
        zoo, lab = [n for n in zoo if n in wanted], [m for m in lab if m.name in wanted]
    figures = [check.lab(model) for model in lab] + [check.zoo(name) for name in zoo]
    if options.all:
        print(f"{'model':24} {'layers of FP32':>14} {'octet-ORT dB':>13} {'octet':>8} {'ORT':>8}")
        for f in figures:
            least = min((row[0] for row in f.get("db", [])), default=float("nan"))
            print(f"{f['model']:24} {f.get('layers_agree', 0):>6} of {f.get('layers', 0):>4} {least:>13.1f} "
                  f"{f.get('octet', float('nan')):>8.2f} {f.get('ort', float('nan')):>8.2f} {f.get('metric', '')}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))
    return report.finish()


if __name__ == "__main__":
    raise SystemExit(main())
