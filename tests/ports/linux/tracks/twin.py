"""ByteTrack in float, with measured times: the twin of runtime/track. Its filter has whole 8 x 8 matrices, as the published one."""
import numpy as np

from matching import iou, match

UNCONFIRMED, SEEN, LOST = range(3)
DEFAULTS = {"high": 0.6, "low": 0.1, "new": 0.7, "match": 0.8, "second": 0.5, "unconfirmed": 0.7, "buffer": 1.0, "classes": "apart"}
POSITION, VELOCITY = 1 / 20, 1 / 160


def deviations(height, position, velocity, aspect):
    return np.array([position * height, position * height, aspect[0], position * height,
                     velocity * height, velocity * height, aspect[1], velocity * height])


def measured(box):
    x, y, w, h = box
    return np.array([x + w / 2, y + h / 2, w / h, h])


class Track:
    def __init__(self, number, now, box, score, label, state):
        self.id, self.begun, self.seen, self.score, self.label, self.state = number, now, now, score, label, state
        z = measured(box)
        self.mean = np.r_[z, np.zeros(4)]
        self.covariance = np.diag(deviations(z[3], 2 * POSITION, 10 * VELOCITY, (1e-2, 1e-5)) ** 2)
        self.found = True

    def predict(self, n):
        if self.state == LOST:
            self.mean[7] = 0
        noise = deviations(self.mean[3], POSITION, VELOCITY, (1e-2, 1e-5)) ** 2
        move = np.eye(8)
        move[range(4), range(4, 8)] = n
        # n steps of x += v with noise in each, as polynomials of n.
        added = np.zeros((8, 8))
        for i in range(4):
            qp, qv = noise[i], noise[i + 4]
            added[i, i] = n * qp + qv * n * (n - 1) * (2 * n - 1) / 6
            added[i, i + 4] = added[i + 4, i] = qv * n * (n - 1) / 2
            added[i + 4, i + 4] = n * qv
        self.mean = move @ self.mean
        self.covariance = move @ self.covariance @ move.T + added

    def measure(self, now, box, score, label):
        height = self.mean[3]
        noise = np.diag(np.array([POSITION * height, POSITION * height, 1e-1, POSITION * height]) ** 2)
        gain = self.covariance[:, :4] @ np.linalg.inv(self.covariance[:4, :4] + noise)
        self.mean = self.mean + gain @ (measured(box) - self.mean[:4])
        self.covariance = self.covariance - gain @ self.covariance[:4]
        self.seen, self.score, self.label, self.state, self.found = now, score, label, SEEN, True

    def box(self):
        x, y, a, h = self.mean[:4]
        return np.array([x - a * h / 2, y - h / 2, a * h, h])


class Twin:
    def __init__(self, **settings):
        self.settings = {**DEFAULTS, **settings}
        self.tracks, self.last_id, self.before = [], 0, None

    def associate(self, tracks, boxes, now, threshold, with_score):
        """Boxes that are left."""
        if not tracks or not boxes:
            return boxes
        likeness = iou([t.box() for t in tracks], [b[0] for b in boxes])
        if with_score:
            likeness = likeness * np.array([b[1] for b in boxes])
        if self.settings["classes"] == "apart":
            likeness = likeness * (np.array([[t.label] for t in tracks]) == np.array([[b[2] for b in boxes]]))
        left = set(range(len(boxes)))
        for t, b in match((likeness - (1 - threshold)).clip(0)):
            tracks[t].measure(now, *boxes[b])
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
            if track.state != UNCONFIRMED:
                track.predict(gap * 30)
        high = [b for b in boxes if b[1] > s["high"]]
        low = [b for b in boxes if s["low"] < b[1] <= s["high"]]
        high = self.associate([t for t in self.tracks if t.state != UNCONFIRMED], high, now, s["match"], True)
        self.associate([t for t in self.tracks if t.state == SEEN and not t.found], low, now, s["second"], False)
        high = self.associate([t for t in self.tracks if t.state == UNCONFIRMED], high, now, s["unconfirmed"], True)
        for track in self.tracks:
            if not track.found and track.state == SEEN:
                track.state = LOST
        self.tracks = [t for t in self.tracks if t.found or (t.state == LOST and now - t.seen <= s["buffer"] + 1e-9)]
        for box in high:
            if box[1] >= s["new"]:
                self.last_id += 1
                self.tracks.append(Track(self.last_id, now, *box, SEEN if first else UNCONFIRMED))
        self.remove_doubles()
        return [t for t in self.tracks if t.state == SEEN]

    def remove_doubles(self):
        seen, lost = [t for t in self.tracks if t.state != LOST], [t for t in self.tracks if t.state == LOST]
        if not seen or not lost:
            return
        removed = set()
        for i, j in np.argwhere(iou([t.box() for t in seen], [t.box() for t in lost]) > 0.85):
            if self.settings["classes"] == "apart" and seen[i].label != lost[j].label:
                continue
            removed.add((lost[j] if seen[i].seen - seen[i].begun > lost[j].seen - lost[j].begun else seen[i]).id)
        self.tracks = [t for t in self.tracks if t.id not in removed]


def track_film(twin, boxes, times, path):
    """twin: a new one. boxes: {frame: rows} of scores.read. Writes the text that octet-run --tracks writes."""
    with open(path, "w") as out:
        for frame, now in enumerate(times, 1):
            rows = [(np.array(r[2:6]), r[6], int(r[7])) for r in boxes.get(frame, [])]
            for t in twin.frame(now, rows):
                x, y, w, h = t.box()
                out.write(f"{frame},{t.id},{x:.2f},{y:.2f},{w:.2f},{h:.2f},{t.score:.4f},{t.label},-1\n")
