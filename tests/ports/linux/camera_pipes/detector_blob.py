"""The demo's detector as a blob for tests of the camera."""
import pathlib
import subprocess

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parents[4]
SKIPPED = 77  # exit status CTest takes as skipped


def make(build: pathlib.Path, work: pathlib.Path, *more, light: int = 256) -> pathlib.Path:
    """Calibrated with smooth random pictures: what it finds does not matter here. more: of octet convert; light: 1 to 256, pixels are below."""
    coarse = np.random.Generator(np.random.PCG64(1)).integers(0, light, (8, 10, 10, 3), np.uint8)
    np.save(work / "calib.npy", coarse.repeat(32, axis=1).repeat(32, axis=2))
    blob = work / "detector.octet"
    subprocess.run([build / "bin/octet", "convert", SOURCE / "demo/scene_detector.onnx", "-o", blob, "--calibrate",
                    work / "calib.npy", "--mean", "0,0,0", "--std", "1,1,1", "--task", "detect", "--decode",
                    SOURCE / "demo/scene_decode.yaml", "--labels", SOURCE / "demo/labels.txt", *more],
                   check=True, stdout=subprocess.DEVNULL)
    return blob
