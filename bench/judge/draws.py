#!/usr/bin/python3
"""How far INT8 scores hang on the draw of calibration pictures: draws.py [--build FOLDER] [--work FOLDER] [--draws N] [NAME...]

Each model is converted N times (default effort), with other pictures each time: `octet convert --seed 1`, 2, ... takes 96 of the 160 of
../shared/coco/calib, or 256 of 512 of ../shared/lab. Prints the score of each draw, their mean and standard deviation, and what the verdict
says of two halves of the draw (docs/verdict.md). Detectors: mAP50-95 on ../shared/coco/val as it is. Classifiers: top-1 of the test images.

Names: those of tests/models/coco_scores.py, and resnet18, mobilenet_v2, detector of the lab. A draw takes minutes. What is absent is
left out with a line.
"""
import argparse
import json
import pathlib
import sys

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/models"))
import coco_scores  # noqa: E402
import model_tests  # noqa: E402
from model_tests import Build, run, save  # noqa: E402

OF_COCO, OF_LAB, LAB_SAMPLES = 96, 256, 512


class Draws:
    def __init__(self, build: Build, work: pathlib.Path):
        self.build, self.work = build, work

    def convert(self, model: pathlib.Path, seed: int, samples: int, *more) -> tuple:
        """Blob, and the verdict."""
        blob = self.work / "draw.octet"
        made = run([self.build.octet, "convert", model, "-o", blob, "--samples", samples, "--seed", seed, "--json", *more])
        return blob, json.loads(made)["verdict"]

    def yolo(self, name: str, seed: int) -> tuple:
        blob, verdict = self.convert(coco_scores.ZOO / name / "model.onnx", seed, OF_COCO, "--calibrate", coco_scores.COCO / "calib",
                                     "--resize", "letterbox")
        pixels, meta = coco_scores.pictures("as_is", coco_scores.MODELS[name], self.work)
        out = self.work / "draw.npy"
        coco_scores.remove(out)
        self.build.infer(blob, pixels, out, "--plan", "int8")
        return coco_scores.map_of(coco_scores.first_output(out), meta), verdict

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
    halves = verdict["halves"]
    if halves is None:
        return ""
    return f"halves {halves['first_db']:.2f} and {halves['second_db']:.2f} dB{', disagree' if halves['disagree'] else ''}"


def main() -> int:
    lab = {model.name: model for model in model_tests.MODELS if model.calibration}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=", ".join([*coco_scores.MODELS, *lab]))
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/native"))
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/draws"), help="folder for pictures and blobs")
    parser.add_argument("--draws", type=int, default=5)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    draws = Draws(Build(options.build.resolve()), options.work.resolve())
    for name in options.names or [*coco_scores.MODELS, *lab]:
        file = lab[name].onnx if name in lab else coco_scores.ZOO / name / "model.onnx"
        if not file.exists():
            print(f"{name}: left out, its model is absent")
            continue
        scores = []
        for seed in range(1, options.draws + 1):
            score, verdict = draws.lab(lab[name], seed) if name in lab else draws.yolo(name, seed)
            scores.append(score)
            print(f"{name:<18} draw {seed}: {score:.2f}  {halves_words(verdict)}", flush=True)
        spread = f", standard deviation {np.std(scores, ddof=1):.2f}" if len(scores) > 1 else ""
        print(f"{name:<18} mean {np.mean(scores):.2f}{spread}, least {min(scores):.2f}, most {max(scores):.2f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
