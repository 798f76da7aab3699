#!/usr/bin/env python3
"""The Debian packages, unpacked where nothing else is: programs run, an example is built against them and runs, Python loads the
library. OCI images of them (image_check.py). An apt repository of them, signed by a key that is made here, and apt itself reads it.

debian_test.py --build NATIVE_BUILD --source ROOT [--boards]

--boards: only the packages of the presets aarch64 and armv7: names, processors, and that the programs need no library. Exit status
77 (skipped) where neither is built.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from image_check import check_board_image, check_images
from package_test import PROGRAMS, check, make_blob, run

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "packaging"))
from artefact import triplet_of  # noqa: E402

PACKAGES = {"octet", "octet-device", "octet-serve", "liboctet1", "liboctet-dev", "python3-octet", "octet-dev"}
DEVICE = {"octet-camera", "octet-run", "octet-slot"}
# Only of libraries in /usr/lib, where a build that was not configured with -DCMAKE_INSTALL_PREFIX=/usr has them.
OF_THIS_BUILD = {"arch-dependent-file-not-in-arch-specific-directory", "pkg-config-unavailable-for-cross-compilation"}


def fields(package):
    """{field: value} of a package's control file; continued lines are joined."""
    text = run("dpkg-deb", "-f", package)
    return dict(re.findall(r"^([\w-]+): (.*(?:\n .*)*)", text, re.M))


def names(package):
    return {line.split(None, 5)[5].split(" -> ")[0] for line in run("dpkg-deb", "-c", package).splitlines()}


def check_fields(packages, version):
    architecture = run("dpkg", "--print-architecture").strip()
    for name, package in packages.items():
        found = fields(package)
        check(found["Version"].split("-")[0] == version, f"{name} has version {found['Version']}")
        check(found["Architecture"] == ("all" if name in ("python3-octet", "octet-dev") else architecture), f"{name}: {found['Architecture']}")
    needs = {name: fields(package)["Depends"] for name, package in packages.items()}
    full = fields(packages["octet"])["Version"]
    for library in ("libc6", "libstdc++6", "libonnx1", "libprotobuf32", "libturbojpeg0", f"octet-device (= {full})"):
        check(library in needs["octet"], f"octet depends on {needs['octet']}, without {library}")
    check(needs["liboctet-dev"] == f"liboctet1 (= {full})", needs["liboctet-dev"])
    check(needs["octet-dev"] == "liboctet-dev", needs["octet-dev"])
    libraries = re.findall(r"[\w+.-]+(?= \(|$|,)", needs["liboctet1"])
    check(set(libraries) == {"libc6", "libgcc-s1"}, f"liboctet1 needs {libraries}")
    for name in ("octet", "octet-dev"):  # what cpack made had these files
        check(f"{name} (<< {version}-1~)" in fields(packages["octet-device" if name == "octet" else "liboctet-dev"])["Breaks"], f"breaks of {name}")
    files = {name: {path for path in names(package) if not path.endswith("/")} for name, package in packages.items()}
    for first in files:
        for second in files:
            both = files[first] & files[second] if first < second else ()
            check(not both, f"in {first} and in {second}: {both}")
    check(any(path.endswith("/liboctet.so.1") for path in files["liboctet1"]), "liboctet1 has no liboctet.so.1")
    check(any(path.endswith("/liboctet.so") for path in files["liboctet-dev"]), "liboctet-dev has no liboctet.so")
    for program in PROGRAMS:
        owner = "octet-device" if program in DEVICE else "octet"
        for path in (f"./usr/bin/{program}", f"./usr/share/man/man1/{program}.1.gz"):
            check(path in files[owner], f"{owner} has no {path}")
    for path in ("./usr/bin/octet-serve", "./usr/share/man/man1/octet-serve.1.gz", "./lib/systemd/system/octet-serve.service",
                 "./usr/lib/sysusers.d/octet-serve.conf"):
        check(path in files["octet-serve"], f"octet-serve has no {path}")
    for library in ("libzmq5", "libmicrohttpd12", "libstdc++6"):
        check(library in needs["octet-serve"], f"octet-serve depends on {needs['octet-serve']}, without {library}")
        check(library == "libstdc++6" or library not in needs["octet-device"], f"octet-device depends on {library}")
    for path in ("./lib/systemd/system/octet-camera.service", "./usr/lib/sysusers.d/octet-device.conf"):
        check(path in files["octet-device"], f"octet-device has no {path}")


