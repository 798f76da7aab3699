"""Videos with known answers, made of photographs: a window that rests, drifts, rushes or fades over each picture."""
import numpy as np

CLIP = 16     # frames of a scene: longer than the longest cache
NOISE = 4.0   # sigma of a sensor's noise in grey levels, about that of a phone indoors
VISIBLE = 0.4  # share of an object that has to be inside the window for its box to count
KINDS = ("static", "pan", "fast", "exposure")
# Pixels of the window a frame, as a share of its width: a slow pan crosses it in 8 seconds at 30 frames a second, a fast
# one in less than a second.
SPEED = {"static": 0.0, "pan": 1 / 240, "fast": 1 / 24, "exposure": 0.0}


def window_of(kind, t, width, height, size):
    """Left, top and side lengths of the window in the picture at frame t, in fractions of a pixel."""
    share = 0.75 * (1 - 0.003 * t if kind == "pan" else 1)  # the slow one zooms in by 5 % as well
    scale = min(width / size[0], height / size[1]) * share
    w, h = size[0] * scale, size[1] * scale
    spare_x, spare_y = width - w, height - h
    way = SPEED[kind] * t * w

    def bounce(position, room):
        if room <= 0:
            return 0.0
        position %= 2 * room
        return position if position <= room else 2 * room - position
    middle = 0.5 if kind in ("static", "exposure") else 0.1
    return bounce(spare_x * middle + way, spare_x), bounce(spare_y * middle + 0.6 * way, spare_y), w, h


def play(kind, picture, size, random):
    """CLIP frames uint8 [H,W,3] of one picture, and where the window was in each."""
    import cv2
    height, width = picture.shape[:2]
    for t in range(CLIP):
        x, y, w, h = window_of(kind, t, width, height, size)
        # Centres of pixels: those of the frame lie at x + (i + 0.5) * w / W - 0.5 of the picture.
        move = np.float64([[w / size[0], 0, x + 0.5 * w / size[0] - 0.5], [0, h / size[1], y + 0.5 * h / size[1] - 0.5]])
        frame = cv2.warpAffine(picture, move, size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
                               borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
        if kind == "exposure":  # from half to one and a half, as a cloud passes
            frame *= 0.5 + t / (CLIP - 1)
        frame += random.normal(0, NOISE, frame.shape)
        yield np.clip(np.rint(frame), 0, 255).astype(np.uint8), (x, y, w, h)


def make(kind, pictures, size, boxes=None):
    """(uint8 [N,H,W,3], a list of [x0, y0, x1, y1, label] for each frame). boxes: of each picture, in its pixels."""
    random = np.random.Generator(np.random.PCG64(20 + KINDS.index(kind)))
    frames, truth = [], []
    for i, picture in enumerate(pictures):
        for frame, (x, y, w, h) in play(kind, picture, size, random):
            frames.append(frame)
            seen = []
            for x0, y0, x1, y1, label in (boxes[i] if boxes is not None else []):
                whole = np.array([(x0 - x) / w * size[0], (y0 - y) / h * size[1],
                                  (x1 - x) / w * size[0], (y1 - y) / h * size[1]])
                cut = np.clip(whole, 0, [size[0], size[1], size[0], size[1]])
                area = (whole[2] - whole[0]) * (whole[3] - whole[1])
                if area > 0 and (cut[2] - cut[0]) * (cut[3] - cut[1]) >= VISIBLE * area:
                    seen.append([*cut.tolist(), label])
            truth.append(seen)
    return np.stack(frames), truth
