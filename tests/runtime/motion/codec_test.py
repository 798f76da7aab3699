#!/usr/bin/env python3
"""The motion gate on films that ffmpeg has coded in H.264 and decoded again: still scenes are skipped, and an object that the film shows is found
within 300 ms. By the Python package, so of the library as it is installed. Skipped with a line where ffmpeg is missing."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parents[3]
SKIPPED = 77  # exit status CTest takes as skipped
WIDTH, HEIGHT = 320, 184


def scene(random: np.random.Generator) -> np.ndarray:
    """Walls, and texture of many sizes on the right."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH] / (HEIGHT, WIDTH)[0]
    level = 110 + 30 * (y - 0.5)
    for _ in range(10):
        x0, y0, width, height = random.uniform(0, 1.5), random.uniform(0, 0.9), random.uniform(0.2, 0.6), random.uniform(0.1, 0.4)
        level = level + np.where((x >= x0) & (x < x0 + width) & (y >= y0) & (y < y0 + height), random.uniform(-70, 70), 0)
    for size in 2.0 ** np.arange(1, 7):
        angle = random.uniform(0, 6.28)
        level = level + np.clip(5 * (x - 1), 0, 1) * 8 * np.sin(6.28 * size * (np.cos(angle) * x + np.sin(angle) * y))
    return np.clip(level, 20, 230)


def film(seed: int, fps: int, seconds: int, noise: float, moves_from: float) -> bytes:
    """An object of 0.5 % of the picture, 30 levels brighter, 20 pixels a second."""
    random = np.random.default_rng(seed)
    still, frames = scene(random), []
    for f in range(int(fps * seconds)):
        level = still + noise * random.standard_normal(still.shape)
        if f / fps >= moves_from:
            left = 60 + int(20 * (f / fps - moves_from))
            level[80:97, left:left + 17] += 30
        frames.append(np.clip(level, 0, 255).astype(np.uint8).tobytes())
    return b"".join(frames)


def coded(raw: bytes, fps: int, kbit: int, group: int) -> np.ndarray:
    run = lambda data, *words: subprocess.run(["ffmpeg", "-v", "error", *words], input=data, capture_output=True, check=True).stdout
    rate = f"{kbit}k"
    packed = run(raw, "-f", "rawvideo", "-pix_fmt", "gray", "-s", f"{WIDTH}x{HEIGHT}", "-r", str(fps), "-i", "-", "-threads", "1", "-c:v", "libx264",
                 "-preset", "veryfast", "-tune", "zerolatency", "-g", str(group), "-b:v", rate, "-maxrate", rate, "-bufsize", rate, "-pix_fmt", "yuv420p",
                 "-f", "nut", "-")
    decoded = run(packed, "-i", "-", "-f", "rawvideo", "-pix_fmt", "gray", "-")
    return np.frombuffer(decoded, np.uint8).reshape(-1, HEIGHT, WIDTH)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    build = parser.parse_args().build.resolve()
    if shutil.which("ffmpeg") is None:
        print("skipped: this machine lacks ffmpeg")
        return SKIPPED
    os.environ["OCTET_LIBRARY"] = str(build / "lib/liboctet.so.1")
    sys.path.insert(0, str(SOURCE / "python"))
    sys.dont_write_bytecode = True
    import octet
    failed = 0
    for seed, (fps, kbit, group, noise) in enumerate([(10, 100, 20, 1), (5, 60, 10, 3), (25, 400, 50, 2), (10, 60, 40, 3)]):
        answers = {}
        for moves_from in (1000.0, 6.0):
            gate, frames = octet.MotionGate(longest=3600), coded(film(seed, fps, 12, noise, moves_from), fps, kbit, group)
            answers[moves_from] = [gate.frame(f / fps, frame) for f, frame in enumerate(frames)]
        skipped = np.mean([not answer.run for answer in answers[1000.0]])
        found = [f / fps for f, answer in enumerate(answers[6.0]) if f / fps >= 6 and answer.reason in ("change", "all")]
        late = found[0] - 6 if found else np.inf
        said = f"{fps} frames a second, {kbit} kbit/s: {100 * skipped:.1f} % skipped, found after {1000 * late:.0f} ms"
        print(said, flush=True)
        failed += skipped < 0.9 or late > 0.3 + 1e-6
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
