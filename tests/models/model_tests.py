"""What the scripts of this folder share: the models, the programs under test, and a report of single cases."""
import contextlib
import dataclasses
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/support"))
from presets import left_out  # noqa: E402, F401
LAB = SOURCE.parent / "shared" / "lab"
FASHION = pathlib.Path("/usr/share/datasets/fashion-mnist")
SKIPPED = 77  # exit status CTest takes as skipped
CIFAR = ["--mean", "0.4914,0.4822,0.4465", "--std", "0.2470,0.2435,0.2616"]
CALIBRATION_IMAGES = 64
# The converter's memory is kept: what is given back and asked for again is a tenth of the time where page faults are dear.
KEEPS_MEMORY = {"GLIBC_TUNABLES": f"glibc.malloc.mmap_threshold={1 << 30}:glibc.malloc.trim_threshold={1 << 32}"}


@dataclasses.dataclass(frozen=True)
class Model:
    name: str
    onnx: pathlib.Path
    calibration: str  # file in LAB; "" for seeded random pictures
    images: str
    options: tuple
    shape: tuple  # of a picture


MODELS = (
    Model("fashion_mnist", SOURCE / "demo" / "fashion_mnist.onnx", "", "", ("--mean", "0.2860", "--std", "0.3530"),
          (28, 28, 1)),
    Model("resnet18", LAB / "resnet18_cifar10.onnx", "cifar_calib_x.npy", "cifar_test_x.npy", tuple(CIFAR),
          (32, 32, 3)),
    Model("mobilenet_v2", LAB / "mobilenet_v2_cifar10.onnx", "cifar_calib_x.npy", "cifar_test_x.npy", tuple(CIFAR),
          (32, 32, 3)),
    Model("detector", LAB / "mosaic_detector.onnx", "mosaic_calib_x.npy", "mosaic_val_x.npy", (), (128, 128, 3)),
)


class Skip(Exception):
    """A case that cannot run here; the message is one plain line."""


def pictures(model: Model, which: str, count: int) -> np.ndarray:
    """uint8 [count,H,W,C]: the first of the lab's file, or random ones that are the same on every machine."""
    name = getattr(model, which)
    if name:
        return np.load(LAB / name, mmap_mode="r")[:count]
    seed = {"calibration": 11, "images": 12}[which]
    # Smooth shapes rather than noise, so that every layer sees values of different sizes.
    coarse = np.random.Generator(np.random.PCG64(seed)).integers(0, 256, (count, 7, 7, model.shape[2]), np.uint8)
    return coarse.repeat(model.shape[0] // 7, axis=1).repeat(model.shape[1] // 7, axis=2)


def run(command: list, expect: int = 0, **environment: str) -> str:
    """Standard output of a program; AssertionError with its message when it ends otherwise."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == expect, f"{' '.join(map(str, command))}: status {done.returncode}: {done.stderr[-2000:]}"
    return done.stdout


def digest(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Build:
    """Programs of one build folder, with an emulator in front where the machine needs one."""

    def __init__(self, folder: pathlib.Path, emulator: tuple = (), name: str = ""):
        self.folder, self.emulator, self.name = folder, emulator, name or folder.name
        self.octet, self.octet_run = folder / "bin" / "octet", folder / "bin" / "octet-run"

    def isas(self) -> list:
        return run([*self.emulator, self.octet_run, "--isa", "list"]).split()

    def convert(self, model: Model, work: pathlib.Path, threads: int, out: pathlib.Path,
                samples: int = CALIBRATION_IMAGES) -> dict:
        data = work / f"{model.name}.calibration.{samples}.npy"
        if not data.exists():
            save(data, pictures(model, "calibration", samples))
        return json.loads(run([self.octet, "convert", model.onnx, "-o", out, "--calibrate", data, "--samples", samples,
                               "--threads", threads, "--json", *model.options], **KEEPS_MEMORY))

    def infer(self, blob: pathlib.Path, images: pathlib.Path, out: pathlib.Path, *options) -> dict:
        return json.loads(run([*self.emulator, self.octet_run, blob, "--input", images, "--output", out, "--json",
                               *options]))

    def inspect(self, blob: pathlib.Path) -> dict:
        return json.loads(run([self.octet, "inspect", blob, "--json"]))


def save(path: pathlib.Path, array: np.ndarray) -> pathlib.Path:
    """np.save that leaves no half a file behind for another test to read."""
    part = path.with_suffix(f".{os.getpid()}.part.npy")
    np.save(part, array)
    part.replace(path)
    return path


class Report:
    """Runs cases, prints one line each, and writes them as GoogleTest does, for tests/summary.py to count."""

    def __init__(self, suite: str, path: pathlib.Path | None):
        self.suite, self.path = suite, path
        self.root = ElementTree.Element("testsuite", name=suite)
        self.failed = self.passed = 0

    @contextlib.contextmanager
    def case(self, name: str):
        entry = ElementTree.SubElement(self.root, "testcase", name=name, classname=self.suite, status="run")
        started = time.monotonic()
        try:
            yield
        except Skip as skip:
            ElementTree.SubElement(entry, "skipped", message=str(skip))
            print(f"[ SKIPPED ] {name}: {skip}")
            return
        except Exception as error:  # any error of a case is a failed case
            self.failed += 1
            ElementTree.SubElement(entry, "failure", message=f"{type(error).__name__}: {error}")
            print(f"[  FAILED ] {name}: {type(error).__name__}: {error}")
            return
        self.passed += 1
        print(f"[      OK ] {name} ({time.monotonic() - started:.1f} s)", flush=True)

    def finish(self) -> int:
        if self.path:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            ElementTree.ElementTree(self.root).write(self.path, encoding="utf-8")
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0 if self.passed else SKIPPED


def require(model: Model) -> None:
    if not model.onnx.exists():
        raise Skip("the models of ../shared/lab are not there")


def emulated(program: str, cpu: str) -> tuple:
    path = shutil.which(program)
    if path is None:
        raise Skip(f"{program} is not installed")
    return (path, "-cpu", cpu)


def arguments(parser) -> "argparse.Namespace":
    """Adds what every script takes: the build under test, a folder to work in, a report."""
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build folder with bin/octet and bin/octet-run")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for blobs and outputs, kept between runs")
    parser.add_argument("--report", type=pathlib.Path, help="XML report to write")
    parsed = parser.parse_args()
    parsed.work.mkdir(parents=True, exist_ok=True)
    if not Build(parsed.build).octet.exists():
        print(f"{parsed.build}/bin/octet is not built")
        sys.exit(2)
    return parsed
