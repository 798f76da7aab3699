#!/usr/bin/env python3
"""Archives for boards: what is in them, that they are made twice with the same bytes, and what is refused.

Whole builds are left to `packaging/release.sh --twice`, which takes minutes for each processor.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/support"))
from presets import left_out  # noqa: E402

RELEASE = SOURCE / "packaging/release.sh"
TARBALL = SOURCE / "packaging/board/make_tarball.py"
PROGRAMS = {"octet-camera", "octet-run", "octet-slot"}
EMULATORS = {"aarch64": ["qemu-aarch64", "-cpu", "cortex-a53"], "armv7": ["qemu-arm", "-cpu", "cortex-a15"]}
options = argparse.Namespace()


def run(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)


class Release(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="octet-release-test-"))

    def tearDown(self):
        shutil.rmtree(self.work)

    def static_programs(self) -> pathlib.Path:
        """A build folder of this machine with small static programs."""
        build = self.work / "build"
        (build / "bin").mkdir(parents=True)
        (self.work / "main.c").write_text("#include <stdio.h>\nint main(int n, char** v) { (void)v; printf(\"%d\\n\", n); return 0; }\n")
        for name in PROGRAMS:
            made = run("cc", "-static", "-o", build / "bin" / name, self.work / "main.c")
            self.assertEqual(made.returncode, 0, made.stderr)
        return build

    def tarball(self, build: pathlib.Path, folder: str = "made", **more) -> pathlib.Path:
        made = run(sys.executable, TARBALL, "--build", build, "-o", self.work / folder, **more)
        self.assertEqual(made.returncode, 0, made.stderr)
        return pathlib.Path(made.stdout.strip())

    def test_archive_has_the_programs_and_is_the_same_twice(self):
        build = self.static_programs()
        path = self.tarball(build)
        again = run("sh", "-c", f"umask 077; exec {sys.executable} {TARBALL} --build {build} -o {self.work / 'again'}",
                    env={**os.environ, "TZ": "Pacific/Auckland", "LC_ALL": "C"})
        self.assertEqual(pathlib.Path(again.stdout.strip()).read_bytes(), path.read_bytes())
        with tarfile.open(path) as archive:
            members = archive.getmembers()
            self.assertEqual({member.mtime for member in members}, {int(os.environ.get("SOURCE_DATE_EPOCH", 315532800))})
            self.assertEqual({(member.uid, member.gid, member.uname) for member in members}, {(0, 0, "root")})
            names = {member.name.split("/", 1)[1]: member.mode for member in members}
            archive.extractall(self.work)
        self.assertTrue({f"bin/{name}" for name in PROGRAMS} | {"THIRD-PARTY", "LGPL-2.1"} <= set(names))
        self.assertEqual((names["install.sh"], names["bin/octet-run"], names["LICENSE"]), (0o755, 0o755, 0o644))

        # As somebody installs it.
        (folder,) = self.work.glob("octet-*-board-*")
        (self.work / "usr/bin").mkdir(parents=True)
        (self.work / "usr/bin/octet-run").write_text("old\n")
        done = run(folder / "install.sh", "--prefix", self.work / "usr")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({program.name for program in (self.work / "usr/bin").iterdir()}, PROGRAMS)
        self.assertEqual((self.work / "usr/bin/octet-run").read_bytes(), (folder / "bin/octet-run").read_bytes())
        self.assertTrue((self.work / "usr/share/octet/systemd/octet-camera.service").exists())
        (folder / "bin/octet-run").write_bytes(b"\x7fELF of another processor")
        refused = run(folder / "install.sh", "--prefix", self.work / "other")
        self.assertEqual((refused.returncode, len(refused.stderr.splitlines())), (2, 1))
        self.assertFalse((self.work / "other").exists())
        image = run(folder / "install.sh", "--root", self.work / "image")
        self.assertEqual(image.returncode, 0, image.stderr)
        self.assertTrue((self.work / "image/usr/local/bin/octet-slot").exists())

    def test_programs_that_are_not_static_are_refused(self):
        refused = run(sys.executable, TARBALL, "--build", options.build, "-o", self.work)
        self.assertEqual((refused.returncode, len(refused.stderr.splitlines())), (1, 1))
        refused = run(sys.executable, TARBALL, "--build", self.work, "-o", self.work)
        self.assertEqual((refused.returncode, len(refused.stderr.splitlines())), (1, 1))

    def test_bad_use_of_the_release_script_is_status_2(self):
        for arguments in (["--only", "mips"], ["--colour"], ["--output"]):
            refused = run("sh", RELEASE, *arguments)
            self.assertEqual((refused.returncode, len(refused.stderr.splitlines())), (2, 1), arguments)

    def test_archives_for_boards_run_their_self_test(self):
        made = 0
        for preset, emulator in EMULATORS.items():
            build = options.build.parent / preset
            if left_out(preset) or not (build / "bin/octet-run").exists() or not shutil.which(emulator[0]):
                continue
            with tarfile.open(self.tarball(build)) as archive:
                archive.extractall(self.work)
            (program,) = self.work.glob(f"octet-*-board-{preset}/bin/octet-run")
            done = run(*emulator, program, "--self-test", "--json", "--plan", "int8", "--threads", "1")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertTrue(json.loads(done.stdout)["ok"])
            made += 1
        if not made:
            self.skipTest(left_out("aarch64") or "no programs of the presets aarch64 and armv7 here")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.parse_args(namespace=options)
    options.build = options.build.resolve()
    return not unittest.main(argv=[sys.argv[0], "-v"], exit=False).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
