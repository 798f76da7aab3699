#!/usr/bin/env python3
"""An archive of the static board programs with an install script: make_tarball.py --build FOLDER -o FOLDER

octet-VERSION-board-ARCHITECTURE.tar.gz; the architecture follows from the programs. The same programs give the same bytes
(SOURCE_DATE_EPOCH: the time of the files, default 1980-01-01). Prints its path. Exit status 1: a program is missing or not static.
"""
import argparse
import gzip
import io
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "packaging"))
from artefact import Unfit, ended, epoch, triplet_of  # noqa: E402

LGPL = pathlib.Path("/usr/share/common-licenses/LGPL-2.1")  # Debian's base-files
PROGRAMS = ("octet-camera", "octet-run", "octet-slot")
# (name of the archive, prefix of binutils)
MACHINES = {triplet: (name, triplet + "-")
            for triplet, name in (("x86_64-linux-gnu", "x86_64"), ("aarch64-linux-gnu", "aarch64"), ("arm-linux-gnueabihf", "armv7"))}


def version() -> str:
    header = (SOURCE / "runtime/include/octet/octet.h").read_text()
    return ".".join(re.search(rf"OCTET_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def machine_of(program: pathlib.Path) -> tuple:
    if not program.exists():
        raise Unfit(f"{program}: no such program; build it first")
    machine = triplet_of(program.read_bytes()[:20])
    if machine not in MACHINES:
        raise Unfit(f"{program}: not a program for {', '.join(name for name, _ in MACHINES.values())}")
    if "INTERP" in subprocess.run(["readelf", "-lW", program], check=True, capture_output=True, text=True).stdout:
        raise Unfit(f"{program}: not linked statically; build the preset aarch64 or armv7")
    return MACHINES[machine]


def stripped(program: pathlib.Path, prefix: str) -> bytes:
    strip = shutil.which(prefix + "strip")
    if not strip:
        raise Unfit(f"{prefix}strip is not installed; try: ./setup.sh --tests")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / program.name
        subprocess.run([strip, "-o", path, program], check=True)
        return path.read_bytes()


def contents(build: pathlib.Path) -> tuple:
    """(architecture, {path: (bytes, mode)})"""
    machines = {machine_of(build / "bin" / name) for name in PROGRAMS}
    if len(machines) != 1:
        raise Unfit(f"{build}: programs of several processors; give the build folder of one preset")
    architecture, prefix = machines.pop()
    files = {f"bin/{name}": (stripped(build / "bin" / name, prefix), 0o755) for name in PROGRAMS}
    files["install.sh"] = ((SOURCE / "packaging/board/install.sh").read_bytes(), 0o755)
    for path in sorted((SOURCE / "packaging/systemd").iterdir()):
        files[f"systemd/{path.name}"] = (path.read_bytes(), 0o644)
    files["THIRD-PARTY"] = ((SOURCE / "debian/copyright").read_bytes(), 0o644)
    files["LGPL-2.1"] = (LGPL.read_bytes(), 0o644)  # the programs have glibc in them
    for name in ("LICENSE", "SECURITY.md", "docs/boards.md"):
        files[pathlib.Path(name).name] = ((SOURCE / name).read_bytes(), 0o644)
    return architecture, files


def make_tarball(build: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    architecture, files = contents(build)
    time = epoch()
    name = f"octet-{version()}-board-{architecture}"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.tar.gz"
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, time) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for inside, (data, mode) in sorted(files.items()):
            entry = tarfile.TarInfo(f"{name}/{inside}")
            entry.size, entry.mode, entry.mtime = len(data), mode, time
            entry.uname = entry.gname = "root"
            archive.addfile(entry, io.BytesIO(data))
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build folder of a preset for boards")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="folder of the archive")
    options = parser.parse_args()
    return ended(lambda: print(make_tarball(options.build.resolve(), options.output)))


if __name__ == "__main__":
    sys.exit(main())
