"""Films of boxes with known truth, other ones for each seed: people walk, turn, stop and hide behind each other.

Rows as scores.read has them. Rates and gaps differ, so time is not the number of the frame.
"""
import collections

import numpy as np

from matching import iou

WIDTH, HEIGHT = 1280, 720


class Walker:
    def __init__(self, number, r):
        self.id, self.label = number, int(r.integers(2))
        self.h = r.uniform(60, 220)
        self.w = self.h * r.uniform(0.35, 0.5)
        self.at = np.array([r.uniform(80, WIDTH - 80), r.uniform(150, 600)])
        self.v = np.array([r.choice([-1, 1]) * r.uniform(30, 180), r.normal(0, 15)])

    def move(self, dt, r):
        if r.random() < 0.2 * dt:
            self.v = self.v * r.uniform(-1.2, 1.4)
        self.at = self.at + self.v * dt
        for i, most in enumerate((WIDTH, HEIGHT)):
            if not 60 < self.at[i] < most - 60:
                self.v[i] = abs(self.v[i]) * (1 if self.at[i] <= 60 else -1)

    def box(self):
        return np.array([self.at[0] - self.w / 2, self.at[1] - self.h / 2, self.w, self.h])


def hidden_share(box, nearer):
    """Of a box, by those that stand nearer to the camera."""
    if not nearer:
        return 0.0
    overlap = iou(box, nearer)[0]
    areas = np.array([b[2] * b[3] for b in nearer])
    return float(min(1, (overlap * (box[2] * box[3] + areas) / (1 + overlap)).sum() / (box[2] * box[3])))


def film(seed, seconds=10):
    """truth, boxes, times."""
    r = np.random.default_rng(seed)
    fps = (30, 15, 5, 25, 10)[seed % 5]
    times, now = [], 0.0
    while now < seconds:
        times.append(round(now, 4))
        now += 1 / fps + (r.uniform(0.2, 1.2) if seed % 2 and r.random() < 0.02 else 0)
    walkers = [Walker(i + 1, r) for i in range(10)]
    truth, boxes, before = collections.defaultdict(list), collections.defaultdict(list), 0.0
    for frame, now in enumerate(times, 1):
        nearer = []
        for walker in walkers:
            walker.move(now - before, r)
        for walker in sorted(walkers, key=lambda w: -(w.at[1] + w.h / 2)):
            box = walker.box()
            visible = 1 - hidden_share(box, nearer)
            nearer.append(box)
            truth[frame].append([frame, walker.id, *box.round(1), 1, walker.label, round(visible, 2)])
            score = np.clip(0.15 + 0.75 * visible + r.normal(0, 0.08), 0.02, 0.97)
            if visible > 0.15 and r.random() > 0.03:
                noisy = box + r.normal(0, 0.03, 4) * box[[2, 3, 2, 3]]
                boxes[frame].append([frame, -1, *noisy.round(1), round(float(score), 3), walker.label, -1])
        if r.random() < 0.05:
            boxes[frame].append([frame, -1, *r.uniform(30, 500, 4).round(1), round(float(r.uniform(0.1, 0.9)), 3), 0, -1])
        before = now
    return truth, boxes, times


def write(rows, path):
    with open(path, "w") as file:
        for frame in sorted(rows):
            file.writelines(",".join(f"{number:g}" for number in row) + "\n" for row in rows[frame])
