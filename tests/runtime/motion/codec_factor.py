#!/usr/bin/env python3
"""The factor of the motion gate's codec term, by hand: codec_factor.py [--seed N] [--films N]. Films of a generator that shares nothing with
codec_test.py: dead leaves and 1/f textures, shot noise that a demosaic spreads, a textured disk of 0.5 % of the picture and 10 to 32 levels;
four encoders of ffmpeg, at 0.04 to 0.25 bits a pixel. The gate is compiled with each factor. For each: how many films of a still scene have
less than 90 % of their frames skipped, and how many objects are found later than 300 ms, or not within 3 s."""
import argparse
import pathlib
import subprocess
import tempfile

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parents[3]
FACTORS = (0.5, 1, 1.5, 2, 3)
TERM = "(state.coded - pixels) / 2 * 3"
ENCODERS = {
    "x264 superfast": ["-c:v", "libx264", "-preset", "superfast", "-bf", "0"],
    "x264 medium": ["-c:v", "libx264", "-preset", "medium", "-tune", "zerolatency"],
    "mpeg4": ["-c:v", "mpeg4", "-bf", "0"],
    "x265 superfast": ["-c:v", "libx265", "-preset", "superfast", "-x265-params", "log-level=none:bframes=0"],
}
# Prints the reason of each frame of a grey film on stdin.
PROGRAM = """#include <cstdio>
#include <cstdlib>
#include <vector>
#include "octet/motion.h"
int main(int, char** words) {
  octet_motion_config config;
  octet_motion_defaults(&config);
  config.width = atoi(words[1]), config.height = atoi(words[2]), config.longest_ms = 3600000;
  std::vector<uint64_t> memory(octet_motion_bytes(&config) / 8);
  std::vector<uint8_t> pixels(size_t{config.width} * config.height);
  octet_motion* motion = nullptr;
  octet_motion_init(memory.data(), memory.size() * 8, &config, &motion);
  octet_motion_answer answer = {};
  answer.size = sizeof(answer);
  octet_frame frame = {};
  frame.size = sizeof(frame), frame.format = OCTET_PIXELS_GREY8, frame.width = config.width, frame.height = config.height;
  frame.planes[0] = pixels.data(), frame.strides[0] = config.width;
  for (int f = 0; fread(pixels.data(), 1, pixels.size(), stdin) == pixels.size(); ++f) {
    if (octet_motion_frame(motion, uint64_t(f * 1e6 / atof(words[3])), &frame, &answer).code != OCTET_OK) return 1;
    putchar('0' + int(answer.reason));
  }
}
"""


def compiled(work: pathlib.Path, factor: float) -> pathlib.Path:
    place = work / f"{factor}"
    (place / "runtime").mkdir(parents=True)
    subprocess.run(["cp", "-r", SOURCE / "runtime/motion", place / "runtime"], check=True)
    change = place / "runtime/motion/change.cc"
    text = change.read_text()
    assert text.count(TERM) == 1, f"{change.name} has no '{TERM}'; name the term anew"
    change.write_text(text.replace(TERM, f"(uint32_t)((uint64_t)(state.coded - pixels) * {int(4 * factor)} / 4)"))
    (place / "main.cc").write_text(PROGRAM)
    subprocess.run(["g++", "-std=c++20", "-O2", f"-I{place}", f"-I{SOURCE}", f"-I{SOURCE}/runtime/include", place / "main.cc",
                    *(place / "runtime/motion").glob("*.cc"), *(SOURCE / "runtime/mask").glob("*.cc"), "-o", place / "gate"], check=True)
    return place / "gate"


def texture(random: np.random.Generator, width: int, height: int, slope: float) -> np.ndarray:
    frequency = np.hypot(*np.meshgrid(np.fft.fftfreq(width) * width, np.fft.fftfreq(height) * height))
    frequency[0, 0] = 1
    field = np.fft.ifft2(np.fft.fft2(random.standard_normal((height, width))) / frequency**slope).real
    return field / field.std()


def leaves(random: np.random.Generator, width: int, height: int) -> np.ndarray:
    y, x = np.mgrid[0:height, 0:width]
    picture = np.full((height, width), 100.0)
    for _ in range(400):
        radius = min(height * 0.4, 4.5 / (random.random()**0.5 + 1e-3))
        left, top, aspect = random.uniform(0, width), random.uniform(0, height), random.uniform(0.4, 1)
        picture[((x - left) * aspect)**2 + (y - top)**2 < radius**2] = random.uniform(25, 215)
    return picture


