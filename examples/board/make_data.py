#!/usr/bin/env python3
"""The demo's classifier and a picture for it, drawn here: make_data.py --octet PROGRAM --source ROOT --out FOLDER

Writes model.octet, picture.pgm and, for octet-run, picture.npy. Trousers, skirts and bags on black calibrate the model;
for accuracy take pictures of the real set (demo/pictures.py).
"""
import argparse
import pathlib
import subprocess

import numpy

SIZE = 28


def draw(kind, left, top, grey):
    """Trousers (0), a skirt (1) or a bag (2) as Fashion-MNIST shows them: bright on black."""
    picture = numpy.zeros((SIZE, SIZE), numpy.uint8)
    y, x = numpy.mgrid[0:SIZE, 0:SIZE]
    if kind == 0:
        inside = (x >= left) & (x < SIZE - left) & (y >= top) & (y < SIZE - top)
        inside &= (y < top + 7) | (abs(x - SIZE // 2 + 0.5) > (y - top) / 10)
    elif kind == 1:
        inside = (abs(x - SIZE // 2 + 0.5) < 3 + (y - top) / 3) & (y >= top) & (y < SIZE - top)
    else:
        inside = (x >= left - 5) & (x < SIZE - left + 5) & (y >= 11) & (y < SIZE - 3)
        inside |= (abs(numpy.hypot(x - 13.5, y - 11) - 6) < 1) & (y < 11)
    picture[inside] = grey
    # Cloth is not flat: the ranges of layers come from its texture.
    picture[inside] += ((x * 7 + y * 13) % 23)[inside].astype(numpy.uint8)
    return picture


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--octet", required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    pictures = numpy.stack([draw(i % 3, 7 + i % 4, 1 + i % 5, 90 + i % 7 * 20) for i in range(128)])
    numpy.save(arguments.out / "calib.npy", pictures[..., None])
    subprocess.run([arguments.octet, "convert", arguments.source / "demo/fashion_mnist.onnx", "-o",
                    arguments.out / "model.octet", "--calibrate", arguments.out / "calib.npy", "--mean", "0.2860",
                    "--std", "0.3530", "--section-align", "64", "--task", "classify", "--labels", arguments.source / "demo/labels.txt"],
                   check=True, stdout=subprocess.DEVNULL)
    picture = draw(0, 8, 1, 180)
    numpy.save(arguments.out / "picture.npy", picture[None, ..., None])
    (arguments.out / "picture.pgm").write_bytes(b"P5\n%d %d\n255\n" % (SIZE, SIZE) + picture.tobytes())


if __name__ == "__main__":
    main()
