#!/usr/bin/env python3
"""beside.py LEFT.png RIGHT.png OUT.png: two pictures of octet-camera --dump side by side."""
import pathlib
import struct
import sys
import zlib

import numpy as np

from animate import read_png


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def write_png(path: pathlib.Path, picture: np.ndarray) -> None:
    height, width, _ = picture.shape
    rows = b"".join(b"\0" + row.tobytes() for row in picture)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


if __name__ == "__main__":
    left, right, out = map(pathlib.Path, sys.argv[1:])
    gap = np.full((read_png(left).shape[0], 8, 3), 255, np.uint8)
    write_png(out, np.concatenate([read_png(left), gap, read_png(right)], axis=1))
