#!/usr/bin/env python3
"""SBOMs: every hash again, the rules of SPDX, and that no library of link maps, of the compiler's lists and of images is missing.

What must be listed is computed here apart from packaging/sbom: from the maps, from Ninja, and by dpkg.
"""
import argparse
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

from sbom_check import contents, missing, problems_of

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SBOM = SOURCE / "packaging/sbom/make_sbom.py"
WHEEL = SOURCE / "packaging/wheel/make_wheel.py"
PROGRAMS = ("octet", "octet-camera")  # which have all libraries of the others
NINJA = """
rule cc
  command = cc -MD -MF $out.d -c $in -o $out
  deps = gcc
  depfile = $out.d
rule ar
  command = ar rcs $out $in
rule link
  command = cc -static -o $out $in -Wl,-Map=$out.map
build main.o: cc ../sources/main.c
build used.o: cc ../sources/used.c
build unused.o: cc ../sources/unused.c
build libown.a: ar used.o unused.o
build bin/octet-run: link main.o libown.a
"""
options = argparse.Namespace()


def run(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)


def packages_of(paths) -> set:
    """Debian's, of installed files."""
    real = {str(path) for one in paths for path in (one, pathlib.Path(one).resolve())}
    said = run("dpkg-query", "-S", *sorted(real | {path.removeprefix("/usr") for path in real})).stdout
    return {line.split(": /")[0].split(",")[0].split(":")[0] for line in said.splitlines() if not line.startswith("diversion")}


def archive_of(programs, work: pathlib.Path) -> pathlib.Path:
    path = work / "octet-0.1.0-board-test.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for program in programs:
            archive.add(program, f"octet-0.1.0-board-test/bin/{program.name}")
    return path