def known_tags(source):
    lines = (source / "packaging/lintian.txt").read_text().splitlines()
    return {line.split()[0] for line in lines if line and not line.startswith("#")}


def check_lintian(packages, source):
    known = known_tags(source) | OF_THIS_BUILD
    done = subprocess.run(["lintian", "--no-cfg", "--allow-root", *map(str, packages)], text=True, capture_output=True)
    found = [line for line in done.stdout.splitlines() if line[:2] in ("E:", "W:") and line.split()[2] not in known]
    check(not found, "lintian:\n" + "\n".join(found))


def check_repository(packages, source, work):
    """apt reads the repository with the key, refuses it without, and refuses a package that was changed."""
    home = work / "keys"
    home.mkdir(mode=0o700)
    gpg = ["gpg", "--homedir", home, "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", ""]
    run(*gpg, "--quick-gen-key", "release@localhost", "ed25519", "sign", "never")
    (work / "secret.asc").write_text(run(*gpg, "--armor", "--export-secret-keys"))
    run("gpgconf", "--homedir", home, "--kill", "all")
    repository = work / "apt"
    run(source / "packaging/apt/make_repository.sh", "--packages", packages, "--key", work / "secret.asc", "-o", repository)
    private = work / "system"
    for folder in ("etc/apt", "state/lists/partial", "cache/archives/partial"):
        (private / folder).mkdir(parents=True)
    (private / "status").touch()

    def apt(*arguments, key=repository / "octet.asc"):
        (private / "etc/sources").write_text(f"deb [signed-by={key}] file:{repository} stable main\n")
        return subprocess.run(["apt-get", "-q", "-o", f"Dir::Etc={private}/etc/apt", "-o", f"Dir::Etc::SourceList={private}/etc/sources",
                               "-o", f"Dir::State={private}/state", "-o", f"Dir::State::status={private}/status",
                               "-o", f"Dir::Cache={private}/cache", "-o", "APT::Sandbox::User=", *arguments],
                              text=True, capture_output=True, cwd=private)

    done = apt("update")
    check(done.returncode == 0 and "W:" not in done.stderr, f"apt-get update: {done.stderr}")
    check(apt("download", "octet-device").returncode == 0, "apt-get download")
    fetched = next(private.glob("octet-device_*.deb"))
    check(fetched.read_bytes() == next(packages.glob("octet-device_*.deb")).read_bytes(), "another package than was given")
    fetched.unlink()
    changed = next((repository / "pool/main").glob("octet-device_*.deb"))
    changed.write_bytes(changed.read_bytes()[:-1] + b"x")
    check(apt("download", "octet-device").returncode != 0, "a changed package was taken")
    release = repository / "dists/stable/InRelease"
    release.write_text(release.read_text().replace("Origin: Octet", "Origin: Other"))
    check("BADSIG" in apt("update").stderr, "a changed InRelease was taken")


def check_unpacked(root, source, work):
    programs, library = root / "usr/bin", next((root / "usr").rglob("liboctet.so.1")).parent
    paths = {**os.environ, "LD_LIBRARY_PATH": str(library)}
    (work / "bin").symlink_to(programs)
    blob = make_blob(work, source, work)  # by the package's own converter
    run(programs / "octet", "verify", source / "demo/fashion_mnist.onnx", blob, "--data", work / "noise.npy")
    run(programs / "octet-run", blob, "--input", work / "noise.npy")
    for path in library.rglob("octet*.pc"):
        flags = run("pkg-config", "--define-prefix", "--cflags", "--libs", "octet", env={**paths, "PKG_CONFIG_PATH": str(path.parent)})
    run("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", source / "examples/minimal.c", "-o", work / "archive", *flags.split())
    run("cc", "-std=c11", source / "examples/minimal.c", "-o", work / "shared", f"-I{root}/usr/include", f"-L{library}", "-loctet")
    shutil.copytree(source / "examples", work / "examples")
    run("cmake", "-G", "Ninja", "-S", work / "examples/consumer", "-B", work / "found", f"-DCMAKE_PREFIX_PATH={root}/usr",
        f"-DMODEL={blob}")
    run("cmake", "--build", work / "found")
    answers = {run(program, blob, env=paths) for program in (work / "archive", work / "shared", work / "found/minimal")}
    (answer,) = answers
    values = [float(line) for line in answer.split()]
    check(len(values) == 10, f"minimal printed {values}")
    check(run(work / "found/firmware") == f"largest output 0 {values.index(max(values))}\n", "firmware and minimal disagree")


