#!/usr/bin/python3
"""What temporal filters gain on video, and where they harm: the table of docs/temporal.md.

Makes videos of the photographs in ../shared (windows that rest, pan, rush and change exposure, with a sensor's noise) and
of the built-in scene, converts each model with every filter, plays the videos through bench-temporal, and prints tables
as Markdown. Needs ../shared/coco, ../shared/lab, ../shared/zoo, Debian's python3-opencv and dataset-fashion-mnist.
"""
import argparse
import json
import pathlib
import subprocess
import sys

import numpy as np

import scores
import videos

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SHARED = SOURCE.parent / "shared"
COCO, LAB, ZOO = SHARED / "coco", SHARED / "lab", SHARED / "zoo"
SCENE_FRAMES = 480
# Filters by their options of octet convert; of H(z) what lambda is.
FILTERS = {
    "H(z) 0.1 sigma": ["--temporal", "filter"],
    "H(z) sigma": ["--temporal", "filter", "--temporal-lambda", "1"],
    "H(z) 1": ["--temporal", "filter", "--temporal-lambda", "1000"],
    "mean": ["--temporal", "mean"],
    "gated": ["--temporal", "gated"],
}
# Decoders that keep faint boxes, which the mAP needs; bench-temporal compares those from 0.25 on.
YOLOV8 = "layout: planes\nchannels: [box, class]\nscore_threshold: 0.02\niou_threshold: 0.7\nmax_detections: 100\n"
ULTRAFACE = ("outputs: {box: boxes, class: scores}\nbox: {form: corners, units: fraction}\nclass: {background: 0}\n"
             "score_threshold: 0.25\niou_threshold: 0.3\n")
LAB_DETECTOR = ("layout: planes\nchannels: [box, object, class]\nstrides: [8]\nbox: {form: distances, cell_offset: 0.5}\n"
                "score_threshold: 0.02\niou_threshold: 0.5\n")
SCENE = ("layout: planes\nchannels: [box, class]\nstrides: [16, 32]\nbox: {form: distances, cell_offset: 0.5}\n"
         "score_threshold: 0.02\niou_threshold: 0.5\n")


def run(command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}")
    return done.stdout


def photographs(count):
    """(pictures RGB, boxes) of COCO's validation pictures; crowds are left out with their picture."""
    import cv2
    known = json.loads((COCO / "val.json").read_text())
    labels = {one["id"]: i for i, one in enumerate(sorted(known["categories"], key=lambda one: one["id"]))}
    crowded = {one["image_id"] for one in known["annotations"] if one.get("iscrowd")}
    pictures, boxes = [], []
    for image in known["images"]:
        if image["id"] in crowded or len(pictures) == count:
            continue
        pictures.append(cv2.imread(str(COCO / "val" / image["file_name"]))[..., ::-1].copy())
        boxes.append([[x, y, x + w, y + h, labels[one["category_id"]]] for one in known["annotations"]
                      if one["image_id"] == image["id"] for x, y, w, h in [one["bbox"]]])
    return pictures, boxes


