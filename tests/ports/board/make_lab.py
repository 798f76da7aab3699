#!/usr/bin/env python3
"""A trained MobileNetV2 and four pictures of its test set: make_lab.py --octet PROGRAM --lab FOLDER --out FOLDER

Writes model.octet, pictures.ppm (four, one behind the other) and, for octet-run, pictures.npy.
"""
import argparse
import pathlib
import subprocess

import numpy

PICTURES = 4


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--octet", required=True)
    parser.add_argument("--lab", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    subprocess.run([arguments.octet, "convert", arguments.lab / "mobilenet_v2_cifar10.onnx", "-o",
                    arguments.out / "model.octet", "--calibrate", arguments.lab / "cifar_calib_x.npy", "--samples", "128",
                    "--mean", "0.4914,0.4822,0.4465", "--std", "0.2470,0.2435,0.2616", "--section-align", "64",
                    "--task", "classify"], check=True, stdout=subprocess.DEVNULL)
    pictures = numpy.load(arguments.lab / "cifar_test_x.npy", mmap_mode="r")[:PICTURES]
    numpy.save(arguments.out / "pictures.npy", pictures)
    height, width = pictures.shape[1:3]
    data = b"".join(b"P6\n%d %d\n255\n" % (width, height) + picture.tobytes() for picture in pictures)
    (arguments.out / "pictures.ppm").write_bytes(data)


if __name__ == "__main__":
    main()
