"""MOTA, IDF1, HOTA and id switches as TrackEval defines them. python3 scores.py TRUTH.txt TRACKS.txt

Truth counts where its `visible` is at least 0.3. Tracks on other truth count neither way: first all boxes of a frame are matched at
IoU 0.5, and those on truth that does not count are removed (as TrackEval does with distractors of MOTChallenge).
"""
import collections
import sys

import numpy as np

from matching import iou, match

LEAST_VISIBLE = 0.3
THRESHOLDS = np.arange(0.05, 0.99, 0.05)


def read(path):
    """{frame: [rows]} of a MOTChallenge text."""
    frames = collections.defaultdict(list)
    with open(path) as file:
        for line in file:
            numbers = [float(word) for word in line.split(",")]
            frames[int(numbers[0])].append(numbers)
    return frames


def prepare(truth, tracks):
    """For each frame: truth ids, track ids, similarity. Ids are counted from 0."""
    frames, truth_ids, track_ids = [], {}, {}
    for frame in range(1, max([0, *truth, *tracks]) + 1):
        real, found = truth.get(frame, []), tracks.get(frame, [])
        similarity = iou([r[2:6] for r in real], [t[2:6] for t in found])
        counts = np.array([r[8] >= LEAST_VISIBLE for r in real], bool)
        kept = np.ones(len(found), bool)
        for r, t in match(np.where(similarity >= 0.5, similarity, 0)):
            kept[t] = counts[r]
        frames.append((np.array([truth_ids.setdefault(r[1], len(truth_ids)) for r, c in zip(real, counts) if c], int),
                       np.array([track_ids.setdefault(t[1], len(track_ids)) for t, k in zip(found, kept) if k], int),
                       similarity[counts][:, kept]))
    return frames, len(truth_ids), len(track_ids)


def clear(frames):
    """MOTA at IoU 0.5: last frame's pairs come first."""
    matched = false = missed = switches = total = 0
    before, last = {}, {}  # truth id -> track id, of the frame before and of its last match
    for real, found, similarity in frames:
        total += len(real)
        stays = np.array([[before.get(r) == t for t in found] for r in real]).reshape(similarity.shape)
        pairs = match(np.where(similarity >= 0.5, similarity + 1000 * stays, 0))
        before = {}
        for r, t in pairs:
            if last.get(real[r], found[t]) != found[t]:
                switches += 1
            before[real[r]] = last[real[r]] = found[t]
        matched += len(pairs)
        false += len(found) - len(pairs)
        missed += len(real) - len(pairs)
    return (matched - false - switches) / max(1, total), switches


def identity(frames, truth_count, track_count):
    """IDF1: ids matched one to one over the whole film."""
    shared = np.zeros((truth_count, track_count))
    real_boxes = found_boxes = 0
    for real, found, similarity in frames:
        r, t = np.nonzero(similarity >= 0.5)
        np.add.at(shared, (real[r], found[t]), 1)
        real_boxes += len(real)
        found_boxes += len(found)
    true = sum(shared[r, t] for r, t in match(shared))
    return 2 * true / max(1, real_boxes + found_boxes)


def hota(frames, truth_count, track_count):
    """Geometric mean of detection and association accuracy, mean over thresholds of IoU."""
    potential = np.zeros((truth_count, track_count))
    real_count, found_count = np.zeros((truth_count, 1)), np.zeros((1, track_count))
    for real, found, similarity in frames:
        either = similarity.sum(0, keepdims=True) + similarity.sum(1, keepdims=True) - similarity
        share = np.divide(similarity, either, out=np.zeros_like(similarity), where=either > np.finfo(float).eps)
        potential[np.ix_(real, found)] += share
        np.add.at(real_count[:, 0], real, 1)
        np.add.at(found_count[0], found, 1)
    alignment = potential / np.maximum(real_count + found_count - potential, np.finfo(float).eps)
    counts = np.zeros((len(THRESHOLDS), truth_count, track_count))
    true, real_boxes, found_boxes = np.zeros(len(THRESHOLDS)), real_count.sum(), found_count.sum()
    for real, found, similarity in frames:
        for r, t in match(alignment[np.ix_(real, found)] * similarity):
            above = similarity[r, t] >= THRESHOLDS - np.finfo(float).eps
            counts[above, real[r], found[t]] += 1
            true += above
    jaccard = counts / np.maximum(1, real_count + found_count - counts)
    association = (counts * jaccard).sum((1, 2)) / np.maximum(1, true)
    detection = true / np.maximum(1, real_boxes + found_boxes - true)
    return float(np.mean(np.sqrt(association * detection)))


def score(truth_path, tracks_path):
    """{name: percent, "IDSW": count}."""
    frames, truth_count, track_count = prepare(read(truth_path), read(tracks_path))
    mota, switches = clear(frames)
    return {"MOTA": 100 * mota, "IDF1": 100 * identity(frames, truth_count, track_count),
            "HOTA": 100 * hota(frames, truth_count, track_count), "IDSW": switches}


if __name__ == "__main__":
    print(" ".join(f"{name} {value:.2f}" for name, value in score(sys.argv[1], sys.argv[2]).items()))
