#!/usr/bin/env python3
"""Archives for boards and SBOMs: what is in them, that they are made twice with the same bytes, and what is refused.

Whole builds are left to `packaging/release.sh --twice`, which takes minutes for each processor.
"""
import argparse
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/support"))
from presets import left_out  # noqa: E402

RELEASE = SOURCE / "packaging/release.sh"
TARBALL = SOURCE / "packaging/board/make_tarball.py"
WHEEL = SOURCE / "packaging/wheel/make_wheel.py"
SBOM = SOURCE / "packaging/sbom/make_sbom.py"
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
        """A build folder of this machine with small static programs, and link maps."""
        build = self.work / "build"
        (build / "bin").mkdir(parents=True)
        (self.work / "main.c").write_text("#include <stdio.h>\nint main(int n, char** v) { (void)v; printf(\"%d\\n\", n); return 0; }\n")
        for name in PROGRAMS:
            made = run("cc", "-static", "-o", build / "bin" / name, self.work / "main.c", f"-Wl,-Map={build / 'bin' / name}.map")
            self.assertEqual(made.returncode, 0, made.stderr)
        return build

    def tarball(self, build: pathlib.Path, folder: str = "made", **more) -> pathlib.Path:
        made = run(sys.executable, TARBALL, "--build", build, "-o", self.work / folder, **more)
        self.assertEqual(made.returncode, 0, made.stderr)
        return pathlib.Path(made.stdout.strip())

    def check_sbom(self, artefact: pathlib.Path, inside: dict, *more) -> dict:
        """inside: {path: bytes} of every file. Returns the document."""
        done = run(sys.executable, SBOM, *more, artefact)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(pathlib.Path(done.stdout.strip()).read_text())
        self.assertEqual((document["spdxVersion"], document["dataLicense"]), ("SPDX-2.3", "CC0-1.0"))
        described = document["packages"][0]
        self.assertEqual(described["checksums"], [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(artefact.read_bytes()).hexdigest()}])
        listed = {file["fileName"][2:]: {one["algorithm"]: one["checksumValue"] for one in file["checksums"]} for file in document["files"]}
        self.assertEqual(set(listed), set(inside))
        for name, data in inside.items():
            self.assertEqual(listed[name], {"SHA1": hashlib.sha1(data).hexdigest(), "SHA256": hashlib.sha256(data).hexdigest()})
        code = hashlib.sha1("".join(sorted(one["SHA1"] for one in listed.values())).encode()).hexdigest()
        self.assertEqual(described["packageVerificationCode"]["packageVerificationCodeValue"], code)
        identities = [part["SPDXID"] for kind in ("packages", "files") for part in document[kind]] + [document["SPDXID"]]
        self.assertEqual(len(identities), len(set(identities)))
        for relation in document["relationships"]:
            self.assertIn(relation["spdxElementId"], identities)
            self.assertIn(relation["relatedSpdxElement"], identities)
        return document

    def linked(self, document: dict, how: str) -> set:
        names = {package["SPDXID"]: package["name"] for package in document["packages"]}
        return {names[relation["relatedSpdxElement"]] for relation in document["relationships"] if relation["relationshipType"] == how}

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
        self.assertTrue({f"bin/{name}" for name in PROGRAMS} <= set(names))
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

    def test_sbom_of_an_archive_names_static_libraries(self):
        build = self.static_programs()
        path = self.tarball(build)
        with tarfile.open(path) as archive:
            inside = {member.name: archive.extractfile(member).read() for member in archive.getmembers()}
        document = self.check_sbom(path, inside, "--maps", build)
        self.assertIn("libc.a", self.linked(document, "STATIC_LINK"))
        self.assertEqual(self.linked(document, "DYNAMIC_LINK"), set())
        (libc,) = [package for package in document["packages"] if package["name"] == "libc.a"]
        self.assertEqual(libc["sourceInfo"], "package libc6-dev")
        self.assertTrue(libc["versionInfo"])

    def test_sbom_of_a_wheel_names_needed_libraries(self):
        made = run(sys.executable, WHEEL, "--library", options.build / "lib/liboctet.so.1", "-o", self.work)
        self.assertEqual(made.returncode, 0, made.stderr)
        path = pathlib.Path(made.stdout.strip())
        with zipfile.ZipFile(path) as archive:
            inside = {name: archive.read(name) for name in archive.namelist()}
        document = self.check_sbom(path, inside)
        self.assertTrue({"libc.so.6", "libgcc_s.so.1"} <= self.linked(document, "DYNAMIC_LINK"))
        changed = json.loads(json.dumps(document))
        again = self.check_sbom(path, inside)
        self.assertEqual(changed, again)

    def test_sbom_of_other_files_is_refused(self):
        refused = run(sys.executable, SBOM, RELEASE)
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
