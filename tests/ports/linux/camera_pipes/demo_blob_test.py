#!/usr/bin/env python3
"""demo/scene, which octet-camera --source scene runs when no model is given: it runs from anywhere and finds what is in the frames;
demo/make_scene.sh makes the same bytes; the blob agrees with demo/scene_detector.onnx in both plans."""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

DATA_SET = pathlib.Path("/usr/share/datasets/fashion-mnist")
DEMO = pathlib.Path(__file__).resolve().parents[4] / "demo"
PROGRAMS = None


class Scene(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="octet-demo-blob-")
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)

    def scores(self, program):
        """mAP@0.5 of 60 frames; the program has no other argument than the source and the pace."""
        done = subprocess.run([program, "--source", "scene", "--score", "--json", "--frames", "60", "--fps", "0", "--every-frame"],
                              cwd=self.work, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout.splitlines()[-1])["summary"]["map50"], done.stderr

    def test_a_scene_without_a_model(self):
        map50, told = self.scores(PROGRAMS / "octet-camera")
        self.assertGreater(map50, 70)
        self.assertIn(str(DEMO / "scene/detector.octet"), told)

    def test_installed(self):
        for folder in ("bin", "share/octet"):
            (self.work / folder).mkdir(parents=True)
        program = shutil.copy2(PROGRAMS / "octet-camera", self.work / "bin")
        without = subprocess.run([program, "--source", "scene"], capture_output=True, text=True, timeout=60)
        self.assertEqual(without.returncode, 2)
        self.assertIn("share/octet/scene", without.stderr)
        self.assertIn("MODEL", without.stderr)
        shutil.copytree(DEMO / "scene", self.work / "share/octet/scene")
        map50, told = self.scores(program)
        self.assertGreater(map50, 70)
        self.assertIn(str(self.work / "share/octet/scene/detector.octet"), told)

    @unittest.skipUnless(DATA_SET.is_dir(), "no garments (Debian's package dataset-fashion-mnist)")
    def test_its_files_are_made_again(self):
        subprocess.run([DEMO / "make_scene.sh", PROGRAMS.parent, self.work / "scene"], check=True)
        made = sorted(path.name for path in (self.work / "scene").iterdir())
        self.assertEqual(sorted([*made, "LICENSE"]), sorted(path.name for path in (DEMO / "scene").iterdir()))
        for name in made:
            self.assertTrue((self.work / "scene" / name).read_bytes() == (DEMO / "scene" / name).read_bytes(),
                            f"demo/scene/{name} differs from the one that demo/make_scene.sh makes now")

    def test_two_cameras_in_one_picture(self):
        done = subprocess.run([DEMO / "two_cameras.sh", PROGRAMS.parent, self.work / "two"], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in (self.work / "two/lines.jsonl").read_text().splitlines()]
        self.assertEqual({line["camera"] for line in lines}, {"left", "right"})
        head = (self.work / "two/two_cameras.png").read_bytes()[:24]
        self.assertEqual((int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")), (2 * 320 + 8, 320))

    def test_the_blob_agrees_with_its_model(self):
        subprocess.run([PROGRAMS / "octet-scene", "--pictures", DEMO / "scene/test.npy", "--labels", DEMO / "scene/labels.npy",
                        "--frames", "8", "--seed", "5", "--output", self.work / "frames.npy"], check=True)
        verified = subprocess.run([PROGRAMS / "octet", "verify", DEMO / "scene_detector.onnx", DEMO / "scene/detector.octet", "--data",
                                   self.work / "frames.npy"], check=False)
        self.assertEqual(verified.returncode, 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    PROGRAMS = options.build.resolve() / "bin"
    unittest.main(argv=[sys.argv[0], *rest])
