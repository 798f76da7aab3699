#!/usr/bin/env python3
"""Decode presets on real models: what `octet-run --json` finds in pictures against decoders written anew, in NumPy.

Each model of ../shared/zoo is converted with its preset, calibrated and run on the pictures behind its stored inputs. The
numbers of the FP16 plan's outputs (--output) go through the decoder here, and boxes, key points and masks have to agree:
what is compared is decoding alone. Skips where the zoo is absent. Without --all only the models that convert in seconds.
"""
import argparse
import json
import sys

import numpy as np

from model_tests import SKIPPED, SOURCE, Build, Report, Skip, arguments, run

ZOO = SOURCE.parent / "shared" / "zoo"
NEWER = ZOO.with_name("zoo_2026")
# A model that has no stored pictures is shown those of another of its size.
PICTURES_OF = {"deimv2_atto_320": "yolov8n_320"}
PIXEL = 0.11  # JSON has one digit behind the point


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def overlap(a, b):
    size = np.clip(np.minimum(a[2:4], b[2:4]) - np.maximum(a[:2], b[:2]), 0, None)
    both = size.prod()
    every = (a[2:4] - a[:2]).prod() + (b[2:4] - b[:2]).prod() - both
    return both / every if every > 0 else 0.0


def corners(centre_x, centre_y, width, height):
    return np.stack([centre_x - width / 2, centre_y - height / 2, centre_x + width / 2, centre_y + height / 2], 1)


def suppress(boxes, scores, labels, threshold, iou, most=100):
    """Numbers of the candidates that stay, best first."""
    kept = []
    for i in sorted(np.flatnonzero(scores >= threshold), key=lambda i: (-scores[i], i)):
        if all(labels[i] != labels[k] or overlap(boxes[i], boxes[k]) <= iou for k in kept):
            kept.append(i)
        if len(kept) == most:
            break
    return kept