def check_python(root, source, work):
    paths = {**os.environ, "PYTHONPATH": str(root / "usr/lib/python3/dist-packages"),
             "LD_LIBRARY_PATH": str(next((root / "usr").rglob("liboctet.so.1")).parent)}
    answer = run("/usr/bin/python3", root / "usr/bin/octet-py", "info", work / "model.octet", env=paths, cwd=work)
    check("int8" in answer, answer)


def check_boards(source, work):
    tested = 0
    for preset, architecture in (("aarch64", "arm64"), ("armv7", "armhf")):
        if preset not in os.environ.get("OCTET_TEST_PRESETS", preset).split() or not (source / f"build/{preset}/bin/octet-camera").exists():
            print(f"package_debian_boards: {preset} is not built")
            continue
        run(source / "packaging/debian.sh", "--build", source / f"build/{preset}", "--architecture", architecture, "-o", work / preset)
        packages = {path.name.split("_")[0]: path for path in (work / preset).glob("*.deb")}
        check(set(packages) == {"octet-device", "liboctet1", "liboctet-dev"}, f"{preset}: made {sorted(packages)}")
        for name, package in packages.items():
            check(fields(package)["Architecture"] == architecture, f"{name}: {fields(package)['Architecture']}")
        needs = fields(packages["octet-device"]).get("Depends", "")
        check("lib" not in needs, f"octet-device for {architecture} depends on {needs}")
        check("libc6" in fields(packages["liboctet1"])["Depends"], "liboctet1 does not name libc6")
        run("dpkg", "-x", packages["octet-device"], work / f"root-{preset}")
        check(triplet_of((work / f"root-{preset}/usr/bin/octet-camera").read_bytes()).startswith({"arm64": "aarch64", "armhf": "arm-"}[architecture]),
              f"octet-camera is not for {architecture}")
        if architecture == "arm64":
            check_board_image(source, packages["octet-device"], architecture, "qemu-aarch64", work / "image")
        tested += 1
    return 0 if tested else 77


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--boards", action="store_true")
    options = parser.parse_args()
    build, source = options.build.resolve(), options.source.resolve()
    # What is in a package does not depend on how small xz makes it.
    os.environ["DPKG_DEB_COMPRESSOR_LEVEL"] = "1"
    with tempfile.TemporaryDirectory(prefix="octet-debian-") as folder:
        work = pathlib.Path(folder)
        if options.boards:
            return check_boards(source, work)
        made = work / "packages"
        run(source / "packaging/debian.sh", "--build", build, "-o", made)
        packages = {path.name.split("_")[0]: path for path in made.glob("*.deb")}
        check(set(packages) == PACKAGES, f"made {sorted(packages)}")
        check_fields(packages, ".".join(re.findall(r"#define OCTET_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", (source / "runtime/include/octet/octet.h").read_text())))
        check_lintian(packages.values(), source)
        for package in packages.values():
            run("dpkg", "-x", package, work / "root")
        check_unpacked(work / "root", source, work)
        check_python(work / "root", source, work)
        check_images(source, packages, work)
        check_repository(made, source, work)
    print("package_debian: packed, unpacked, run, built against, loaded from Python, put into images, read by apt from a signed repository")
    return 0


if __name__ == "__main__":
    sys.exit(main())
