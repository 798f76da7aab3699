#!/usr/bin/env python3
"""A wheel of the Python package with liboctet.so inside: make_wheel.py --library liboctet.so.1 -o FOLDER

The processor follows from the library. The library is checked first: it needs the C library and libgcc alone, of glibc 2.27 or
older. No build backend and no network is used; the same sources and library give the same bytes (SOURCE_DATE_EPOCH: the time
of the files, default 1980-01-01). Prints the wheel's path. Exit status 1: the library is not fit for it.
"""
import argparse
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "packaging"))
from artefact import FIRST_DAY, Unfit, ended, epoch, triplet_of  # noqa: E402

SONAME = "liboctet.so.1"
NEWEST = {"GLIBC": (2, 27), "GCC": (7, 0)}  # Ubuntu 18.04, JetPack 4
NEEDED = re.compile(r"(libc\.so\.6|libm\.so\.6|libpthread\.so\.0|libgcc_s\.so\.1|ld-linux[\w.-]*)")
# (as wheels call it, prefix of binutils)
MACHINES = {triplet: (name, triplet + "-")
            for triplet, name in (("x86_64-linux-gnu", "x86_64"), ("aarch64-linux-gnu", "aarch64"), ("arm-linux-gnueabihf", "armv7l"))}


def machine_of(library: pathlib.Path) -> tuple:
    machine = triplet_of(library.read_bytes()[:20])
    if machine not in MACHINES:
        raise Unfit(f"{library}: not a library for {', '.join(name for name, _ in MACHINES.values())}")
    return MACHINES[machine]


def tool(prefix: str, name: str) -> str:
    """Of binutils, that knows the processor."""
    found = shutil.which(prefix + name) or (shutil.which(name) if prefix.startswith(os.uname().machine) else None)
    if not found:
        raise Unfit(f"{prefix}{name} is not installed; try: sudo apt-get install binutils-{prefix.rstrip('-').replace('_', '-')}")
    return found


def check_library(library: pathlib.Path) -> None:
    """Raises Unfit with what no system of glibc 2.27 has."""
    _, prefix = machine_of(library)
    said = subprocess.run([tool(prefix, "objdump"), "-p", library], check=True, capture_output=True, text=True).stdout
    soname = re.findall(r"^\s+SONAME\s+(\S+)", said, re.M)
    if soname != [SONAME]:
        raise Unfit(f"{library}: its SONAME is {' '.join(soname) or 'missing'}; give {SONAME}")
    strange = [name for name in re.findall(r"^\s+NEEDED\s+(\S+)", said, re.M) if not NEEDED.fullmatch(name)]
    if strange:
        raise Unfit(f"{library}: needs {', '.join(strange)}; a wheel may need only the C library and libgcc; link it with those")
    versions = re.findall(r"^\s+0x\w+ 0x\w+ \d+ (\w+?)_([\d.]+)\s*$", said, re.M)
    if not versions:
        raise Unfit(f"{library}: objdump shows no needed version of glibc; build the library again")
    for family, number in versions:
        if tuple(int(word) for word in number.split("."))[:2] > NEWEST.get(family, (0,)):
            raise Unfit(f"{library}: needs {family}_{number}; replace the function in ports/linux/library/old_glibc.cc")


def stripped(library: pathlib.Path) -> bytes:
    _, prefix = machine_of(library)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / SONAME
        subprocess.run([tool(prefix, "strip"), "--strip-unneeded", "-o", path, library], check=True)
        return path.read_bytes()


def metadata(project: dict) -> str:
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"License: {project['license']['text']}"]
    lines += [f"Classifier: {word}" for word in project["classifiers"]]
    lines += [f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {word}" for word in project["dependencies"]]
    return "\n".join(lines) + "\n"


def scripts(project: dict) -> str:
    return "[console_scripts]\n" + "".join(f"{name} = {what}\n" for name, what in sorted(project["scripts"].items()))


def record(files: dict, name: str) -> str:
    def line(path: str, data: bytes) -> str:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        return f"{path},sha256={digest},{len(data)}\n"

    return "".join(line(path, data) for path, data in sorted(files.items())) + f"{name},,\n"


def make_wheel(library: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    check_library(library)
    machine, _ = machine_of(library)
    project = tomllib.loads((SOURCE / "python/pyproject.toml").read_text())["project"]
    tag = f"py3-none-manylinux_2_27_{machine}"
    info = f"{project['name']}-{project['version']}.dist-info"
    package = SOURCE / "python/octet"
    files = {f"octet/{path.name}": path.read_bytes() for path in [*package.glob("*.py"), package / "py.typed"]}
    files[f"octet/{SONAME}"] = stripped(library)
    files[f"{info}/LICENSE"] = (SOURCE / "LICENSE").read_bytes()
    files[f"{info}/THIRD-PARTY"] = (SOURCE / "debian/copyright").read_bytes()
    files[f"{info}/METADATA"] = metadata(project).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: octet\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/entry_points.txt"] = scripts(project).encode()
    files[f"{info}/RECORD"] = record(files, f"{info}/RECORD").encode()
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{project['name']}-{project['version']}-{tag}.whl"
    day = time.gmtime(max(FIRST_DAY, epoch()))[:6]
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        # RECORD last, as the format wants it.
        for path, data in sorted(files.items(), key=lambda item: (item[0].endswith("/RECORD"), item[0])):
            entry = zipfile.ZipInfo(path, day)
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = (0o100755 if path.endswith(SONAME) else 0o100644) << 16
            archive.writestr(entry, data)
    return wheel


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=pathlib.Path, required=True, help="liboctet.so.1 of a build")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="folder of the wheel")
    options = parser.parse_args()
    return ended(lambda: print(make_wheel(options.library.resolve(), options.output)))


if __name__ == "__main__":
    sys.exit(main())
