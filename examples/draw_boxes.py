#!/usr/bin/env python3
"""Boxes of a detector drawn into a picture: draw_boxes.py MODEL.octet PICTURE OUT.png

PICTURE is a .npy file, uint8 [height, width, 3] in RGB, or whatever Pillow reads where it is installed (python3-pil).
Prints a line for each box. It needs the package octet and NumPy.
"""
import pathlib
import struct
import sys
import zlib

import numpy as np
import octet

COLOURS = ((230, 60, 60), (60, 170, 60), (70, 110, 240), (230, 150, 30), (160, 70, 200), (30, 170, 180))
LINE = 2  # pixels


def read_picture(path: pathlib.Path) -> np.ndarray:
    if path.suffix == ".npy":
        return np.load(path)
    from PIL import Image
    return np.asarray(Image.open(path).convert("RGB"))


def draw(picture: np.ndarray, box: octet.Detection) -> None:
    height, width, _ = picture.shape
    left, right = (int(np.clip(x, 0, width - 1)) for x in (box.x0, box.x1))
    top, bottom = (int(np.clip(y, 0, height - 1)) for y in (box.y0, box.y1))
    colour = COLOURS[box.label % len(COLOURS)]
    picture[top:top + LINE, left:right + 1] = colour
    picture[max(bottom - LINE + 1, 0):bottom + 1, left:right + 1] = colour
    picture[top:bottom + 1, left:left + LINE] = colour
    picture[top:bottom + 1, max(right - LINE + 1, 0):right + 1] = colour


def write_png(path: pathlib.Path, picture: np.ndarray) -> None:
    """8 bits, RGB, no filter (PNG specification, 11.2.2)."""
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    height, width, _ = picture.shape
    rows = b"".join(b"\0" + row.tobytes() for row in picture)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def main() -> int:
    if len(sys.argv) != 4:
        print(__doc__.strip().splitlines()[0], file=sys.stderr)
        return 2
    model_path, picture_path, out = (pathlib.Path(word) for word in sys.argv[1:])
    picture = read_picture(picture_path)
    drawn = picture.copy()
    with octet.load(model_path) as model:
        for box in model.detect(picture):
            print(f"{box.name or box.label} {box.score:.2f}: {box.x0:.0f} {box.y0:.0f} {box.x1:.0f} {box.y1:.0f}")
            draw(drawn, box)
    write_png(out, drawn)
    return 0


if __name__ == "__main__":
    sys.exit(main())
