#!/usr/bin/env python3
"""packaging/rauc/octet-hook with RAUC's environment: rauc_test.py --build BUILD --source SOURCE

The hook stages and activates a model by octet-slot; what octet-slot refuses fails the installation with its line.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np


def check(condition, what):
    if not condition:
        raise SystemExit(f"rauc: {what}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    options = parser.parse_args()
    programs = options.build.resolve() / "bin"
    source = options.source.resolve()
    path = f"{programs}:{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        np.save(work / "pictures.npy", np.arange(8 * 28 * 28, dtype=np.uint8).reshape(8, 28, 28, 1))

        def hook(*words, **variables):
            return subprocess.run([source / "packaging/rauc/octet-hook", *words], text=True, capture_output=True,
                                  env={"PATH": path, **variables})

        def slot(*words):
            return subprocess.run([programs / "octet-slot", work / "store", *words], text=True, capture_output=True)

        def convert(name, counter):
            subprocess.run([programs / "octet", "convert", source / "demo/fashion_mnist.onnx", "-o", work / name, "--calibrate",
                            work / "pictures.npy", "--golden", "2", "--security-counter", str(counter)],
                           check=True, capture_output=True)

        (work / "store").mkdir()
        convert("model.img", 2)
        rauc = {"RAUC_SLOT_NAME": "model.0", "RAUC_SLOT_CLASS": "model", "RAUC_SLOT_DEVICE": str(work / "store"),
                "RAUC_IMAGE_NAME": str(work / "model.img")}
        done = hook("slot-install", **rauc)
        check(done.returncode == 0, f"{done.returncode} {done.stderr}")
        check(slot("boot").stdout == f"{work}/store/slot-a.octet\n", "the model is not on trial")
        check(slot("confirm").returncode == 0, "it cannot be confirmed")
        # An older one: octet-slot's line, and nothing changed.
        convert("model.img", 1)
        done = hook("slot-install", **rauc)
        check(done.returncode == 1 and "security counter too low" in done.stderr, f"{done.returncode} {done.stderr}")
        check(slot("boot").stdout == f"{work}/store/slot-a.octet\n", "another model runs")
        # A step that is not the hook's, and an environment that is not RAUC's.
        check(hook("slot-post-install", **rauc).returncode == 2, "slot-post-install was taken")
        check(hook().returncode == 2, "no step was taken")
        check(hook("slot-install").returncode != 0, "no slot was taken")
    print("octet-hook installs and refuses")
    return 0


if __name__ == "__main__":
    sys.exit(main())
