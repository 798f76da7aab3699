#!/usr/bin/env python3
"""mAP@0.5 of the scene detector's outputs, decoded and scored with numpy alone.

The output is float32 [N,4+C,A]. Anchors run over the strides 16 and 32, in each over rows, then columns. Of the anchor
in row i and column j of stride s, rows 0 to 3 are the distances left, top, right and bottom from ((j+0.5)*s, (i+0.5)*s)
in units of s, and rows 4 on the probabilities of the classes.
"""
import argparse
import json
import pathlib

import numpy as np

SIDE, STRIDES = 320, (16, 32)
SCORE_THRESHOLD, NMS_IOU, MATCH_IOU = 0.001, 0.5, 0.5


def anchors() -> "tuple[np.ndarray, np.ndarray]":
    """Centres [A,2] in pixels and strides [A]."""
    centres, strides = [], []
    for stride in STRIDES:
        line = (np.arange(SIDE // stride, dtype=np.float32) + 0.5) * stride
        y, x = np.meshgrid(line, line, indexing="ij")
        centres.append(np.stack([x, y], -1).reshape(-1, 2))
        strides.append(np.full(len(centres[-1]), stride, np.float32))
    return np.concatenate(centres), np.concatenate(strides)


def box_iou(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """[n,4] and [m,4] as x0, y0, x1, y1 -> [n,m]."""
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:], b[None, :, 2:])
    both = np.prod(np.maximum(high - low, 0), -1)
    area = lambda x: np.prod(np.maximum(x[:, 2:] - x[:, :2], 0), -1)
    return both / np.maximum(area(a)[:, None] + area(b)[None] - both, 1e-9)


def decode(output: np.ndarray, every_class: bool = True) -> "tuple[np.ndarray, np.ndarray, np.ndarray]":
    """One frame's [4+C,A] -> boxes [n,4] in pixels, scores [n] and classes [n], best first, after class-wise NMS.

    Every class of an anchor that reaches the threshold is a candidate; or, without every_class, its best class only.
    """
    centres, strides = anchors()
    scores = output[4:]
    candidate = scores >= SCORE_THRESHOLD
    if not every_class:
        candidate &= np.arange(len(scores))[:, None] == scores.argmax(0)
    classes, anchor = np.nonzero(candidate)
    scores = scores[classes, anchor]
    order = np.argsort(-scores, kind="stable")
    classes, anchor, scores = classes[order], anchor[order], scores[order]
    distance = output[:4, anchor].T * strides[anchor, None]
    boxes = np.concatenate([centres[anchor] - distance[:, :2], centres[anchor] + distance[:, 2:]], 1).clip(0, SIDE)
    hidden = (box_iou(boxes, boxes) > NMS_IOU) & (classes[:, None] == classes[None])
    kept = []
    alive = np.ones(len(boxes), bool)
    for i in range(len(boxes)):
        if alive[i]:
            kept.append(i)
            alive &= ~hidden[i]
    return boxes[kept], scores[kept], classes[kept]


def average_precision(outputs: np.ndarray, boxes: np.ndarray, classes: np.ndarray, every_class: bool = True) -> "list[float]":
    """AP at MATCH_IOU of every class, area under the precision envelope; truth [N,M,4] and [N,M], -1: no box."""
    count = outputs.shape[1] - 4
    found = [[] for _ in range(count)]  # (score, matched a box nothing better had matched)
    for output, truth_boxes, truth_classes in zip(outputs, boxes, classes):
        found_boxes, scores, labels = decode(output, every_class)
        iou = box_iou(found_boxes, truth_boxes)
        iou[labels[:, None] != truth_classes[None]] = 0
        taken = np.zeros(len(truth_classes), bool)
        for row, score, label in zip(iou, scores, labels):
            best = int(np.where(taken, 0, row).argmax())
            matched = not taken[best] and row[best] >= MATCH_IOU
            taken[best] |= matched
            found[label].append((score, matched))
    result = []
    for label in range(count):
        truths = int((classes == label).sum())
        if not truths:
            continue
        ranked = sorted(found[label], key=lambda entry: -entry[0])
        true = np.cumsum([matched for _, matched in ranked])
        precision = true / np.arange(1, len(ranked) + 1)
        precision = np.maximum.accumulate(precision[::-1])[::-1]
        recall = np.concatenate([[0], true / truths])
        result.append(float(np.sum(np.diff(recall) * precision)))
    return result


def scores(outputs: np.ndarray, boxes: np.ndarray, classes: np.ndarray) -> dict:
    """Percentages for a report."""
    every = average_precision(outputs, boxes, classes)
    best = average_precision(outputs, boxes, classes, every_class=False)
    return {"map50_percent": round(100 * float(np.mean(every)), 2),
            "ap50_percent": [round(100 * value, 2) for value in every],
            "map50_best_class_percent": round(100 * float(np.mean(best)), 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=pathlib.Path, help="float32 [N,4+C,A] as octet-run writes it")
    parser.add_argument("boxes", type=pathlib.Path, help="of octet-scene --boxes")
    parser.add_argument("classes", type=pathlib.Path, help="of octet-scene --classes")
    options = parser.parse_args()
    truth = np.load(options.boxes), np.load(options.classes)
    outputs = np.load(options.output).reshape(len(truth[0]), -1, sum((SIDE // s) ** 2 for s in STRIDES))
    print(json.dumps({"frames": len(outputs)} | scores(outputs, *truth)))


if __name__ == "__main__":
    main()
