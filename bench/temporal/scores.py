"""mAP of answers to a video whose boxes are known."""
import numpy as np

THRESHOLDS = np.arange(0.5, 1, 0.05)


def overlaps(box, boxes):
    size = np.clip(np.minimum(box[2:], boxes[:, 2:]) - np.maximum(box[:2], boxes[:, :2]), 0, None)
    both = size[:, 0] * size[:, 1]
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    return both / ((box[2] - box[0]) * (box[3] - box[1]) + area - both + 1e-9)


def average_precision(found, truths, threshold):
    """found: (score, frame, box), best first; truths: boxes by frame. All points of recall."""
    used = {frame: np.zeros(len(boxes), bool) for frame, boxes in truths.items()}
    right = []
    for _, frame, box in found:
        boxes = truths.get(frame)
        hit = False
        if boxes is not None:
            iou = np.where(used[frame], 0, overlaps(box, boxes))
            best = int(iou.argmax())
            hit = iou[best] >= threshold
            used[frame][best] |= hit
        right.append(hit)
    if not right:
        return 0.0
    right = np.cumsum(right)
    precision = np.maximum.accumulate((right / np.arange(1, len(right) + 1))[::-1])[::-1]
    recall = right / sum(len(boxes) for boxes in truths.values())
    return float(np.sum(np.diff(np.concatenate([[0], recall])) * precision))


def mean_average_precision(answers, truth, thresholds=THRESHOLDS):
    """In percent. answers: by frame, [x0, y0, x1, y1, score, label]; truth: by frame, [x0, y0, x1, y1, label]."""
    labels = sorted({int(box[4]) for boxes in truth for box in boxes})
    by_label = {label: [] for label in labels}
    for frame, boxes in enumerate(answers):
        for box in boxes:
            if int(box[5]) in by_label:
                by_label[int(box[5])].append((box[4], frame, np.array(box[:4])))
    precisions = []
    for label in labels:
        truths = {frame: np.array([b[:4] for b in boxes if b[4] == label], float)
                  for frame, boxes in enumerate(truth) if any(b[4] == label for b in boxes)}
        found = sorted(by_label[label], key=lambda one: -one[0])
        precisions.append([average_precision(found, truths, threshold) for threshold in thresholds])
    return 100 * float(np.mean(precisions)) if precisions else None


def top1(answers, labels):
    """In percent. answers: by frame, [score, label] of the best classes."""
    return 100 * float(np.mean([answer[0][1] == label for answer, label in zip(answers, labels)]))