def scene(random: np.random.Generator, width: int, height: int, kind: str) -> np.ndarray:
    fine = texture(random, width, height, 1.0)
    picture = {"leaves": lambda: leaves(random, width, height) + 4 * fine,
               "natural": lambda: 110 + 38 * texture(random, width, height, 1.3),
               "night": lambda: 30 + 10 * texture(random, width, height, 1.4) + 60 * (texture(random, width, height, 1.6) > 2.2),
               "soft": lambda: 90 + 0.3 * leaves(random, width, height) + 6 * fine}[kind]()
    return np.clip(picture, 4, 250)


def film(seed: int, size: tuple, fps: int, seconds: float, kind: str, noise: float, begins: float, contrast: float, speed: float) -> bytes:
    random, (width, height), frames = np.random.default_rng(seed), size, []
    still, side = scene(random, width, height, kind), int(round((size[0] * size[1] * 0.005)**0.5))
    surface, top, left = 1 + 0.15 * texture(random, side, side, 1.0), int(random.uniform(0.2, 0.7) * height), int(random.uniform(0.1, 0.4) * width)
    y, x = np.mgrid[0:side, 0:side] - (side - 1) / 2
    disk = np.hypot(x, y) < 0.56 * side
    step = np.where(disk, contrast * surface, 0) * (1 if still[top:top + side, left:left + side].mean() < 150 else -1)
    for f in range(int(fps * seconds)):
        level, time = still.copy(), f / fps
        if time >= begins:
            at = left + int(speed * (time - begins))
            level[top:top + side, at:at + side] += step
        grain = random.standard_normal((height, width))
        grain = (grain + np.roll(grain, 1, 0) + np.roll(grain, 1, 1) + np.roll(grain, 1, (0, 1))) / 2
        frames.append(np.clip(level + noise * np.sqrt(0.3 + 0.7 * level / 110) * grain, 0, 255).astype(np.uint8).tobytes())
    return b"".join(frames)


def coded(raw: bytes, size: tuple, fps: int, kbit: int, group: int, encoder: str) -> bytes:
    run = lambda data, *words: subprocess.run(["ffmpeg", "-v", "error", *words], input=data, capture_output=True, check=True).stdout
    grey, rate = ["-f", "rawvideo", "-pix_fmt", "gray"], f"{kbit}k"
    packed = run(raw, *grey, "-s", f"{size[0]}x{size[1]}", "-r", str(fps), "-i", "-", "-threads", "1", *ENCODERS[encoder], "-g", str(group), "-b:v", rate,
                 "-maxrate", rate, "-bufsize", rate, "-pix_fmt", "yuv420p", "-f", "nut", "-")
    return run(packed, "-i", "-", *grey, "-")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--films", type=int, default=48)
    options = parser.parse_args()
    random, skipped, late = np.random.default_rng(options.seed), {f: [] for f in FACTORS}, {f: [] for f in FACTORS}
    with tempfile.TemporaryDirectory() as folder:
        gates = {factor: compiled(pathlib.Path(folder), factor) for factor in FACTORS}
        for i in range(options.films):
            kind, encoder = ("leaves", "natural", "night", "soft")[i % 4], list(ENCODERS)[i // 4 % 4]
            fps, size = int(random.choice([5, 10, 15, 25])), [(320, 184), (352, 288)][random.integers(2)]
            group, kbit = int(fps * random.uniform(0.8, 4)), max(24, int(size[0] * size[1] * fps * random.uniform(0.04, 0.25) / 1000))
            noise, contrast, speed, seed = random.uniform(0.8, 4), random.uniform(10, 32), random.uniform(4, 30), int(random.integers(1 << 30))
            films = [coded(film(seed, size, fps, seconds, kind, noise, begins, contrast, speed), size, fps, kbit, group, encoder)
                     for seconds, begins in ((16, 1e9), (11, 8))]
            said = []
            for factor, gate in gates.items():
                still, moves = (subprocess.run([gate, str(size[0]), str(size[1]), str(fps)], input=raw, capture_output=True, check=True).stdout for raw in films)
                skipped[factor].append(np.mean([reason == ord("0") for reason in still[2 * fps:]]))
                found = [f / fps - 8 for f, reason in enumerate(moves) if f >= 8 * fps and reason != ord("0")]
                late[factor].append(found[0] if found else np.inf)
                said.append(f"{factor}: {100 * skipped[factor][-1]:.0f} % {1000 * late[factor][-1]:.0f} ms")
            print(f"{kind}, {encoder}, {fps}/s, group {group}, {kbit} kbit/s, {size[0]}x{size[1]}, noise {noise:.1f}, {contrast:.0f} levels: {'; '.join(said)}", flush=True)
    for factor in FACTORS:
        share, times = np.array(skipped[factor]), np.array(late[factor])
        print(f"factor {factor}: least {100 * share.min():.1f} % skipped, {np.sum(share < 0.9)} films below 90 %; {np.sum(times > 0.3 + 1e-6)} later than 300 ms, "
              f"{np.sum(times > 3)} not found, of {len(times)}")


if __name__ == "__main__":
    main()
