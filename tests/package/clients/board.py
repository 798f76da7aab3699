"""A folder that is a board: a store, octet-slot in the PATH and, when wanted, octet-camera on a stream of frames; and four models for it."""
import argparse
import contextlib
import itertools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parents[3]
UPDATE = SOURCE / "packaging/updates/octet-update"
PATIENCE_SECONDS = 150  # on a busy machine; an idle one needs five
options = argparse.Namespace()


def until(what: str, reached, seconds: float = PATIENCE_SECONDS):
    """What `reached` returns as soon as it is true."""
    end = time.monotonic() + seconds
    while not (value := reached()):
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.1)
    return value


class Models:
    """first and good agree in their answers; `older` has a lower security counter, `newer` a higher one; `worse` passes every check and answers
    wrongly."""

    def __init__(self, folder: pathlib.Path) -> None:
        from onnx import load, numpy_helper, save
        np.save(folder / "pictures.npy", np.arange(8 * 28 * 28, dtype=np.uint8).reshape(8, 28, 28, 1))
        network = load(str(SOURCE / "demo/fashion_mnist.onnx"))
        for tensor in network.graph.initializer:
            if tensor.name in ("12.weight", "12.bias"):  # of the scores: the least likely class becomes the best
                tensor.CopyFrom(numpy_helper.from_array(-numpy_helper.to_array(tensor), tensor.name))
        save(network, str(folder / "worse.onnx"))
        whole, worse = SOURCE / "demo/fashion_mnist.onnx", folder / "worse.onnx"
        conversions = [subprocess.Popen([options.build / "bin/octet", "convert", source, "-o", folder / f"{name}.octet", "--calibrate",
                                         folder / "pictures.npy", "--task", "classify", "--golden", golden, "--security-counter", counter],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                       for name, source, golden, counter in (("first", whole, "2", "2"), ("good", whole, "3", "2"), ("older", whole, "2", "1"),
                                                             ("newer", whole, "2", "3"), ("worse", worse, "2", "2"))]
        for conversion in conversions:
            said = conversion.communicate()[1]
            if conversion.returncode:
                raise AssertionError(said)


class Board(unittest.TestCase):
    """A test case with a board whose store runs the model `first`."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="octet-clients-"))
        cls.addClassCleanup(shutil.rmtree, cls.shared)
        Models(cls.shared)

    def setUp(self) -> None:
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="octet-board-"))
        self.addCleanup(shutil.rmtree, self.work)
        (self.work / "store").mkdir()
        (self.work / "tmp").mkdir()
        shutil.copy(self.shared / "first.octet", self.work / "store/slot-a.octet")
        self.environment = {**os.environ, "PATH": f"{options.build / 'bin'}:{os.environ['PATH']}:/usr/sbin:/sbin", "LC_ALL": "C.UTF-8",
                            "OCTET_UPDATES_CONF": str(self.work / "updates.conf"), "TMPDIR": str(self.work / "tmp")}
        self.configure(wait=300)
        self.camera = None

    def configure(self, wait: int) -> None:
        (self.work / "updates.conf").write_text(f"STORE={self.work}/store\nWAIT={wait}\n")

    def model(self, name: str) -> pathlib.Path:
        return self.shared / f"{name}.octet"

    def run_it(self, *words) -> subprocess.CompletedProcess:
        """A program; what it prints is one text."""
        return subprocess.run([str(word) for word in words], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=self.environment,
                              cwd=self.work)

    def slot(self, *words) -> str:
        return subprocess.run(["octet-slot", self.work / "store", *words], text=True, capture_output=True, check=True, env=self.environment).stdout

    def store(self) -> dict:
        return json.loads(self.slot("list", "--json"))

    def digest(self) -> str:
        """Of the model that runs when no trial does."""
        state = self.store()
        self.assertIsNone(state["pending"], state)
        return next(slot["digest"] for slot in state["slots"] if slot["slot"] == state["active"])

    def digest_of(self, name: str) -> str:
        said = subprocess.run([options.build / "bin/octet", "inspect", self.model(name), "--json"], capture_output=True, check=True).stdout
        return json.loads(said)["digest"]

    def start_camera(self, *more: str) -> None:
        """On frames that never end. It runs until the test ends, or stop_camera()."""
        with open(self.work / "camera.log", "a") as log:
            self.camera = subprocess.Popen([options.build / "bin/octet-camera", "--slots", self.work / "store", "--source", "-", "--format", "grey8", "--size",
                                            "28x28", "--confirm-after", "20", "--trial-frames", "2", *more], stdin=subprocess.PIPE,
                                           stdout=subprocess.DEVNULL, stderr=log)
        self.film = threading.Thread(target=self._film, args=(self.camera.stdin,), daemon=True)
        self.film.start()
        self.addCleanup(self.stop_camera)

    @staticmethod
    def _film(pipe) -> None:
        frames = np.random.default_rng(7).integers(0, 256, (16, 28 * 28), dtype=np.uint8)
        with contextlib.suppress(BrokenPipeError), pipe:
            for i in itertools.count():
                pipe.write(frames[i % len(frames)].tobytes())
                pipe.flush()
                time.sleep(0.02)

    def stop_camera(self, how: int = signal.SIGTERM) -> None:
        if self.camera and self.camera.poll() is None:
            self.camera.send_signal(how)
            self.camera.wait()
            self.film.join()

    def camera_with_answers(self) -> None:
        """The camera, when it has kept frames that it can compare a new model on."""
        self.start_camera()
        until("two frames are kept", lambda: "slot A" in (self.work / "camera.log").read_text())
        time.sleep(2.2)  # it keeps one frame a second


def skip(reason: str) -> None:
    print(f"skipped: {reason}")
    sys.exit(77)


def main(doc: str, programs: dict) -> None:
    """programs: what the tests call, and the package that has it."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("cases", nargs="*", help="as unittest names them; without any, all")
    parser.parse_args(namespace=options)
    options.build = options.build.resolve()
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    for program, package in programs.items():
        if shutil.which(program, path=path) is None:
            skip(f"{program} is not installed (Debian's {package})")
    sys.exit(not unittest.main(module="__main__", argv=[sys.argv[0], "-v", *options.cases], exit=False).result.wasSuccessful())
