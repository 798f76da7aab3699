#!/usr/bin/env python3
"""mAP50-95 of real detectors on real photographs: float, FP16 plan and INT8 plan, paired.

One score moves by 0.3 points when every pixel moves by one grey level, so each is the mean over five fixed variants of
the pictures: as they are, +1, -1, noise of +-1 with a fixed seed, JPEG of quality 95. Calibrated with default settings on
the calibration pictures. Float is this project's FP32 executor (fp32_outputs); scores are made by ../shared/tools, which
this only calls. Needs ../shared/coco, ../shared/zoo, Debian's python3-opencv, and the target fp32_outputs; takes minutes
to hours, so no test runs it. Scores of float are kept in the work folder.
"""
import argparse
import json
import pathlib
import sys
import time

import numpy as np

from model_tests import SKIPPED, SOURCE, Build, arguments, digest, run

SHARED = SOURCE.parent / "shared"
COCO, ZOO, TOOLS = SHARED / "coco", SHARED / "zoo", SHARED / "tools"
MODELS = {"yolov8n_640": 640, "yolov8n_320": 320, "yolo11n_320": 320, "yolo26n_640": 640, "yolov8n_seg_320": 320}
VARIANTS = ("as_is", "plus1", "minus1", "noise", "jpeg95")
ANCHORS_TO_BOXES = 0.7  # IoU of the suppression, as Ultralytics scores its models
CONFIDENT = 0.5


def make_variant(name: str, folder: pathlib.Path) -> pathlib.Path:
    """The pictures of val, changed, as PNG data under their old names (readers go by the content)."""
    import cv2
    if name == "as_is":
        return COCO / "val"
    folder = folder / f"val_{name}"
    folder.mkdir(parents=True, exist_ok=True)
    noise = np.random.Generator(np.random.PCG64(7))
    for path in sorted((COCO / "val").iterdir()):
        picture = cv2.imread(str(path)).astype(np.int16)
        change = {"plus1": 1, "minus1": -1}.get(name)
        if name == "noise":
            change = noise.integers(-1, 2, picture.shape, np.int16)
        if name == "jpeg95":
            data = cv2.imencode(".jpg", picture.astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 95])[1]
        else:
            data = cv2.imencode(".png", np.clip(picture + change, 0, 255).astype(np.uint8))[1]
        (folder / path.name).write_bytes(data.tobytes())
    return folder


def pictures(name: str, size: int, work: pathlib.Path) -> tuple:
    """(uint8 .npy of the variant letterboxed, META.json)."""
    pixels, meta = work / f"coco.{name}.{size}.npy", work / f"coco.{name}.{size}.json"
    if not pixels.exists() or not meta.exists():
        part = work / f"coco.{name}.{size}.part.npy"
        run([sys.executable, TOOLS / "letterbox_npy.py", make_variant(name, work), size, part, meta, COCO / "val.json"])
        part.replace(pixels)
    return pixels, meta


def map_of(outputs: pathlib.Path, meta: pathlib.Path) -> float:
    words = run([sys.executable, TOOLS / "coco_map.py", outputs, meta, COCO / "val.json"]).split()
    return float(words[words.index("mAP50-95") + 1])


def first_output(path: pathlib.Path) -> pathlib.Path:
    return path if path.exists() else path.with_suffix(".0.npy")


def remove(path: pathlib.Path) -> None:
    for file in (path, *path.parent.glob(f"{path.stem}.[0-9].npy")):
        file.unlink(missing_ok=True)


def objects(output: np.ndarray, prototypes: np.ndarray, confident: float) -> list:
    """Objects of one picture from a score on: (class, score, box, mask on the prototypes' grid)."""
    import cv2
    boxes, scores, weights = output[:4].T, output[4:84].T, output[84:].T
    best = scores.argmax(1)
    value = scores.max(1)
    found = np.flatnonzero(value >= confident)
    if not len(found):
        return []
    corner = np.concatenate([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, 2:]], 1)
    shifted = corner[found].copy()
    shifted[:, :2] += best[found, None] * 5000.0  # classes do not suppress each other
    kept = np.array(cv2.dnn.NMSBoxes(shifted.tolist(), value[found].tolist(), confident, ANCHORS_TO_BOXES)).ravel()
    result, grid = [], prototypes.shape[1]
    pixel = 320 / grid
    centres = (np.arange(grid) + 0.5) * pixel
    for i in found[kept.astype(int)]:
        x, y, w, h = corner[i]
        inside = ((centres >= x) & (centres < x + w))[None, :] & ((centres >= y) & (centres < y + h))[:, None]
        mask = (np.tensordot(weights[i], prototypes, 1) > 0) & inside
        result.append((best[i], value[i], np.array([x, y, x + w, y + h]), mask))
    return result


def box_iou(a, b) -> float:
    size = np.clip(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0, None)
    both = size.prod()
    return float(both / ((a[2:] - a[:2]).prod() + (b[2:] - b[:2]).prod() - both + 1e-9))


