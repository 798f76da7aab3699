#!/usr/bin/env python3
"""demo/scene_detector.octet, which draws the demo's first picture: it agrees with demo/scene_detector.onnx in both plans."""
import argparse
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
GARMENTS = pathlib.Path("/usr/share/datasets/fashion-mnist")
DEMO = pathlib.Path(__file__).resolve().parents[4] / "demo"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    if not GARMENTS.is_dir():
        print("skipped: no garments for the scene (Debian's package dataset-fashion-mnist)")
        return SKIPPED
    programs = options.build / "bin"
    with tempfile.TemporaryDirectory(prefix="octet-demo-blob-") as folder:
        work = pathlib.Path(folder)
        subprocess.run([sys.executable, DEMO / "pictures.py", work, "--test", "100"], check=True)
        subprocess.run([programs / "octet-scene", "--pictures", work / "test.npy", "--labels", work / "labels.npy", "--frames", "8",
                        "--seed", "5", "--output", work / "frames.npy"], check=True)
        return subprocess.run([programs / "octet", "verify", DEMO / "scene_detector.onnx", DEMO / "scene_detector.octet", "--data",
                               work / "frames.npy"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
