"""OC-SORT in float, with measured times: the twin of runtime/track with method=ocsort.

The association, the update over missed frames (one measurement for each of them) and the recovery are those that were published. The
filter is that of twin.py; tracks are shown as ByteTrack shows them.
"""
import copy

import numpy as np

import twin
from matching import iou, match

DEFAULTS = {"high": 0.6, "low": 0.1, "iou": 0.3, "inertia": 0.2, "buffer": 1.0, "classes": "apart"}
DIRECTION = 0.105  # seconds: three frames at 30 a second, and 5 ms for uneven times
PLACES = 4


def direction(a, b):
    way = (b[:2] + b[2:] / 2) - (a[:2] + a[2:] / 2)
    return way / (np.hypot(*way) + 1e-6)


class Track(twin.Track):
    def __init__(self, number, now, box, score, label, state):
        super().__init__(number, now, box, score, label, state)
        self.places, self.way, self.missed, self.kept = [(now, box)], None, [], None

    def previous(self, now):
        return next((box for time, box in self.places if now - time <= DIRECTION + 1e-9), self.places[-1][1])

    def gain(self, now, box):
        """Of the direction, -0.5 to 0.5."""
        if self.way is None:
            return 0
        return 0.5 - np.arccos(np.clip(self.way @ direction(self.previous(now), box), -1, 1)) / np.pi

    def miss(self, now):
        if not self.missed:
            self.kept = self.mean_and_covariance_of_last
        self.missed.append(now)

    def move(self, n):
        if not self.missed:
            self.mean_and_covariance_of_last = copy.deepcopy((self.mean, self.covariance))
        else:
            self.mean[7] = 0
        self.predict(n)

    def take(self, now, box, score, label):
        if self.missed:
            (self.mean, self.covariance), (at, begun, first) = self.kept, (self.seen, self.seen, self.places[-1][1])
            self.state = twin.SEEN
            for missed in self.missed:
                self.predict((missed - at) * 30)
                self.measure(missed, first + (box - first) * (missed - begun) / (now - begun), score, label)
                at = missed
            self.predict((now - at) * 30)
        self.way = direction(self.previous(now), box)
        self.missed = []
        self.measure(now, box, score, label)
        self.places = self.places[1 - PLACES:] + [(now, box)]


class Twin:
    def __init__(self, **settings):
        self.settings = {**DEFAULTS, **settings}
        self.tracks, self.last_id, self.before = [], 0, None

    def associate(self, boxes, now, places, with_direction=False):
        """Boxes that are left."""
        tracks = [t for t in self.tracks if not t.found]
        if not tracks or not boxes:
            return boxes
        likeness = iou([places(t) for t in tracks], [b[0] for b in boxes])
        allowed = likeness >= self.settings["iou"]
        if self.settings["classes"] == "apart":
            allowed &= np.array([[t.label] for t in tracks]) == np.array([[b[2] for b in boxes]])
        gains = np.where(allowed, likeness, 0)
        if with_direction:
            for t, b in np.argwhere(allowed):
                gains[t, b] += tracks[t].gain(now, boxes[b][0]) * self.settings["inertia"] * boxes[b][1]
        left = set(range(len(boxes)))
        for t, b in match(gains):
            tracks[t].take(now, *boxes[b])
            left.remove(b)
        return [boxes[b] for b in sorted(left)]

    def frame(self, now, boxes):
        """boxes: [(x y w h, score, label)]. The tracks that are seen."""
        s, first = self.settings, self.before is None
        gap = 0 if first else now - self.before
        self.before = now
        if gap > 2 * s["buffer"] + 1e-9:
            self.tracks = []
        for track in self.tracks:
            track.found = False
            track.move(gap * 30)
        high = [b for b in boxes if b[1] > s["high"]]
        low = [b for b in boxes if s["low"] < b[1] <= s["high"]]
        high = self.associate(high, now, Track.box, True)
        self.associate(low, now, Track.box)
        high = self.associate(high, now, lambda t: t.places[-1][1])
        for track in self.tracks:
            if not track.found:
                track.miss(now)
        self.tracks = [t for t in self.tracks if t.found or now - t.seen <= s["buffer"] + 1e-9]
        for box in high:
            self.last_id += 1
            self.tracks.append(Track(self.last_id, now, *box, twin.SEEN if first else twin.UNCONFIRMED))
        return [t for t in self.tracks if t.state == twin.SEEN and t.found]