def mask_ious(outputs: pathlib.Path, reference: pathlib.Path) -> list:
    """IoU of each confident object's mask in float with that of the plan's object it finds, which may be half as confident;
    0 where it finds none."""
    loaded = [np.load(path.with_suffix(f".{k}.npy"), mmap_mode="r") for path in (outputs, reference) for k in (0, 1)]
    ious = []
    for got, got_masks, wanted, wanted_masks in zip(*loaded):
        mine = objects(got, got_masks, CONFIDENT / 2)
        for label, _, box, mask in objects(wanted, wanted_masks, CONFIDENT):
            rivals = [o for o in mine if o[0] == label and box_iou(o[2], box) >= 0.5]
            best = max(rivals, key=lambda o: box_iou(o[2], box), default=None)
            ious.append(0.0 if best is None else (best[3] & mask).sum() / max(1, (best[3] | mask).sum()))
    return ious


def fp16_share(build: Build, blob: pathlib.Path) -> float:
    layers = next(p for p in build.inspect(blob)["plans"] if p["name"] == "int8")["layers"]
    macs = sum(layer["macs"] for layer in layers)
    return 100 * sum(layer["macs"] for layer in layers if layer["precision"] == "fp16") / macs


class Scores:
    def __init__(self, options):
        self.options, self.build = options, Build(options.build)
        self.kept_path = options.work / "coco.float.json"
        self.kept = json.loads(self.kept_path.read_text()) if self.kept_path.exists() else {}

    def float_score(self, name: str, variant: str, keep: bool) -> float:
        model, size, work = ZOO / name / "model.onnx", MODELS[name], self.options.work
        key, out = f"{digest(model)[:16]} {variant}", work / f"coco.{name}.float.npy"
        if key not in self.kept or (keep and not first_output(out).exists()):
            pixels, meta = pictures(variant, size, work)
            run([self.build.folder / "tests" / "fp32_outputs", model, out, pixels])
            self.kept[key] = map_of(first_output(out), meta)
            self.kept_path.write_text(json.dumps(self.kept, indent=1))
            if not keep:
                remove(out)
        return self.kept[key]

    def convert(self, name: str) -> tuple:
        source = ZOO / name / ("model_dynamic.onnx" if self.options.dynamic else "model.onnx")
        blob = self.options.work / f"coco.{name}.octet"
        started = time.monotonic()
        run([self.build.octet, "convert", source, "-o", blob, "--calibrate", COCO / "calib", "--resize", "letterbox",
             *self.options.convert.split()])
        return blob, time.monotonic() - started

    def model(self, name: str) -> dict:
        work, size = self.options.work, MODELS[name]
        blob, seconds = (self.options.blob, 0.0) if self.options.blob else self.convert(name)
        result = {"model": name, "convert_s": round(seconds, 1), "fp16_macs_percent": round(fp16_share(self.build, blob), 2),
                  "float": {}, **{plan: {} for plan in self.options.plans}}
        print(f"{name}: converted in {seconds:.0f} s, {result['fp16_macs_percent']:.1f} % of the INT8 plan's MACs in FP16",
              flush=True)
        segments = "seg" in name
        for variant in self.options.variants:
            keep = segments and variant == self.options.variants[0]
            if self.options.float:
                result["float"][variant] = self.float_score(name, variant, keep)
            pixels, meta = pictures(variant, size, work)
            for plan in self.options.plans:
                out = work / f"coco.{name}.{plan}.npy"
                self.build.infer(blob, pixels, out, "--plan", plan, "--threads", 2)
                result[plan][variant] = map_of(first_output(out), meta)
                if keep and self.options.float:
                    ious = mask_ious(out, work / f"coco.{name}.float.npy")
                    result[f"{plan}_masks"] = {"count": len(ious), "mean": float(np.mean(ious)), "least": float(min(ious))}
                remove(out)
            line = "  ".join(f"{key} {result[key][variant]:.2f}" for key in ("float", *self.options.plans)
                             if variant in result[key])
            print(f"  {variant:8} {line}", flush=True)
        for key in ("float", *self.options.plans):
            if result[key]:
                result[f"{key}_mean"] = round(float(np.mean(list(result[key].values()))), 3)
        line = "  ".join(f"{key} {result[f'{key}_mean']:.2f}" for key in ("float", *self.options.plans)
                         if f"{key}_mean" in result)
        print(f"  {'mean':8} {line}", flush=True)
        for plan in self.options.plans:
            if f"{plan}_masks" in result:
                masks = result[f"{plan}_masks"]
                print(f"  masks    {plan}: IoU with float's {masks['mean']:.3f} over {masks['count']} confident objects, "
                      f"least {masks['least']:.3f}", flush=True)
        return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--variants", default=",".join(VARIANTS))
    parser.add_argument("--plans", default="fp16,int8")
    parser.add_argument("--no-float", dest="float", action="store_false", help="plans alone")
    parser.add_argument("--dynamic", action="store_true", help="convert model_dynamic.onnx")
    parser.add_argument("--convert", default="", help="more options of octet convert, in one word list")
    parser.add_argument("--blob", type=pathlib.Path, help="score this blob of the one model given")
    parser.add_argument("--json", type=pathlib.Path, help="file for all figures")
    options = arguments(parser)
    for name in ("models", "variants", "plans"):
        setattr(options, name, getattr(options, name).split(","))
    if not COCO.exists() or not ZOO.exists():
        print("skipped: ../shared/coco is not there")
        return SKIPPED
    try:
        import cv2  # noqa: F401
    except ImportError:
        print("skipped: Debian's python3-opencv is not installed")
        return SKIPPED
    scores = Scores(options)
    results = [scores.model(name) for name in options.models]
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
