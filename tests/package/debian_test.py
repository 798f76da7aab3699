#!/usr/bin/env python3
"""cpack -G DEB: both packages, unpacked where nothing else is: programs run, an example is built against them and runs.

debian_test.py --build NATIVE_BUILD --source ROOT. Exit status 77 (skipped) without dpkg-deb and dpkg-shlibdeps.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from package_test import PROGRAMS, check, make_blob, run

SKIPPED = 77
# What lintian finds and stays; anything else has to be looked at by somebody.
KNOWN_TAGS = {
    "package-name-doesnt-match-sonames",  # one package of programs and library
    "maintscript-calls-ldconfig",         # cpack's, beside the trigger
    "pkg-config-unavailable-for-cross-compilation",  # /usr/lib, unless configured with -DCMAKE_INSTALL_PREFIX=/usr
    "bogus-mail-host", "bogus-mail-host-in-debian-changelog",  # -DOCTET_MAINTAINER= says whose it is
}


def fields(package):
    """{field: value} of a package's control file; continued lines are joined."""
    text = run("dpkg-deb", "-f", package)
    return dict(re.findall(r"^([\w-]+): (.*(?:\n .*)*)", text, re.M))


def names(package):
    return {line.split(None, 5)[5].split(" -> ")[0] for line in run("dpkg-deb", "-c", package).splitlines()}


def check_fields(octet, dev, version):
    first, second = fields(octet), fields(dev)
    check((first["Package"], second["Package"]) == ("octet", "octet-dev"), f"{first['Package']}, {second['Package']}")
    check(first["Version"] == second["Version"] == version, f"version {first['Version']}")
    architecture = run("dpkg", "--print-architecture").strip()
    check(first["Architecture"] == architecture, f"architecture {first['Architecture']}")
    for library in ("libc6", "libstdc++6", "libopenblas0", "libonnx1", "libprotobuf32", "libturbojpeg0"):
        check(library in first["Depends"], f"octet depends on {first['Depends']}, without {library}")
    check(f"octet (= {version})" in second["Depends"], f"octet-dev depends on {second['Depends']}")
    both = {name for name in names(octet) & names(dev) if not name.endswith("/")}
    check(not both, f"in both packages: {both}")
    check(any(name.endswith("/liboctet.so.0") for name in names(octet)), "octet has no liboctet.so.0")
    check(any(name.endswith("/liboctet.so") for name in names(dev)), "octet-dev has no liboctet.so")
    compressed = {name for name in names(octet) if "/man/man1/" in name and name.endswith(".1.gz")}
    check(len(compressed) >= len(PROGRAMS), f"man pages: {sorted(compressed)}")


def check_lintian(packages):
    if shutil.which("lintian") is None:
        print("package_debian: lintian is not installed; its checks are left out")
        return
    done = subprocess.run(["lintian", "--no-cfg", "--allow-root", *map(str, packages)], text=True, capture_output=True)
    found = [line for line in done.stdout.splitlines() if line[:2] in ("E:", "W:") and line.split()[2] not in KNOWN_TAGS]
    check(not found, "lintian:\n" + "\n".join(found))


def check_unpacked(root, source, work):
    octet, library = root / "usr/bin", next((root / "usr").rglob("liboctet.so.0")).parent
    paths = {**os.environ, "LD_LIBRARY_PATH": str(library)}
    (work / "bin").symlink_to(octet)
    blob = make_blob(work, source, work)  # by the package's own converter
    run(octet / "octet", "verify", source / "demo/fashion_mnist.onnx", blob, "--data", work / "noise.npy")
    run(octet / "octet-run", blob, "--input", work / "noise.npy")
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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    options = parser.parse_args()
    build, source = options.build.resolve(), options.source.resolve()
    if not all(map(shutil.which, ("dpkg-deb", "dpkg-shlibdeps"))):
        print("package_debian: dpkg-deb or dpkg-shlibdeps is not installed")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="octet-debian-") as folder:
        work = pathlib.Path(folder)
        run("cpack", "-G", "DEB", "--config", build / "CPackConfig.cmake", "-B", work / "packages", cwd=work)
        packages = sorted((work / "packages").glob("*.deb"))
        check(len(packages) == 2, f"cpack made {[path.name for path in packages]}")
        dev, octet = packages  # octet-dev_..., octet_...
        check_fields(octet, dev, ".".join(re.findall(r"#define OCTET_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", (source / "runtime/include/octet/octet.h").read_text())))
        check_lintian(packages)
        for package in packages:
            run("dpkg", "-x", package, work / "root")
        check_unpacked(work / "root", source, work)
    print("package_debian: packed, unpacked, run and built against")
    return 0


if __name__ == "__main__":
    sys.exit(main())
