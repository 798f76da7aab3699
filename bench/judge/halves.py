#!/usr/bin/python3
"""What the verdict says of two halves of the calibration pictures: halves.py [--build FOLDER] [--work FOLDER] [CASE...]

Converts models of ../shared with pictures whose halves (docs/verdict.md) are known to be alike or not. Prints `verdict.halves` and the
CPU seconds of each conversion:

    as-is     the first pictures of the data
    same      the same pictures in both halves
    dimmed    the second half at 0.4 of its brightness
    classes   CIFAR-10's classes 0 to 4 in the first half, 5 to 9 in the second

A CASE is a part of "model kind". Names of models: fashion_mnist, resnet18, mobilenet_v2, detector, hybrid, yolov8n_320, yolo11n_320. What is absent is
left out with a line.
"""
import argparse
import json
import pathlib
import resource
import shlex
import sys

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/models"))
import coco_scores  # noqa: E402
import model_tests  # noqa: E402
from model_tests import LAB, Build, run, save  # noqa: E402

TOGETHER = 4  # samples that go into one half one after another
COUNTS = {"yolov8n_320": 64, "yolo11n_320": 64, "detector": 64}
HYBRID = model_tests.Model("hybrid", LAB / "attention" / "hybrid_cifar10.onnx", "cifar_calib_x.npy", "cifar_test_x.npy", tuple(model_tests.CIFAR), (32, 32, 3))
CIFAR = ("resnet18", "mobilenet_v2", "hybrid")


def second(count: int) -> np.ndarray:
    """Which of the samples are in the second half."""
    return np.arange(count) // TOGETHER % 2 == 1


def arranged(pictures: np.ndarray, kind: str, labels, count: int) -> np.ndarray:
    """uint8 [count, H, W, C] of `pictures`, of which there are more than that where kind is classes."""
    if kind == "classes":
        late = labels >= 5
        chosen = np.where(second(count), np.flatnonzero(late)[:count], np.flatnonzero(~late)[:count])
        return pictures[chosen]
    if kind == "same":
        block = np.arange(count) // TOGETHER // 2 * TOGETHER + np.arange(count) % TOGETHER
        return pictures[block]
    result = np.array(pictures[:count])
    if kind == "dimmed":
        result[second(count)] = (result[second(count)] * 0.4).astype(np.uint8)
    return result


def data_of(name: str, kind: str, work: pathlib.Path) -> tuple:
    """(model, pictures, options of convert)."""
    count = COUNTS.get(name, 128)
    if name in coco_scores.MODELS:
        import cv2
        size = coco_scores.MODELS[name]
        shown = []
        for path in sorted((coco_scores.COCO / "calib").iterdir())[:count]:
            picture = cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)
            scale = size / max(picture.shape[:2])
            small = cv2.resize(picture, (round(picture.shape[1] * scale), round(picture.shape[0] * scale)), interpolation=cv2.INTER_AREA)
            framed = np.full((size, size, 3), 114, np.uint8)
            top, left = (size - small.shape[0]) // 2, (size - small.shape[1]) // 2
            framed[top:top + small.shape[0], left:left + small.shape[1]] = small
            shown.append(framed)
        model, pictures, options = coco_scores.ZOO / name / "model.onnx", np.stack(shown), ()
    else:
        known = {model.name: model for model in (*model_tests.MODELS, HYBRID)}[name]
        model, options = known.onnx, known.options
        pictures = model_tests.pictures(known, "calibration", 1000 if known.calibration else count)
    labels = np.load(LAB / "cifar_calib_y.npy") if name in CIFAR else None
    return model, save(work / "halves.npy", arranged(pictures, kind, labels, count)), (*options, "--samples", count)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help="parts of cases' names")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/native"))
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/halves"), help="folder for pictures and blobs")
    parser.add_argument("--options", default="", help="options for `octet convert`")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    build = Build(options.build.resolve())
    cases = [(name, kind) for kind in ("as-is", "dimmed", "classes", "same")
             for name in ("fashion_mnist", "mobilenet_v2", "hybrid", "resnet18", "detector", "yolov8n_320", "yolo11n_320")
             if kind != "classes" or name in CIFAR]
    print(f"{'case':<20} {'samples':>7} {'first':>6} {'second':>6} {'second - first':>16} {'own first':>14} {'own second':>14} {'scales':>6} {'CPU s':>6}  warns")
    for name, kind in cases:
        if options.cases and not any(part in f"{name} {kind}" for part in options.cases):
            continue
        try:
            model, pictures, more = data_of(name, kind, options.work)
        except FileNotFoundError as error:
            print(f"{name} {kind}: left out, {error.filename} is absent")
            continue
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        made = run([build.octet, "convert", model, "-o", options.work / "halves.octet", "--calibrate", pictures, "--json", *more,
                    *shlex.split(options.options)])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        halves = json.loads(made)["verdict"]["halves"]
        if halves is None:
            print(f"{name + ' ' + kind:<20} not compared; {seconds:.1f} CPU s", flush=True)
            continue
        def gain(mean: float, error: float) -> str:
            return f"{mean:.2f} +- {error:.2f}"

        print(f"{name + ' ' + kind:<20} {halves['samples']:7d} {halves['first_db']:6.1f} {halves['second_db']:6.1f} "
              f"{gain(halves['difference_db'], halves['error_db']):>16} "
              + " ".join(f"{gain(*pair):>14}" for pair in zip(halves["own_db"], halves["own_error_db"]))
              + f" {halves['scale_ratio']:6.2f} {seconds:6.1f}  {'yes' if halves['disagree'] else 'no'}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