def mosaics(count):
    """Four scenes of the lab side by side, cut so that three quarters of a side are a scene's: the window keeps their scale."""
    side = 171
    pixels, corners, classes = (np.load(LAB / f"mosaic_val_{name}.npy") for name in ("x", "boxes", "classes"))
    pictures, boxes = [], []
    for first in range(0, 4 * count, 4):
        rows = [np.concatenate(list(pixels[first + 2 * r:first + 2 * r + 2]), 1) for r in range(2)]
        pictures.append(np.concatenate(rows, 0)[:side, :side])
        boxes.append([[*(corners[first + i, k] + [i % 2 * 128, i // 2 * 128] * 2).tolist(), int(classes[first + i, k])]
                      for i in range(4) for k in range(4) if classes[first + i, k] >= 0])
    return pictures, boxes


def write_npy(path, array):
    np.save(path, array)
    return path


class Bench:
    def __init__(self, options):
        self.bin, self.work, self.count = options.build / "bin", options.work, options.pictures
        self.work.mkdir(parents=True, exist_ok=True)
        self.results = []

    def convert(self, name, model, calibration, arguments, decode=None):
        if decode is not None:
            path = self.work / f"{name}.yaml"
            path.write_text(decode)
            arguments = [*arguments, "--task", "detect", "--decode", path]
        blobs = []
        for i, filter_options in enumerate(FILTERS.values()):
            blobs.append(self.work / f"{name}.{i}.octet")
            run([self.bin / "octet", "convert", model, "-o", blobs[-1], "--calibrate", calibration, "--calibration-cache",
                 self.work / f"{name}.json", *arguments, *filter_options])
        return blobs

    def play(self, blobs, frames, clip):
        path = write_npy(self.work / "video.npy", frames)
        runs = json.loads(run([self.bin / "bench-temporal", "--frames", path, "--clip", clip, *blobs]))
        for one, name in zip(runs[2:], FILTERS):
            one["name"] = name
        return runs

    def compare(self, title, blobs, cases):
        """cases: name, frames, frames of a clip, function of the answers to a score in percent or None."""
        for video, frames, clip, score_of in cases:
            runs = self.play(blobs, frames, clip)
            for one in runs:
                answers = one.pop("answers")
                one.update(model=title, video=video, score=score_of(answers) if score_of else None)
            self.results += runs
            print(f"{title}, {video}: done", file=sys.stderr, flush=True)

    def detector(self, title, blobs, pictures, boxes, size):
        def cases():
            for kind in videos.KINDS:
                frames, truth = videos.make(kind, pictures, size, boxes)
                score_of = (lambda answers, truth=truth: scores.mean_average_precision(answers, truth)) if boxes else None
                yield kind, frames, videos.CLIP, score_of
        self.compare(title, blobs, cases())

    def yolov8n_320(self):
        blobs = self.convert("yolov8n_320", ZOO / "yolov8n_320/model.onnx", COCO / "calib", ["--resize", "letterbox"], YOLOV8)
        self.detector("YOLOv8n 320", blobs, *photographs(self.count), (480, 360))

    def ultraface(self):
        blobs = self.convert("ultraface", ZOO / "ultraface_rfb320_raw/model.onnx", COCO / "calib",
                             ["--scale", "1", "--mean", "127,127,127", "--std", "128,128,128"], ULTRAFACE)
        self.detector("UltraFace", blobs, photographs(self.count)[0], None, (320, 240))

    def lab_detector(self):
        blobs = self.convert("lab_detector", LAB / "mosaic_detector.onnx", LAB / "mosaic_calib_x.npy", [], LAB_DETECTOR)
        self.detector("lab detector", blobs, *mosaics(self.count), (128, 128))

    def resnet18(self):
        import cv2
        blobs = self.convert("resnet18", LAB / "resnet18_cifar10.onnx", LAB / "cifar_calib_x.npy",
                             ["--mean", "0.4914,0.4822,0.4465", "--std", "0.2470,0.2435,0.2616", "--task", "classify"])
        # Pictures of 32x32, enlarged so that the window of three quarters is a picture's size again.
        count = self.count
        pictures = [cv2.resize(one, (43, 43)) for one in np.load(LAB / "cifar_test_x.npy", mmap_mode="r")[:count]]
        labels = np.repeat(np.load(LAB / "cifar_test_y.npy")[:count], videos.CLIP)

        def cases():
            for kind in videos.KINDS:
                yield kind, videos.make(kind, pictures, (32, 32))[0], videos.CLIP, lambda answers: scores.top1(answers, labels)
        self.compare("ResNet18", blobs, cases())

    def scene(self):
        run([sys.executable, SOURCE / "demo/pictures.py", self.work])
        garments = ["--pictures", self.work / "calib.npy", "--labels", self.work / "calib_labels.npy"]
        run([self.bin / "octet-scene", *garments, "--frames", 256, "--seed", 10000000, "--output", self.work / "scene.npy"])
        blobs = self.convert("scene", SOURCE / "demo/scene_detector.onnx", self.work / "scene.npy",
                             ["--mean", "0,0,0", "--std", "1,1,1"], SCENE)
        paths = [self.work / f"scene_{name}.npy" for name in ("video", "boxes", "classes")]
        run([self.bin / "octet-scene", "--pictures", self.work / "test.npy", "--labels", self.work / "labels.npy", "--frames",
             SCENE_FRAMES, "--video", "--seed", 3, "--output", paths[0], "--boxes", paths[1], "--classes", paths[2]])
        boxes, classes = np.load(paths[1]), np.load(paths[2])
        truth = [[[*box.tolist(), int(label)] for box, label in zip(*frame) if label >= 0] for frame in zip(boxes, classes)]
        self.compare("scene detector", blobs,
                     [("scene", np.load(paths[0]), 0, lambda answers: scores.mean_average_precision(answers, truth))])


def print_tables(results):
    """Markdown: a table for each pair of figures, one for the cost."""
    names = ["fp16", "int8", *FILTERS]
    rows = {}
    filtered = {one["model"] for one in results if one["filters"] != 0}
    for model in dict.fromkeys(one["model"] for one in results if one["model"] not in filtered):
        print(f"{model}: no layer is filtered, so that all runs are those of int8.")
    for one in results:
        if one["model"] not in filtered:
            continue
        rows.setdefault((one["model"], one["video"]), {})[one["name"]] = one

    def table(title, text_of, columns):
        print(f"\n**{title}**\n\n| model | video | {' | '.join(columns)} |\n|{' --- |' * (2 + len(columns))}")
        for (model, video), runs in rows.items():
            if not any(text_of(runs[name]) for name in columns):
                continue
            print(f"| {model} | {video} | {' | '.join(text_of(runs[name]) for name in columns)} |")
    table("Agreement of the outputs with FP16's in dB / flicker", lambda one: f"{one['db']:.2f} / {one['flicker']:.3f}", names[1:])
    table("F1 (top-1) of the answers with FP16's / with those of the frame before, in percent",
          lambda one: f"{100 * one['agreement']:.1f} / {100 * one['steadiness']:.1f}", names)
    table("Score: mAP50-95, or top-1, in percent", lambda one: "" if one["score"] is None else f"{one['score']:.2f}", names)
    table("Bytes of the filtered tensors that change, in percent", lambda one: f"{100 * one['changed_share']:.2f}", names[2:])
    print("\n**Cost**\n\n| model | filter | layers | memory, bytes | int8 plan, ms | filters, ms |\n" + "|" + " --- |" * 6)
    for model in dict.fromkeys(model for model, _ in rows):
        video = next(video for one, video in rows if one == model)
        for name in ("H(z) 0.1 sigma", "mean"):  # the others take what one of these does
            one = rows[model, video][name]
            print(f"| {model} | {name} | {one['filters']} | {one['memory_bytes']} | {one['run_ms']:.2f} | {one['filter_ms']:.3f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    models = ("yolov8n_320", "ultraface", "lab_detector", "resnet18", "scene")
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build/native")
    parser.add_argument("--work", type=pathlib.Path, default=SOURCE / "build/temporal", help="folder for videos and blobs")
    parser.add_argument("--pictures", type=int, default=40, help="each gives a clip of every kind")
    parser.add_argument("--models", nargs="+", default=models, choices=models)
    options = parser.parse_args()
    for needed in (COCO, LAB, ZOO):
        if not needed.is_dir():
            sys.exit(f"{needed}: not there; the measurements are made of its pictures and models")
    bench = Bench(options)
    for name in options.models:
        getattr(bench, name)()
    (options.work / "results.json").write_text(json.dumps(bench.results, indent=1))
    print_tables(bench.results)


if __name__ == "__main__":
    main()
