#!/usr/bin/env python3
"""octet-camera's page with the built-in scene in a real headless Chromium, where there is one."""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import detector_blob

GARMENTS = pathlib.Path("/usr/share/datasets/fashion-mnist")
SMALLEST_BYTES = 50_000  # of a screenshot with the scene's noise in it; without a picture it has 5,000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    if not GARMENTS.is_dir():
        print("skipped: no garments for the scene (Debian's package dataset-fashion-mnist)")
        return detector_blob.SKIPPED
    demo = detector_blob.SOURCE / "demo"
    with tempfile.TemporaryDirectory(prefix="octet-page-test-") as folder:
        work = pathlib.Path(folder)
        subprocess.run([sys.executable, demo / "pictures.py", work], check=True)
        (work / "blob").mkdir()
        blob = detector_blob.make(options.build, work / "blob")
        taken = subprocess.run([sys.executable, demo / "page.py", work / "page.png", "--", options.build / "bin/octet-camera",
                                blob, "--source", "scene", "--garments", work])
        if taken.returncode != 0:
            return taken.returncode
        size = (work / "page.png").stat().st_size
        print(f"screenshot of {size} bytes")
        return 0 if size >= SMALLEST_BYTES else 1


if __name__ == "__main__":
    sys.exit(main())
