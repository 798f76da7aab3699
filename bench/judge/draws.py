#!/usr/bin/python3
"""How far INT8 scores hang on the draw of calibration pictures: draws.py [--build FOLDER] [--work FOLDER] [--draws N] [NAME...]

Each model is converted N times, with other pictures each time: `octet convert --seed 1`, 2, ... takes 96 of the 160 of
../shared/coco/calib, or 256 of 512 of ../shared/lab. Prints FP32's score less that of each draw, mean and standard deviation of
these losses, and what the verdict says of two halves of the draw (docs/verdict.md; not with --options "--effort fast").

Detectors: mAP50-95 on ../shared/coco/val, the mean of the five variants of tests/models/coco_scores.py, because one score moves by
0.3 with one grey level. Lab: top-1 of the test images, or mAP50.

Names: those of tests/models/coco_scores.py, and resnet18, mobilenet_v2, hybrid, detector of the lab. A draw takes minutes. What is absent is
left out with a line.
"""
import argparse
import json
import pathlib
import shlex
import sys
import types

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/models"))
import coco_scores  # noqa: E402
import halves  # noqa: E402
import int8_scores  # noqa: E402
import model_tests  # noqa: E402
from model_tests import Build, run, save  # noqa: E402

OF_COCO, OF_LAB, LAB_SAMPLES = 96, 256, 512
FP32 = {**int8_scores.FP32, "hybrid": (88.59,)}  # of all test images: ../shared/lab/README.md


class Draws:
    def __init__(self, build: Build, work: pathlib.Path, options: list):
        self.build, self.work, self.options = build, work, options
        self.coco = coco_scores.Scores(types.SimpleNamespace(build=build.folder, work=work))

    def convert(self, model: pathlib.Path, seed: int, samples: int, *more) -> tuple:
        """Blob, and the verdict."""
        blob = self.work / "draw.octet"
        made = run([self.build.octet, "convert", model, "-o", blob, "--samples", samples, "--seed", seed, "--json", *more, *self.options])
        return blob, json.loads(made)["verdict"]

    def yolo_float(self, name: str) -> float:
        return float(np.mean([self.coco.float_score(name, variant, False) for variant in coco_scores.VARIANTS]))

    def yolo(self, name: str, seed: int) -> tuple:
        blob, verdict = self.convert(coco_scores.ZOO / name / "model.onnx", seed, OF_COCO, "--calibrate", coco_scores.COCO / "calib",
                                     "--resize", "letterbox")
        scores, out = [], self.work / "draw.npy"
        for variant in coco_scores.VARIANTS:
            pixels, meta = coco_scores.pictures(variant, coco_scores.MODELS[name], self.work)
            coco_scores.remove(out)
            self.build.infer(blob, pixels, out, "--plan", "int8")
            scores.append(coco_scores.map_of(coco_scores.first_output(out), meta))
        return float(np.mean(scores)), verdict

    def lab(self, model: model_tests.Model, seed: int) -> tuple:
        pictures, images = self.work / f"{model.name}.calib.npy", self.work / f"{model.name}.test.npy"
        if not images.exists():
            save(pictures, model_tests.pictures(model, "calibration", LAB_SAMPLES))
            save(images, np.load(model_tests.LAB / model.images))
        blob, verdict = self.convert(model.onnx, seed, OF_LAB, "--calibrate", pictures, *model.options)
        out = self.work / "draw.npy"
        self.build.infer(blob, images, out, "--plan", "int8")
        kind = "detect" if model.name == "detector" else "classify"
        return float(run([self.build.folder / "tests/score_outputs", kind, model_tests.LAB, out]).split()[0]), verdict


def halves_words(verdict: dict) -> str:
    said = verdict["halves"]
    if said is None:
        return ""
    return f"halves {said['first_db']:.2f} and {said['second_db']:.2f} dB{', disagree' if said['disagree'] else ''}"


def main() -> int:
    lab = {model.name: model for model in (*model_tests.MODELS, halves.HYBRID) if model.calibration}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=", ".join([*coco_scores.MODELS, *lab]))
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/native"))
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/draws"), help="folder for pictures and blobs")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--options", default="", help="options for `octet convert`")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    draws = Draws(Build(options.build.resolve()), options.work.resolve(), shlex.split(options.options))
    for name in options.names or [*coco_scores.MODELS, *lab]:
        file = lab[name].onnx if name in lab else coco_scores.ZOO / name / "model.onnx"
        if not file.exists():
            print(f"{name}: left out, its model is absent")
            continue
        exact = FP32[name][0] if name in lab else draws.yolo_float(name)
        print(f"{name:<18} FP32: {exact:.2f}", flush=True)
        losses = []
        for seed in range(1, options.draws + 1):
            score, verdict = draws.lab(lab[name], seed) if name in lab else draws.yolo(name, seed)
            losses.append(exact - score)
            print(f"{name:<18} draw {seed}: {score:.2f}, loss {losses[-1]:.2f}  {halves_words(verdict)}", flush=True)
        spread = f", standard deviation {np.std(losses, ddof=1):.2f}" if len(losses) > 1 else ""
        print(f"{name:<18} loss: mean {np.mean(losses):.2f}{spread}, least {min(losses):.2f}, most {max(losses):.2f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
