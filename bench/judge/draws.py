#!/usr/bin/python3
"""What a plan loses, and what its verdict says, over draws of calibration pictures: draws.py [--build FOLDER] [--draws N] [--jobs N] [NAME...]

Each model is converted N times, each time with other pictures. A line has the verdict's word and figure with its interval, the true loss with
its own, FP32's and the plan's number of confident boxes, and the mean change of their scores.

Detectors: 64 of the 160 pictures of ../shared/coco/calib; the loss is that of mAP50-95 on the 206 labelled pictures of val and more, paired and
bootstrapped over pictures (paired_map.py). Lab: 256 of 512 samples; top-1 of the test images. Both are on pictures that convert never sees.

Ends with the bars that a verdict has to keep: no plan certainly loses more than 1 point, no good plan does, no plan that loses less than 0.5 is bad,
60 % of these are good.

Names: those of tests/models/coco_scores.py, and resnet18, mobilenet_v2, hybrid of the lab. What is absent is left out with a line.
Needs Debian's python3-opencv, and the targets fp32_outputs and score_outputs.
"""
import argparse
import concurrent.futures
import json
import pathlib
import random
import shlex
import sys

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/models"))
import coco_scores  # noqa: E402
import halves  # noqa: E402
import int8_scores  # noqa: E402
import model_tests  # noqa: E402
import paired_map  # noqa: E402
from model_tests import Build, run, save  # noqa: E402

OF_COCO, OF_LAB, LAB_SAMPLES = 64, 256, 512
FP32 = {**int8_scores.FP32, "hybrid": (88.59,)}  # of all test images: ../shared/lab/README.md
SETS = ("val", "more")
DECODERS = {"yolo26n_640": "yolo26", "yolov8n_seg_320": "yolov8-seg"}


class Coco:
    """Labelled pictures and FP32's boxes, made once in the work folder."""

    def __init__(self, build: Build, work: pathlib.Path):
        self.build, self.work = build, work

    def pictures(self, size: int) -> list:
        paths = []
        for name in SETS:
            pixels, meta = self.work / f"{name}.{size}.npy", self.work / f"{name}.{size}.json"
            if not meta.exists():
                run([sys.executable, coco_scores.TOOLS / "letterbox_npy.py", coco_scores.COCO / name, size, pixels, meta,
                     coco_scores.COCO / f"{name}.json"])
            paths.append((pixels, meta))
        return paths

    def truths(self, size: int) -> list:
        return [t for name, (_, meta) in zip(SETS, self.pictures(size))
                for t in paired_map.labels_of(meta, coco_scores.COCO / f"{name}.json")]

    def side(self, outputs: list, size: int) -> paired_map.Side:
        return paired_map.Side([np.load(coco_scores.first_output(path), mmap_mode="r") for path in outputs], self.truths(size))

    def fp32(self, name: str) -> list:
        outputs = []
        for pixels, _ in self.pictures(coco_scores.MODELS[name]):
            outputs.append(self.work / f"{name}.{pixels.stem}.float.npy")
            if not coco_scores.first_output(outputs[-1]).exists():
                run([self.build.folder / "tests/fp32_outputs", coco_scores.ZOO / name / "model.onnx", outputs[-1], pixels])
        return outputs


def convert(build: Build, model: pathlib.Path, blob: pathlib.Path, *options) -> dict:
    return json.loads(run([build.octet, "convert", model, "-o", blob, "--json", *options]))["verdict"]


def yolo(build_folder: pathlib.Path, work: pathlib.Path, name: str, seed: int, options: list) -> dict:
    build = Build(build_folder)
    coco, size = Coco(build, work), coco_scores.MODELS[name]
    folder = work / f"{name}.{seed}"
    folder.mkdir(exist_ok=True)
    pictures = sorted((coco_scores.COCO / "calib").iterdir())
    for picture in random.Random(seed).sample(pictures, OF_COCO):
        link = folder / picture.name
        if not link.is_symlink():
            link.symlink_to(picture)
    blob = work / f"{name}.{seed}.octet"
    verdict = convert(build, coco_scores.ZOO / name / "model.onnx", blob, "--calibrate", folder, "--resize", "letterbox", "--task", "detect",
                      "--decode", DECODERS.get(name, "yolov8"), *options)
    outputs = []
    for pixels, _ in coco.pictures(size):
        outputs.append(work / f"{name}.{seed}.{pixels.stem}.npy")
        build.infer(blob, pixels, outputs[-1], "--plan", "int8")
    exact, plan = coco.side(coco.fp32(name), size), coco.side(outputs, size)
    for path in outputs:
        coco_scores.remove(path)
    true, low, high = paired_map.loss(exact, plan)
    return {"verdict": verdict, "loss": true, "low": low, "high": high,
            "more": f"confident {exact.confident()} {plan.confident()}, scores {paired_map.score_shift(exact, plan):+.4f}"}


