"""mAP50-95 of two sides on the same labelled pictures, and how certain their difference is.

A side is the first output of a YOLO for N letterboxed pictures: [N, 4 + classes + more, anchors] (boxes cxcywh, then scores) or finished
boxes [N, rows, 6]. Labels: COCO's files beside META.json of ../shared/tools/letterbox_npy.py. Average precision as COCO has it (101 recalls,
IoU 0.50 to 0.95, crowds left out, best class of an anchor), suppression at 0.7. The difference is bootstrapped over pictures.
"""
import json
import pathlib

import numpy as np

OVERLAPS = np.arange(0.5, 1, 0.05)
RECALLS = np.linspace(0, 1, 101)
CLASSES, LEAST, SUPPRESSION, MOST, CONFIDENT = 80, 0.005, 0.7, 300, 0.5


def overlaps(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    low, high = np.maximum(a[:, None, :2], b[None, :, :2]), np.minimum(a[:, None, 2:4], b[None, :, 2:4])
    both = np.clip(high - low, 0, None).prod(2)
    area = [(x[:, 2] - x[:, 0]) * (x[:, 3] - x[:, 1]) for x in (a, b)]
    return both / (area[0][:, None] + area[1][None, :] - both + 1e-9)


def boxes_of(output: np.ndarray) -> np.ndarray:
    """[n, 6]: corners, score, class; best first."""
    if output.shape[-1] == 6:
        found = output[output[:, 4] >= LEAST].astype(float)
        return found[np.argsort(-found[:, 4], kind="stable")]
    scores = output[4:4 + CLASSES].max(0)
    at = np.flatnonzero(scores >= LEAST)
    x, y, w, h = output[:4, at].astype(float)
    found = np.stack([x - w / 2, y - h / 2, x + w / 2, y + h / 2, scores[at], output[4:4 + CLASSES, at].argmax(0)], 1)
    found = found[np.argsort(-found[:, 4], kind="stable")][:3000]
    apart = found[:, :4] + found[:, 5:] * 5000  # classes do not suppress each other
    near, left, kept = overlaps(apart, apart) > SUPPRESSION, np.ones(len(found), bool), []
    for i in range(len(found)):
        if left[i] and len(kept) < MOST:
            kept.append(i)
            left &= ~near[i]
    return found[kept]


def labels_of(meta: pathlib.Path, labels: pathlib.Path) -> list:
    """By picture: [n, 6] as boxes_of, in pixels of the letterboxed picture."""
    document = json.loads(labels.read_text())
    numbers = {c: i for i, c in enumerate(sorted(c["id"] for c in document["categories"]))}
    by_picture = {}
    for a in document["annotations"]:
        if not a.get("iscrowd", 0):
            by_picture.setdefault(a["image_id"], []).append((a["bbox"], numbers[a["category_id"]]))
    return [np.array([[x * s + left, y * s + top, (x + w) * s + left, (y + h) * s + top, 1, c]
                      for (x, y, w, h), c in by_picture.get(picture, [])]).reshape(-1, 6)
            for picture, s, top, left, _, _ in json.loads(meta.read_text())]


def found_by(boxes: np.ndarray, truths: np.ndarray) -> np.ndarray:
    """[boxes, overlaps]: whether a box finds a truth that no better one has found."""
    right = np.zeros((len(boxes), len(OVERLAPS)), bool)
    if not len(boxes) or not len(truths):
        return right
    near = overlaps(boxes, truths) * (boxes[:, 5][:, None] == truths[:, 5][None, :])
    for t, least in enumerate(OVERLAPS):
        free = np.ones(len(truths))
        for i in np.flatnonzero(near.max(1) >= least):
            best = (near[i] * free).argmax()
            if near[i, best] * free[best] >= least:
                free[best], right[i, t] = 0, True
    return right


class Side:
    def __init__(self, outputs: list, truths: list):
        """outputs: one array [N, ...] or several, in the order of `truths`."""
        self.boxes = [boxes_of(np.array(output)) for part in outputs for output in part]
        self.right = np.concatenate([found_by(b, t) for b, t in zip(self.boxes, truths)])
        self.picture = np.concatenate([np.full(len(b), i) for i, b in enumerate(self.boxes)])
        table = np.concatenate(self.boxes)
        order = np.argsort(-table[:, 4], kind="stable")
        self.scores, self.classes = table[order, 4], table[order, 5]
        self.right, self.picture = self.right[order], self.picture[order]
        labelled = np.concatenate(truths)[:, 5]
        self.of_class = {c: np.flatnonzero(self.classes == c) for c in np.unique(labelled)}
        self.truths = {c: np.array([(t[:, 5] == c).sum() for t in truths]) for c in self.of_class}

    def score(self, weights: np.ndarray) -> float:
        """mAP50-95 in percent, pictures weighed."""
        of_classes = []
        for c, at in self.of_class.items():
            there = (weights * self.truths[c]).sum()
            if there == 0:
                continue
            w = weights[self.picture[at]]
            hits = np.cumsum(self.right[at] * w[:, None], 0)
            precision = hits / np.maximum(np.cumsum(w), 1e-9)[:, None]
            precision = np.maximum.accumulate(precision[::-1], 0)[::-1]
            by_overlap = []
            for t in range(len(OVERLAPS)):
                at_recall = np.searchsorted(hits[:, t] / there, RECALLS)
                by_overlap.append(np.append(precision[:, t], 0)[np.minimum(at_recall, len(precision))].mean())
            of_classes.append(np.mean(by_overlap))
        return 100 * float(np.mean(of_classes))

    def confident(self) -> int:
        return int((self.scores >= CONFIDENT).sum())


def loss(exact: Side, plan: Side, replicates: int = 200) -> tuple:
    """(points of mAP that `plan` loses, low, high): 95 % on both sides."""
    count = len(exact.boxes)
    random = np.random.Generator(np.random.PCG64(5))
    drawn = [np.bincount(random.integers(0, count, count), minlength=count).astype(float) for _ in range(replicates)]
    losses = [exact.score(w) - plan.score(w) for w in drawn]
    one = np.ones(count)
    return exact.score(one) - plan.score(one), float(np.percentile(losses, 2.5)), float(np.percentile(losses, 97.5))


def score_shift(exact: Side, plan: Side) -> float:
    """Mean change of the scores of the exact side's confident boxes, by the best box there (IoU 0.75, same class)."""
    shifts = []
    for ours, theirs in zip(exact.boxes, plan.boxes):
        for box in ours[ours[:, 4] >= CONFIDENT]:
            there = theirs[(theirs[:, 5] == box[5])]
            there = there[overlaps(box[None], there)[0] >= 0.75] if len(there) else there
            if len(there):
                shifts.append(there[:, 4].max() - box[4])
    return float(np.mean(shifts)) if shifts else 0.0
