#!/usr/bin/env python3
"""The installed package as a user meets it: install, move, build programs against it, run them; archives by cpack.

Exit status 0 when everything holds; the first failure is printed with what the command said.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

import numpy

PROGRAMS = {"octet", "octet-run", "octet-camera"}


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check(holds, what):
    if not holds:
        sys.exit(f"package: {what}")


def make_blob(build, source, work):
    """The demo's classifier, calibrated with noise: what it answers does not matter here."""
    pictures = numpy.random.default_rng(1).integers(0, 256, (16, 28, 28, 1), dtype=numpy.uint8)
    numpy.save(work / "noise.npy", pictures)
    blob = work / "model.octet"
    run(build / "bin/octet", "convert", source / "demo/fashion_mnist.onnx", "-o", blob,
        "--calibrate", work / "noise.npy")
    return blob


def check_consumers(prefix, source, work, blob):
    # Away from the tree, so that nothing is found there by accident.
    shutil.copytree(source / "examples", work / "examples")
    run("cmake", "-S", work / "examples/consumer", "-B", work / "consumer", f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DMODEL={blob}")
    run("cmake", "--build", work / "consumer")
    values = [float(line) for line in run(work / "consumer/minimal", blob).split()]
    check(len(values) == 10, f"minimal printed {len(values)} values")
    best = max(range(10), key=lambda i: values[i])
    check(run(work / "consumer/firmware") == f"largest output 0 {best}\n", "firmware and minimal disagree")

    config = next(prefix.glob("lib*/**/octet.pc")).parent
    flags = run("pkg-config", "--cflags", "--libs", "octet", env={"PKG_CONFIG_PATH": str(config), "PATH": "/usr/bin:/bin"})
    run("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", work / "examples/minimal.c", "-o", work / "plain", *flags.split())
    again = [float(line) for line in run(work / "plain", blob).split()]
    check(again == values, "pkg-config's program and find_package's disagree")


def check_archives(build, work):
    run("cpack", "--config", build / "CPackConfig.cmake", "-B", work / "packages", cwd=work)
    archives = sorted((work / "packages").glob("octet-*.tar.gz"))
    check(len(archives) == 2, f"cpack made {[a.name for a in archives]}")
    names = {}
    for archive in archives:
        with tarfile.open(archive) as tar:
            names[archive.name.rsplit("-", 1)[1]] = {pathlib.PurePath(*pathlib.PurePath(m.name).parts[1:]) for m in tar}
    programs = {path.name for path in names["programs.tar.gz"] if path.parent.name == "bin"}
    check(PROGRAMS <= programs, f"programs in the archive: {programs}")
    data = {path.as_posix() for path in names["programs.tar.gz"]}
    check({"share/octet/labels/coco.txt", "share/octet/boards/raspberry-pi-4.yaml"} <= data, f"data: {sorted(data)}")
    sdk = {path.name for path in names["sdk.tar.gz"]}
    check({"octet.h", "octet.hpp", "liboctet_runtime.a", "octetConfig.cmake", "octet.pc", "LICENSE"} <= sdk,
          f"in the SDK: {sorted(sdk)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.build, options.source = options.build.resolve(), options.source.resolve()
    with tempfile.TemporaryDirectory(prefix="octet-package-") as folder:
        work = pathlib.Path(folder)
        run("cmake", "--install", options.build, "--prefix", work / "first")
        prefix = work / "moved"
        (work / "first").rename(prefix)
        blob = make_blob(prefix, options.source, work)
        check_consumers(prefix, options.source, work, blob)
        check_archives(options.build, work)
    print("package: installed, moved, built against by find_package and pkg-config, packed")


if __name__ == "__main__":
    main()