def lab(build_folder: pathlib.Path, work: pathlib.Path, name: str, seed: int, options: list) -> dict:
    build = Build(build_folder)
    model = {m.name: m for m in (*model_tests.MODELS, halves.HYBRID)}[name]
    pictures, images = work / f"{name}.calib.npy", work / f"{name}.test.npy"
    blob, out = work / f"{name}.{seed}.octet", work / f"{name}.{seed}.npy"
    verdict = convert(build, model.onnx, blob, "--samples", OF_LAB, "--seed", seed, "--calibrate", pictures, *model.options, *options)
    build.infer(blob, images, out, "--plan", "int8")
    score = float(run([build.folder / "tests/score_outputs", "classify", model_tests.LAB, out]).split()[0])
    coco_scores.remove(out)
    loss = FP32[name][0] - score
    return {"verdict": verdict, "loss": loss, "low": loss, "high": loss, "more": f"score {score:.2f}"}


def prepare(build: Build, work: pathlib.Path, name: str) -> None:
    if name in coco_scores.MODELS:
        Coco(build, work).fp32(name)
        return
    model = {m.name: m for m in (*model_tests.MODELS, halves.HYBRID)}[name]
    pictures, images = work / f"{name}.calib.npy", work / f"{name}.test.npy"
    if not images.exists():
        save(pictures, model_tests.pictures(model, "calibration", LAB_SAMPLES))
        save(images, np.load(model_tests.LAB / model.images))


def bars(draws: list) -> bool:
    """Prints each bar; whether all hold."""
    near = [d for d in draws if d["loss"] < 0.5]
    word = {id(d): d["verdict"]["judgement"] for d in draws}
    good = sum(word[id(d)] == "good" for d in near)
    rows = [("plans that certainly lose more than 1", sum(d["low"] > 1 for d in draws), 0),
            ("good plans that certainly lose more than 1", sum(d["low"] > 1 and word[id(d)] == "good" for d in draws), 0),
            ("bad plans that lose less than 0.5", sum(word[id(d)] == "bad" for d in near), 0)]
    for what, count, most in rows:
        print(f"{what}: {count} of {len(draws)} (bar: {most})")
    print(f"good of those that lose less than 0.5: {good} of {len(near)} (bar: 60 %)")
    return all(count <= most for _, count, most in rows) and good >= 0.6 * len(near)


def main() -> int:
    labs = ("resnet18", "mobilenet_v2", "hybrid")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=", ".join([*coco_scores.MODELS, *labs]))
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/native"))
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/draws"), help="folder for pictures and blobs")
    parser.add_argument("--draws", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=1, help="conversions at a time")
    parser.add_argument("--options", default="", help="options for `octet convert`")
    options = parser.parse_args()
    build, work, more = options.build.resolve(), options.work.resolve(), shlex.split(options.options)
    work.mkdir(parents=True, exist_ok=True)
    jobs = []
    for name in options.names or [*coco_scores.MODELS, *labs]:
        of_lab = name in labs
        model = model_tests.LAB if of_lab else coco_scores.ZOO / name / "model.onnx"
        if not model.exists():
            print(f"{name}: left out, its model is absent")
            continue
        prepare(Build(build), work, name)
        jobs += [(lab if of_lab else yolo, name, seed) for seed in range(1, options.draws + 1)]
    draws = []
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        running = [(name, seed, pool.submit(made, build, work, name, seed, more)) for made, name, seed in jobs]
        for name, seed, future in running:
            draw = future.result()
            said = draw["verdict"]
            low, high = said["interval"]
            print(f"{name:<16} draw {seed}: {said['judgement']:<5} {said['figure']:.2f} [{low:.2f}, {high:.2f}]  loss {draw['loss']:.2f} "
                  f"[{draw['low']:.2f}, {draw['high']:.2f}]  {draw['more']}", flush=True)
            draws.append({**draw, "name": name})
    for name in dict.fromkeys(d["name"] for d in draws):
        losses = [d["loss"] for d in draws if d["name"] == name]
        print(f"{name:<16} loss: mean {np.mean(losses):.2f}, least {min(losses):.2f}, most {max(losses):.2f}")
    return 0 if bars(draws) else 1


if __name__ == "__main__":
    sys.exit(main())
