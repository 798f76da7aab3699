#!/usr/bin/env python3
"""Wheels: made twice with the same bytes, installed without a network, used; libraries that do not fit are refused."""
import argparse
import base64
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import numpy
from PIL import Image

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/support"))
from presets import left_out  # noqa: E402

MAKE = SOURCE / "packaging/wheel/make_wheel.py"
BLOB = SOURCE / "demo/scene/detector.octet"
options = argparse.Namespace()


def run(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)


class Wheels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = pathlib.Path(tempfile.mkdtemp(prefix="octet-wheel-"))
        cls.made = run(sys.executable, MAKE, "--library", options.build / "lib/liboctet.so.1", "-o", cls.work / "wheels")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.work)

    def wheel(self) -> pathlib.Path:
        self.assertEqual(self.made.returncode, 0, self.made.stderr)
        return pathlib.Path(self.made.stdout.strip())

    def test_other_umask_zone_and_locale_give_the_same_bytes(self):
        command = f"umask 077; exec {sys.executable} {MAKE} --library {options.build / 'lib/liboctet.so.1'} -o {self.work / 'again'}"
        again = run("sh", "-c", command, env={**os.environ, "TZ": "Pacific/Auckland", "LC_ALL": "C", "PYTHONHASHSEED": "7"})
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(pathlib.Path(again.stdout.strip()).read_bytes(), self.wheel().read_bytes())
        dated = run(sys.executable, MAKE, "--library", options.build / "lib/liboctet.so.1", "-o", self.work / "dated",
                    env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
        with zipfile.ZipFile(dated.stdout.strip()) as archive:
            self.assertEqual({entry.date_time for entry in archive.infolist()}, {(2023, 11, 14, 22, 13, 20)})

    def test_record_names_every_file_with_its_hash(self):
        with zipfile.ZipFile(self.wheel()) as archive:
            (record,) = [name for name in archive.namelist() if name.endswith("/RECORD")]
            lines = dict(line.split(",", 1) for line in archive.read(record).decode().splitlines())
            self.assertEqual(set(lines), set(archive.namelist()))
            for name in set(lines) - {record}:
                data = archive.read(name)
                digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                self.assertEqual(lines[name], f"sha256={digest},{len(data)}", name)
            metadata = archive.read(record.replace("RECORD", "METADATA")).decode()
            self.assertEqual(re.findall(r"^Requires-Dist: (.*)$", metadata, re.M), ["numpy"])
            self.assertIn(f"Tag: {self.wheel().stem.split('-', 2)[2]}\n", archive.read(record.replace("RECORD", "WHEEL")).decode())

    def test_installed_it_loads_runs_and_detects(self):
        if run(sys.executable, "-c", "import venv, ensurepip").returncode:
            self.skipTest("no python3-venv")
        python = self.work / "venv/bin/python"
        self.assertEqual(run(sys.executable, "-m", "venv", "--system-site-packages", self.work / "venv").returncode, 0)
        installed = run(python, "-m", "pip", "install", "--no-deps", "--no-index", "--disable-pip-version-check", self.wheel())
        self.assertEqual(installed.returncode, 0, installed.stdout + installed.stderr)
        clean = {key: value for key, value in os.environ.items() if key not in ("OCTET_LIBRARY", "LD_LIBRARY_PATH", "PYTHONPATH")}

        def octet_py(*arguments):
            return run(self.work / "venv/bin/octet-py", *arguments, cwd=self.work, env=clean)

        garments = run(sys.executable, SOURCE / "demo/pictures.py", self.work, "--test", "100")
        if garments.returncode:
            self.skipTest("no garments; sudo apt-get install dataset-fashion-mnist")
        scene = run(options.build / "bin/octet-scene", "--pictures", self.work / "test.npy", "--labels", self.work / "labels.npy", "--frames",
                    "2", "--seed", "5", "--size", "320x240", "--output", self.work / "frames.npy")
        self.assertEqual(scene.returncode, 0, scene.stderr)
        frames = numpy.load(self.work / "frames.npy")
        height, width = frames.shape[1:3]
        (self.work / "one.ppm").write_bytes(b"P6\n# one\n%d %d\n255\n" % (width, height) + frames[0].tobytes())

        loaded = octet_py("load", BLOB, "--json")
        self.assertEqual(loaded.returncode, 0, loaded.stderr)
        self.assertEqual(json.loads(loaded.stdout)["blob_bytes"], BLOB.stat().st_size)
        told = json.loads(octet_py("info", BLOB, "--json").stdout)
        self.assertEqual((told["task"], told["plans"], told["inputs"][0]["shape"]), ("detect", ["int8", "fp16"], [1, 3, 320, 320]))

        # The numbers and the boxes of octet-run.
        ran = octet_py("run", BLOB, "--input", "one.ppm", "--output", "python.npy")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        reference = run(options.build / "bin/octet-run", BLOB, "--input", self.work / "one.ppm", "--output", self.work / "run.npy",
                        "--json")
        self.assertEqual((self.work / "python.npy").read_bytes(), (self.work / "run.npy").read_bytes())
        lines = octet_py("detect", BLOB, "one.ppm", "frames.npy", "--json").stdout.splitlines()
        boxes = [json.loads(line)["detections"] for line in lines]
        self.assertEqual(len(boxes), 1 + len(frames))
        self.assertEqual(boxes[0], boxes[1])
        self.assertGreater(len(boxes[0]), 0)
        wanted = json.loads(reference.stdout)["results"][0]["detections"]
        self.assertEqual(boxes[0], wanted)
        Image.fromarray(frames[0]).save(self.work / "one.png")
        by_pillow = octet_py("detect", BLOB, "one.png", "--json")
        self.assertEqual(by_pillow.returncode, 0, by_pillow.stderr)
        self.assertEqual(json.loads(by_pillow.stdout)["detections"], wanted)
        (self.work / "cut.png").write_bytes((self.work / "one.png").read_bytes()[:200])

        for arguments in (["detect", BLOB, "none.ppm"], ["detect", MAKE, "one.ppm"], ["detect", BLOB, MAKE], ["load", BLOB, "--plan", "x"],
                          ["run", BLOB, "--input", "one.ppm", "one.ppm"], ["detect", BLOB, "cut.png"], ["detect", BLOB, "none.jpg"]):
            refused = octet_py(*arguments)
            self.assertEqual((refused.returncode, len(refused.stderr.splitlines())), (2, 1), refused.stderr)

    def test_libraries_that_do_not_fit_are_refused(self):
        (self.work / "new.c").write_text("#include <pthread.h>\nvoid* f(void* x) { return x; }\n"
                                         "int g(pthread_t* t) { return pthread_create(t, 0, f, 0); }\n")
        for name, flags, named in (("liboctet.so.1", [], "GLIBC_2.34"), ("libother.so", [], "SONAME"),
                                   ("liboctet.so.1", ["-Wl,--no-as-needed", "-lstdc++"], "libstdc++.so.6")):
            folder = pathlib.Path(tempfile.mkdtemp(dir=self.work))
            built = run("cc", "-shared", "-fPIC", "-o", folder / name, f"-Wl,-soname,{name}", self.work / "new.c", *flags)
            self.assertEqual(built.returncode, 0, built.stderr)
            refused = run(sys.executable, MAKE, "--library", folder / name, "-o", folder)
            self.assertEqual((refused.returncode, len(refused.stderr.splitlines())), (1, 1))
            self.assertIn(named, refused.stderr)
            self.assertEqual(list(folder.glob("*.whl")), [])

    def test_wheels_for_boards(self):
        made = 0
        for preset, machine in (("aarch64", "aarch64"), ("armv7", "armv7l")):
            library = options.build.parent / preset / "lib/liboctet.so.1"
            if left_out(preset) or not library.exists():
                continue
            done = run(sys.executable, MAKE, "--library", library, "-o", self.work / "boards")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(done.stdout.strip().endswith(f"-py3-none-manylinux_2_27_{machine}.whl"))
            made += 1
        if not made:
            self.skipTest(left_out("aarch64") or "no library of the presets aarch64 and armv7 here")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.parse_args(namespace=options)
    options.build = options.build.resolve()
    return not unittest.main(argv=[sys.argv[0], "-v"], exit=False).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