def cells(size, stride, each=1):
    side = -(-size // stride)
    row, column = np.mgrid[:side, :side]
    return np.repeat(column.ravel(), each).astype(np.float64), np.repeat(row.ravel(), each).astype(np.float64)


def yolo_planes(outputs, size, classes, points=0):
    out = outputs[0].astype(np.float64)
    boxes = corners(*out[:4])
    scores, labels = out[4:4 + classes].max(0), out[4:4 + classes].argmax(0)
    kept = suppress(boxes, scores, labels, 0.25, 0.45)
    keypoints = out[4 + classes:4 + classes + 3 * points].T.reshape(-1, points, 3)[kept] if points else None
    return boxes[kept], scores[kept], labels[kept], keypoints, out[4 + classes:].T[kept]


def yolov8(outputs, size):
    return yolo_planes(outputs, size, 80)[:4]


def yolov8_seg(outputs, size):
    return yolo_planes(outputs, size, 80)  # masks from the coefficients


def yolo11_pose(outputs, size):
    return yolo_planes(outputs, size, 1, 17)[:4]


def yolo26(outputs, size):
    out = outputs[0].astype(np.float64)
    kept = [i for i in sorted(range(len(out)), key=lambda i: (-out[i, 4], i)) if out[i, 4] >= 0.25]
    return out[kept, :4], out[kept, 4], np.round(out[kept, 5]).astype(int), None


def deim(outputs, size):
    labels, boxes, scores = (o.astype(np.float64) for o in outputs)
    labels, scores = labels.ravel(), scores.ravel()
    kept = [i for i in sorted(range(len(scores)), key=lambda i: (-scores[i], i)) if scores[i] >= 0.25]
    return boxes.reshape(-1, 4)[kept], scores[kept], np.round(labels[kept]).astype(int), None


def yolox(outputs, size):
    out = outputs[0].astype(np.float64)
    grid = [(*cells(size, s), np.full((-(-size // s)) ** 2, s)) for s in (8, 16, 32)]
    column, row, stride = (np.concatenate(part) for part in zip(*grid))
    boxes = corners((out[:, 0] + column) * stride, (out[:, 1] + row) * stride, np.exp(out[:, 2]) * stride,
                    np.exp(out[:, 3]) * stride)
    scores, labels = out[:, 4] * out[:, 5:].max(1), out[:, 5:].argmax(1)
    kept = suppress(boxes, scores, labels, 0.25, 0.45)
    return boxes[kept], scores[kept], labels[kept], None


def nanodet(outputs, size):
    boxes, scores, labels = [], [], []
    for level, stride in enumerate((8, 16, 32)):
        score, distance = outputs[level].astype(np.float64), outputs[3 + level].astype(np.float64).reshape(-1, 4, 8)
        share = np.exp(distance - distance.max(2, keepdims=True))
        distance = (share / share.sum(2, keepdims=True) * np.arange(8)).sum(2) * stride
        column, row = cells(size, stride)
        x, y = (column + 0.5) * stride, (row + 0.5) * stride
        boxes.append(np.stack([x - distance[:, 0], y - distance[:, 1], x + distance[:, 2], y + distance[:, 3]], 1))
        scores.append(score.max(1))
        labels.append(score.argmax(1))
    boxes, scores, labels = map(np.concatenate, (boxes, scores, labels))
    kept = suppress(boxes, scores, labels, 0.35, 0.6)
    return boxes[kept], scores[kept], labels[kept], None


def yunet(outputs, size):
    boxes, scores, points = [], [], []
    for level, stride in enumerate((8, 16, 32)):
        face, thing, box, point = (outputs[3 * k + level].astype(np.float64) for k in range(4))
        column, row = cells(size, stride)
        boxes.append(corners((box[:, 0] + column) * stride, (box[:, 1] + row) * stride, np.exp(box[:, 2]) * stride,
                             np.exp(box[:, 3]) * stride))
        scores.append(np.sqrt(np.clip(face[:, 0] * thing[:, 0], 0, None)))
        point = point.reshape(-1, 5, 2) + np.stack([column, row], 1)[:, None]
        points.append(np.concatenate([point * stride, np.ones((*point.shape[:2], 1))], 2))
    boxes, scores, points = map(np.concatenate, (boxes, scores, points))
    labels = np.zeros(len(scores), int)
    kept = suppress(boxes, scores, labels, 0.6, 0.3)
    return boxes[kept], scores[kept], labels[kept], points[kept]


def blazeface(outputs, size):
    boxes, scores, points = [], [], []
    for level, (stride, each) in enumerate(((8, 2), (16, 6))):
        score, numbers = outputs[level].astype(np.float64)[:, 0], outputs[2 + level].astype(np.float64)
        column, row = cells(size, stride, each)
        x, y = (column + 0.5) * stride, (row + 0.5) * stride
        boxes.append(corners(x + numbers[:, 0], y + numbers[:, 1], numbers[:, 2], numbers[:, 3]))
        scores.append(sigmoid(score))
        point = numbers[:, 4:].reshape(-1, 6, 2) + np.stack([x, y], 1)[:, None]
        points.append(np.concatenate([point, np.ones((*point.shape[:2], 1))], 2))
    boxes, scores, points = map(np.concatenate, (boxes, scores, points))
    labels = np.zeros(len(scores), int)
    kept = suppress(boxes, scores, labels, 0.5, 0.3)
    return boxes[kept], scores[kept], labels[kept], points[kept]


RGB = lambda x: x  # noqa: E731
CASES = {
    # name: preset, decoder, bytes of a picture from the stored input, options of convert, fast enough for every run
    "yunet_n_320": ("yunet", yunet, lambda x: x.transpose(0, 2, 3, 1)[..., ::-1], ["--scale", "1", "--colour", "bgr"], True),
    "blazeface_front": ("blazeface", blazeface, lambda x: (x + 1) * 127.5, ["--mean", "0.5", "--std", "0.5"], True),
    "nanodet_m_320": ("nanodet", nanodet, lambda x: (x.transpose(0, 2, 3, 1) * (57.375, 57.12, 58.395)
                                                     + (103.53, 116.28, 123.675))[..., ::-1],
                      ["--scale", "1", "--mean", "103.53,116.28,123.675", "--std", "57.375,57.12,58.395", "--colour", "bgr"], True),
    "yolox_nano": ("yolox", yolox, lambda x: x.transpose(0, 2, 3, 1)[..., ::-1], ["--scale", "1", "--colour", "bgr"], False),
    "yolov8n_320": ("yolov8", yolov8, RGB, [], False),
    "yolo11n_320": ("yolo11", yolov8, RGB, [], False),
    "yolov8n_seg_320": ("yolov8-seg", yolov8_seg, RGB, [], False),
    "yolo26n_640": ("yolo26", yolo26, RGB, [], False),
    "deimv2_atto_320": ("deim", deim, RGB, ["--bind", "orig_target_sizes=320,320"], False),
    "yolo11n_pose_qdq": ("yolo11-pose", yolo11_pose, RGB, [], False),
}


def write_pictures(folder, pixels) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for i, picture in enumerate(np.clip(np.rint(pixels), 0, 255).astype(np.uint8)):
        height, width = picture.shape[:2]
        (folder / f"{i}.ppm").write_bytes(b"P6 %d %d 255\n" % (width, height) + np.ascontiguousarray(picture).tobytes())


def mask_of(coefficients, prototypes, box, size):
    """Pixels of the picture: bilinear between the middles of the prototypes' cells, cut to the box."""
    sums = np.tensordot(coefficients, prototypes.astype(np.float64), 1)
    at = np.clip((np.arange(size) + 0.5) * sums.shape[0] / size - 0.5, 0, sums.shape[0] - 1)
    low = np.minimum(at.astype(int), sums.shape[0] - 2)
    weight = at - low
    rows = sums[low] * (1 - weight)[:, None] + sums[low + 1] * weight[:, None]
    full = rows[:, low] * (1 - weight) + rows[:, low + 1] * weight
    middle = np.arange(size) + 0.5
    inside = ((middle >= box[0]) & (middle < box[2]))[None] & ((middle >= box[1]) & (middle < box[3]))[:, None]
    return (full > 0) & inside


def mask_from(found, size):
    left, top, width, height = found["at"]
    values = np.repeat(np.arange(len(found["runs"])) % 2, found["runs"]).astype(bool)
    mask = np.zeros((size, size), bool)
    mask[top:top + height, left:left + width] = values.reshape(height, width)
    return mask


def compare(found: list, expected: tuple, outputs: list, size: int) -> str:
    boxes, scores, labels, points = expected[:4]
    assert len(found) == len(boxes), f"{len(found)} boxes, {len(boxes)} expected"
    worst = 0.0
    for i, one in enumerate(found):
        wanted = np.clip(boxes[i], 0, size)
        assert one["class"] == labels[i], f"box {i} is of class {one['class']}, not {labels[i]}"
        assert abs(one["score"] - scores[i]) <= 2e-4, f"box {i} scores {one['score']}, not {scores[i]:.4f}"
        worst = max(worst, float(np.abs(np.array(one["box"]) - wanted).max()))
        if points is not None:
            wanted = np.clip(points[i][:, :2], 0, size)
            worst = max(worst, float(np.abs(np.array(one["points"])[:, :2] - wanted).max()))
        if len(expected) > 4:
            mask, wanted = mask_from(one["mask"], size), mask_of(expected[4][i], outputs[1], boxes[i], size)
            differ = int((mask != wanted).sum())
            assert differ <= 2 + 0.001 * wanted.sum(), f"mask {i}: {differ} of {wanted.sum()} pixels differ"
    assert worst <= PIXEL, f"{worst:.2f} pixels apart"
    return f"{len(found)} boxes, at most {worst:.2f} pixels apart"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="every preset; takes minutes")
    parser.add_argument("--models", default="", help="these alone, joined by commas")
    options = arguments(parser)
    if not ZOO.exists():
        print("skipped: ../shared/zoo is not there")
        return SKIPPED
    build, report = Build(options.build), Report("DecodePresets", options.report)
    for name, (preset, decode, to_bytes, convert, fast) in CASES.items():
        if options.models and name not in options.models.split(",") or not (options.models or options.all or fast):
            continue
        with report.case(f"{preset}.{name}"):
            ref = ZOO / PICTURES_OF.get(name, name) / "ref"
            files = sorted(ref.glob("*/input_0.npy")) or sorted(ref.glob("*/images_u8_nhwc.npy"))
            pixels = np.concatenate([to_bytes(np.load(file)) for file in files])
            size, folder = pixels.shape[1], options.work / f"presets.{name}"
            write_pictures(folder, pixels)
            blob, out = options.work / f"presets.{name}.octet", options.work / f"presets.{name}.npy"
            model = next((zoo / name / "model.onnx" for zoo in (ZOO, NEWER) if (zoo / name).exists()), None)
            if model is None:
                raise Skip(f"../shared/zoo and zoo_2026 have no {name}")
            run([build.octet, "convert", model, "-o", blob, "--calibrate", folder, "--task", "detect",
                 "--decode", preset, *convert])
            results = build.infer(blob, folder, out, "--plan", "fp16", "--threads", 2)["results"]
            outputs = [np.load(file) for file in
                       (sorted(out.parent.glob(f"{out.stem}.*.npy"), key=lambda f: int(f.stem.rsplit(".", 1)[1]))
                        if not out.exists() else [out])]
            total = 0
            for i, result in enumerate(results):
                mine = [o.reshape(len(results), *o.shape[1:])[i] for o in outputs]
                mine = [o.reshape(o.shape[-2:]) if o.ndim > 2 and o.shape[0] == 1 else o for o in mine]
                text = compare(result["detections"], decode(mine, size), mine, size)
                total += len(result["detections"])
                print(f"{name} {i}: {text}")
            assert total > 0, "nothing found in any picture"
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
