#!/usr/bin/env python3
"""Fashion-MNIST as Debian installs it (IDX, gzip) to .npy files for octet: uint8 [N,28,28,1] pictures, uint8 [N] labels."""
import argparse
import gzip
import pathlib
import sys

import numpy as np

FOLDER = "/usr/share/datasets/fashion-mnist"


def read_idx(path: pathlib.Path) -> np.ndarray:
    """IDX: two zero bytes, type (8: uint8), rank, big-endian dimensions, data (yann.lecun.com/exdb/mnist)."""
    data = gzip.decompress(path.read_bytes())
    if data[:3] != b"\0\0\x08":
        sys.exit(f"{path}: no IDX file of bytes; install Debian's dataset-fashion-mnist again")
    rank = data[3]
    shape = [int.from_bytes(data[4 + 4 * i : 8 + 4 * i], "big") for i in range(rank)]
    return np.frombuffer(data, np.uint8, offset=4 + 4 * rank).reshape(shape)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=pathlib.Path, help="folder to write calib.npy, test.npy and their labels into")
    parser.add_argument("--folder", type=pathlib.Path, default=FOLDER)
    parser.add_argument("--calibration", type=int, default=512, help="training pictures to calibrate with")
    parser.add_argument("--test", type=int, default=10000, help="test pictures to score with")
    parser.add_argument("--train", action="store_true", help="write train.npy and train_labels.npy as well, all 60,000")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    train = read_idx(arguments.folder / "train-images-idx3-ubyte.gz")
    test = read_idx(arguments.folder / "t10k-images-idx3-ubyte.gz")[: arguments.test]
    train_labels = read_idx(arguments.folder / "train-labels-idx1-ubyte.gz")
    np.save(arguments.out / "calib.npy", train[: arguments.calibration, :, :, None])
    np.save(arguments.out / "calib_labels.npy", train_labels[: arguments.calibration])
    np.save(arguments.out / "test.npy", test[..., None])
    np.save(arguments.out / "labels.npy", read_idx(arguments.folder / "t10k-labels-idx1-ubyte.gz")[: arguments.test])
    if arguments.train:
        np.save(arguments.out / "train.npy", train[..., None])
        np.save(arguments.out / "train_labels.npy", train_labels)


if __name__ == "__main__":
    main()