class Sbom(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="octet-sbom-test-"))

    def tearDown(self):
        shutil.rmtree(self.work)

    def sbom(self, artefact: pathlib.Path, *more, twice: bool = True) -> dict:
        done = run(sys.executable, SBOM, *more, artefact)
        self.assertEqual(done.returncode, 0, done.stderr)
        path = pathlib.Path(done.stdout.strip())
        text = path.read_bytes()
        if twice:
            run(sys.executable, SBOM, *more, artefact, env={**os.environ, "TZ": "Pacific/Auckland", "LC_ALL": "C", "PYTHONHASHSEED": "7"})
        self.assertEqual(path.read_bytes(), text)
        document = json.loads(text)
        self.assertEqual(problems_of(document), [])
        return document

    def check_hashes(self, artefact: pathlib.Path, inside: dict, document: dict):
        described = document["packages"][0]
        self.assertEqual(described["checksums"], [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(artefact.read_bytes()).hexdigest()}])
        own = set(contents(document)["SPDXRef-Artefact"])
        listed = {file["fileName"][2:]: {one["algorithm"]: one["checksumValue"] for one in file["checksums"]}
                  for file in document["files"] if file["SPDXID"] in own}
        self.assertEqual(listed, {name: {"SHA1": hashlib.sha1(data).hexdigest(), "SHA256": hashlib.sha256(data).hexdigest()}
                                  for name, data in inside.items()})

    def linked(self, document: dict, how: str) -> set:
        names = {package["SPDXID"]: package["name"] for package in document["packages"]}
        return {names[one["relatedSpdxElement"]] for one in document["relationships"] if one["relationshipType"] == how}

    def small_build(self, main: str = "#include <stdio.h>\n#include <stb/stb_image_write.h>\n") -> pathlib.Path:
        """A build folder of Ninja with one static program. Only one of two objects of its own archive is in the program."""
        build, sources = self.work / "build", self.work / "sources"
        build.mkdir()
        sources.mkdir()
        (build / "CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={sources}\n")
        (sources / "main.c").write_text(main + "int used(int);\nint main(int n, char** v) { (void)v; return used(n); }\n")
        (sources / "used.c").write_text("#include <sodium.h>\nint used(int n) { return n; }\n")
        (sources / "unused.c").write_text("#include <stddef.h>\n#include <stdio.h>\n#include <turbojpeg.h>\nint unused(int n) { return n; }\n")
        (build / "build.ninja").write_text(NINJA)
        made = run("ninja", "-C", build)
        self.assertEqual(made.returncode, 0, made.stdout)
        return build

    def test_static_libraries_and_headers_of_a_program(self):
        build = self.small_build()
        path = archive_of([build / "bin/octet-run"], self.work)
        document = self.sbom(path, "--maps", build)
        with tarfile.open(path) as archive:
            self.check_hashes(path, {one.name: archive.extractfile(one).read() for one in archive.getmembers()}, document)
        said = (build / "bin/octet-run.map").read_text()
        archives = set(re.findall(r"^(/\S+\.a)\(", said.split("Memory Configuration")[0], re.M)) | set(re.findall(r"^LOAD (/\S+\.o)$", said, re.M))
        expected = packages_of(archives) | {"libstb-dev", "libsodium-dev", "libc6-dev"}
        self.assertTrue({"libc6-dev", "libgcc-12-dev"} <= expected)
        self.assertEqual(missing(document, expected), set())
        self.assertNotIn("libturbojpeg0-dev", self.linked(document, "STATIC_LINK"))  # of an object that is not in the program
        self.assertEqual(self.linked(document, "DYNAMIC_LINK"), set())
        listed = {file["fileName"]: file["checksums"][1]["checksumValue"] for file in document["files"]}
        libc = next(pathlib.Path(one) for one in archives if one.endswith("/libc.a")).resolve()
        self.assertEqual(listed[f".{libc}"], hashlib.sha256(libc.read_bytes()).hexdigest())
        licences = {package["name"]: package["licenseDeclared"] for package in document["packages"]}
        self.assertEqual(licences["libc6-dev"], "LGPL-2.1-or-later")
        self.assertEqual(licences["libgcc-12-dev"], "GPL-3.0-or-later WITH GCC-exception-3.1")
        self.assertEqual(licences["libsodium-dev"], "ISC")

        # What the checks find: each component that is not there, and each field of one.
        for name in expected:
            less = json.loads(json.dumps(document))
            less["packages"] = [package for package in less["packages"] if package["name"] != name]
            self.assertEqual(missing(less, expected), {name})
            self.assertTrue(problems_of(less), name)
        for field in ("versionInfo", "supplier", "licenseDeclared", "externalRefs", "downloadLocation", "SPDXID"):
            less = json.loads(json.dumps(document))
            less["packages"][1][field] = ""
            self.assertTrue(problems_of(less), field)
        for field, wrong in (("licenseDeclared", "Apache 2"), ("licenseConcluded", "MIT AND"), ("SPDXID", "SPDXRef-a+b"), ("filesAnalyzed", None)):
            wrongly = json.loads(json.dumps(document))
            wrongly["packages"][1][field] = wrong
            self.assertTrue(problems_of(wrongly), field)

    def test_a_library_of_no_package_ends_with_one_line(self):
        (self.work / "strange.h").write_text("int strange;\n")
        build = self.small_build('#include "../strange.h"\n')
        path = archive_of([build / "bin/octet-run"], self.work)
        refused = run(sys.executable, SBOM, "--maps", build, path)
        self.assertEqual((refused.returncode, len(refused.stderr.splitlines())), (1, 1), refused.stderr)
        self.assertIn(str(self.work / "strange.h"), refused.stderr)
        (build / "bin/octet-run.map").unlink()
        refused = run(sys.executable, SBOM, "--maps", build, path)
        self.assertEqual((refused.returncode, len(refused.stderr.splitlines())), (1, 1))
        self.assertIn("-Wl,-Map", refused.stderr)

    def test_package_that_was_unpacked_for_boards(self):
        sys.path.insert(0, str(SBOM.parent))
        import gzip

        import debian_packages
        documents = self.work / "thing/arm64/usr/share/doc/libthing-dev"
        library = self.work / "thing/arm64/usr/lib/aarch64-linux-gnu/libthing.a"
        for folder in (documents, library.parent):
            folder.mkdir(parents=True)
        library.write_bytes(b"!<arch>\n")
        (documents / "copyright").write_text("Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n")
        with self.assertRaises(debian_packages.Unfit):
            debian_packages.owner(library)
        with gzip.open(documents / "changelog.Debian.gz", "wt") as text:
            text.write("thing (1:2.0-3) bookworm; urgency=medium\n")
        with gzip.open(documents / "changelog.Debian.arm64.gz", "wt") as text:
            text.write("thing (1:2.0-3+b1) bookworm; urgency=medium, binary-only=yes\n")
        package = debian_packages.owner(library)
        self.assertEqual((package.name, package.version, package.source_version), ("libthing-dev", "1:2.0-3+b1", "1:2.0-3"))
        self.assertEqual(package.purls()[0], "pkg:deb/debian/libthing-dev@1:2.0-3%2Bb1?arch=arm64&distro=bookworm")

    def real_build(self) -> pathlib.Path:
        """What make_sbom.py reads of the build folder, and its programs linked once more, with maps."""
        build = self.work / "real"
        (build / "bin").mkdir(parents=True)
        (build / "CMakeFiles").mkdir()
        for name in ("build.ninja", "CMakeFiles/rules.ninja", ".ninja_deps", "CMakeCache.txt"):
            shutil.copy(options.build / name, build / name)
        for name in PROGRAMS:
            link = run("ninja", "-C", options.build, "-t", "commands", "-s", f"bin/{name}").stdout.splitlines()[-1]
            link = link.replace(f"-o bin/{name} ", f"-o {build}/bin/{name} -Wl,-Map={build}/bin/{name}.map ", 1)
            made = run("sh", "-c", link, cwd=options.build)
            self.assertTrue((build / f"bin/{name}.map").exists(), made.stdout + made.stderr)
        return build

    def test_programs_of_this_build(self):
        build = self.real_build()
        path = archive_of([build / "bin" / name for name in PROGRAMS], self.work)
        document = self.sbom(path, "--maps", build, twice=False)  # takes long
        self.assertEqual(missing(document, {"libcli11-dev", "nlohmann-json3-dev", "libstb-dev", "libyaml-cpp-dev", "libsodium23",
                                            "libprotobuf-dev", "libc6", "libstdc++6"}), set())
        # Each header-only and static library has its licence in what is given out.
        given = (SOURCE / "debian/copyright").read_text()
        sources = {package["sourceInfo"].split()[-2] for package in document["packages"] if package["name"] in self.linked(document, "STATIC_LINK")}
        self.assertEqual({source for source in sources if not re.search(rf"^ {re.escape(source)} ", given, re.M)}, set())

    def test_wheel_and_its_needed_libraries(self):
        made = run(sys.executable, WHEEL, "--library", options.build / "lib/liboctet.so.1", "-o", self.work)
        self.assertEqual(made.returncode, 0, made.stderr)
        path = pathlib.Path(made.stdout.strip())
        document = self.sbom(path)
        with zipfile.ZipFile(path) as archive:
            self.check_hashes(path, {name: archive.read(name) for name in archive.namelist()}, document)
            self.assertTrue(any(name.endswith(".dist-info/THIRD-PARTY") for name in archive.namelist()))
        self.assertEqual(self.linked(document, "DYNAMIC_LINK"), {"libc6", "libgcc-s1"})
        product = document["packages"][0]
        self.assertTrue(product["externalRefs"][0]["referenceLocator"].startswith(f"pkg:pypi/octet@{product['versionInfo']}"))
        self.assertEqual((product["licenseDeclared"], product["supplier"][:14]), ("Apache-2.0", "Organization: "))
        self.assertIn("comment", document)  # that nothing is known of what was linked in

    def test_library_of_an_image_that_is_not_this_machines(self):
        """The layer has a shared library by the name of libz.so.1 with other bytes."""
        library = next(pathlib.Path("/usr/lib").glob("*/libz.so.1")).resolve()
        layer = io.BytesIO()
        with tarfile.open(fileobj=layer, mode="w") as files:
            entry = tarfile.TarInfo(f"{library.parent.relative_to('/')}/libz.so.1")
            data = library.read_bytes() + b"x"
            entry.size = len(data)
            files.addfile(entry, io.BytesIO(data))
        path = self.work / "octet-camera_0.1.0-1_amd64.oci.tar"
        with tarfile.open(path, "w") as archive:
            def add(name, data):
                entry = tarfile.TarInfo(name)
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))
            manifest = json.dumps({"layers": [{"digest": "sha256:layer"}]}).encode()
            add("blobs/sha256/layer", layer.getvalue())
            add("blobs/sha256/manifest", manifest)
            add("index.json", json.dumps({"manifests": [{"digest": "sha256:manifest"}]}).encode())
        refused = run(sys.executable, SBOM, path)
        self.assertEqual((refused.returncode, len(refused.stderr.splitlines())), (1, 1), refused.stderr)
        self.assertIn("libz.so.1", refused.stderr)

    def test_other_files_are_refused(self):
        refused = run(sys.executable, SBOM, SBOM)
        self.assertEqual((refused.returncode, len(refused.stderr.splitlines())), (1, 1))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("tests", nargs="*", help="Sbom.NAME (default: all)")
    parser.parse_args(namespace=options)
    options.build = options.build.resolve()
    return not unittest.main(argv=[sys.argv[0], "-v", *options.tests], exit=False).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
