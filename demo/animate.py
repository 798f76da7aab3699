#!/usr/bin/env python3
"""PNG pictures of one size to one animated PNG, with zlib alone: 255 colours, and a pixel stays until it changes by
more than the scene's noise, so that a frame costs what moves in it."""
import argparse
import pathlib
import struct
import sys
import zlib

import numpy as np

HELD = 255  # palette index: the frame before shows through


def chunks(data: bytes):
    """(type, content) of a PNG file."""
    at = 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        yield kind, data[at + 8 : at + 8 + length]
        at += length + 12


def unfilter(kind: int, row: bytearray, above: bytes) -> None:
    """Undoes the filter of a row of RGB bytes, in place (PNG specification, 9.2)."""
    for x in range(len(row) if kind else 0):
        left, up = row[x - 3] if x >= 3 else 0, above[x]
        corner = above[x - 3] if x >= 3 else 0
        if kind == 1:
            guess = left
        elif kind == 2:
            guess = up
        elif kind == 3:
            guess = (left + up) // 2
        else:
            to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
            guess = left if to_left <= to_up and to_left <= to_corner else up if to_up <= to_corner else corner
        row[x] = (row[x] + guess) & 255


def read_png(path: pathlib.Path) -> np.ndarray:
    """uint8 [H,W,3] of a file as octet-camera dumps it: RGB, 8 bits, not interlaced."""
    parts = list(chunks(path.read_bytes()))
    width, height, *form = struct.unpack(">IIBBBBB", parts[0][1])
    if form != [8, 2, 0, 0, 0]:
        sys.exit(f"{path}: RGB with 8 bits and without interlacing is expected")
    data = zlib.decompress(b"".join(content for kind, content in parts if kind == b"IDAT"))
    rows, above, line = [], bytes(3 * width), 3 * width + 1
    for y in range(height):
        row = bytearray(data[y * line + 1 : (y + 1) * line])
        unfilter(data[y * line], row, above)
        rows.append(row)
        above = row
    return np.frombuffer(b"".join(rows), np.uint8).reshape(height, width, 3)


def make_palette(frames: "list[np.ndarray]") -> "tuple[np.ndarray, np.ndarray]":
    """The 255 commonest colours of 5 bits a channel, and the index of the nearest one for each of the 32,768."""
    counts = np.zeros(1 << 15, np.int64)
    for frame in frames:
        counts += np.bincount(coarse(frame).ravel(), minlength=1 << 15)
    every = np.stack(np.unravel_index(np.arange(1 << 15), (32, 32, 32)), 1).astype(np.int32)
    chosen = every[np.argsort(-counts, kind="stable")[:HELD]]
    nearest = np.concatenate([((part[:, None] - chosen[None]) ** 2).sum(2).argmin(1) for part in np.split(every, 64)])
    return (chosen * 8 + 4).astype(np.uint8), nearest.astype(np.uint8)


def coarse(rgb: np.ndarray) -> np.ndarray:
    high = rgb.astype(np.int64) >> 3
    return high[..., 0] << 10 | high[..., 1] << 5 | high[..., 2]


def hold(frames: "list[np.ndarray]", noise: int) -> None:
    """In place: pixels that change by no more than the noise in any channel keep their first value."""
    for before, frame in zip(frames, frames[1:]):
        still = (np.abs(frame.astype(np.int16) - before) <= noise).all(2)
        frame[still] = before[still]


def write_apng(path: pathlib.Path, frames: "list[np.ndarray]", noise: int, fps: int) -> None:
    frames = [frame.copy() for frame in frames]
    hold(frames, noise)
    palette, nearest = make_palette(frames)
    height, width, _ = frames[0].shape
    out = [b"\x89PNG\r\n\x1a\n"]

    def put(kind: bytes, content: bytes) -> None:
        out.append(struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content)))

    put(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0))
    put(b"acTL", struct.pack(">II", len(frames), 0))
    put(b"PLTE", palette.tobytes() + bytes(3 * (256 - len(palette))))
    put(b"tRNS", bytes([255] * HELD + [0]))
    number, before = 0, None
    for frame in frames:
        indices = nearest[coarse(frame)]
        drawn = indices if before is None else np.where(indices == before, HELD, indices).astype(np.uint8)
        before = indices
        packed = zlib.compress(np.insert(drawn, 0, 0, axis=1).tobytes(), 9)
        put(b"fcTL", struct.pack(">IIIIIHHBB", number, width, height, 0, 0, 1, fps, 0, 1))
        number += 1
        if number == 1:
            put(b"IDAT", packed)
        else:
            put(b"fdAT", struct.pack(">I", number) + packed)
            number += 1
    put(b"IEND", b"")
    path.write_bytes(b"".join(out))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="of octet-camera --dump DIR --dump-format png")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--fps", type=int, default=10)
    parser.add_argument("--step", type=int, default=1, help="take every so many-th picture")
    parser.add_argument("--noise", type=int, default=16, help="changes of a channel up to this are noise")
    options = parser.parse_args()
    files = sorted(options.folder.glob("*.png"))[:: options.step]
    if not files:
        sys.exit(f"{options.folder}: holds no PNG pictures")
    write_apng(options.out, [read_png(file) for file in files], options.noise, options.fps)


if __name__ == "__main__":
    main()
