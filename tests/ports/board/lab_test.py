#!/usr/bin/env python3
"""The int8 plan of a trained MobileNetV2 on four pictures, without an operating system under QEMU: outputs equal to those of
octet-run on this machine to the last bit. Exit status 77 (skipped) where the emulator or the image is absent.
"""
import argparse
import hashlib
import pathlib
import shutil
import sys

from board_test import SKIPPED, read_npy, run

PICTURES = 4


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--image", type=pathlib.Path, required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--host", type=pathlib.Path, required=True)
    parser.add_argument("--emulator", nargs=argparse.REMAINDER, required=True)
    options = parser.parse_args()
    if not shutil.which(options.emulator[0]):
        print(f"{options.emulator[0]} is not installed; ./setup.sh --tests installs it")
        return SKIPPED
    if not all(path.exists() for path in (options.image, options.data / "model.octet", options.host / "octet-run")):
        print("the preset native is not built, or was not when this one was configured: it makes blob and outputs to compare with")
        return SKIPPED
    lines = run(*options.emulator, options.image).splitlines()
    print("\n".join(line for line in lines if not line.startswith("outputs_")))
    outputs = bytes.fromhex("".join(line.split()[1] for line in lines if line.startswith("outputs_int8 ")))
    expected_path = options.data / "expected.npy"
    # The best level of this machine, which the board has not.
    run(options.host / "octet-run", options.data / "model.octet", "--input", options.data / "pictures.npy", "--output",
        expected_path, "--plan", "int8")
    expected = read_npy(expected_path)
    print(f"int8, {PICTURES} pictures: sha256 {hashlib.sha256(outputs).hexdigest()}")
    if outputs != expected or len(outputs) != PICTURES * 10 * 4:
        print(f"other outputs than octet-run: {hashlib.sha256(expected).hexdigest()}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
