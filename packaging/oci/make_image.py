#!/usr/bin/env python3
"""An OCI image of Debian packages made by packaging/debian.sh, as one archive: make_image.py --name NAME -o FOLDER PACKAGE...

NAME_VERSION_ARCHITECTURE.oci.tar, for `podman load` and `skopeo copy oci-archive:FILE`. The image has the programs of the packages,
the shared libraries that they need with the licences of their packages, and nothing else: no shell, no package manager. Libraries
come from this machine, so an image for another processor takes static programs alone. The same packages and libraries give the
same bytes (SOURCE_DATE_EPOCH: the time of the files, default 1980-01-01). umoci writes it; no daemon runs. Prints its path. Exit
status 1: a library is missing, or umoci is.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "packaging"))
sys.path.insert(0, str(SOURCE / "packaging/sbom"))
from artefact import Unfit, ended, epoch, triplet_of  # noqa: E402
from binaries import closure  # noqa: E402
from debian_packages import owner, owners  # noqa: E402

# name: (program that runs, configuration)
IMAGES = {
    "octet-converter": ("octet", ["--config.workingdir", "/models"]),
    # The user of the service, in Debian's group of cameras.
    "octet-camera": ("octet-camera", ["--config.user", "990:44", "--config.workingdir", "/"]),
}
PASSWD = "root:x:0:0:root:/:/usr/sbin/nologin\noctet:x:990:990:Octet on a camera:/:/usr/sbin/nologin\n"
GROUP = "root:x:0:\nvideo:x:44:octet\noctet:x:990:\n"
FOLDERS = {"tmp": 0o1777, "models": 0o755, "proc": 0o755, "dev": 0o755, "sys": 0o755}


def run(*command) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise Unfit(f"{command[0]} failed: {(done.stderr.strip() or done.stdout.strip()).splitlines()[-1]}")
    return done.stdout


def interpreter_of(program: pathlib.Path) -> str:
    """The path of its loader; "" of a static program."""
    found = re.search(r"interpreter: (.*)\]", run("readelf", "-lW", program))
    return found[1] if found else ""


def add_libraries(root: pathlib.Path) -> None:
    """What the programs need, at the places where the loader looks first, and the licences of it."""
    packages = set()
    for program in sorted((root / "usr/bin").iterdir()):
        with open(program, "rb") as file:
            triplet = triplet_of(file.read(20))
        loader = interpreter_of(program) if triplet else ""
        if not loader:
            continue
        libraries = closure(program, triplet)
        owners(filter(None, libraries.values()))
        for name, place in sorted(libraries.items()):
            if place is None:
                raise Unfit(f"{program.name} needs {name}, which this machine does not have")
            # The loader's path stands in the program.
            to = root / "usr" / loader.lstrip("/") if name == pathlib.Path(loader).name else root / "usr/lib" / triplet / name
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(place.resolve(), to)
            to.chmod(0o755 if to.name == pathlib.Path(loader).name else 0o644)
            packages.add(owner(place).name)
    for package in sorted(packages):
        licence = pathlib.Path(f"/usr/share/doc/{package}/copyright")
        if licence.exists():
            to = root / "usr/share/doc" / package
            to.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(licence, to / "copyright")


def make_root(packages: list, root: pathlib.Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        unpacked = pathlib.Path(folder)
        for package in packages:
            run("dpkg-deb", "-x", package, unpacked)
        for part in ("usr/bin", "usr/share/octet"):
            shutil.copytree(unpacked / part, root / part, symlinks=True)
        for licence in unpacked.glob("usr/share/doc/*/copyright"):
            to = root / "usr/share/doc" / licence.parent.name
            to.mkdir(parents=True)
            shutil.copyfile(licence, to / "copyright")
    add_libraries(root)
    for name in ("bin", "lib", "lib64"):
        (root / "usr" / name).mkdir(exist_ok=True)
        (root / name).symlink_to(f"usr/{name}")
    (root / "etc").mkdir()
    (root / "etc/passwd").write_text(PASSWD)
    (root / "etc/group").write_text(GROUP)
    for name in FOLDERS:
        (root / name).mkdir()


def write_tar(folder: pathlib.Path, path: pathlib.Path) -> None:
    """Files by name, of root, with one time; modes say only whether all may execute."""
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as archive:
        for file in sorted(folder.rglob("*")):
            name = file.relative_to(folder).as_posix()
            member = archive.gettarinfo(file, name)
            if member.islnk():
                raise Unfit(f"{file}: is a second name of another file")
            member.uid = member.gid = 0
            member.uname = member.gname = "root"
            member.mtime = epoch()
            runs = member.isdir() or (member.isfile() and member.mode & 0o100)
            member.mode = FOLDERS.get(name, 0o777 if member.issym() else 0o755 if runs else 0o644)
            with open(file, "rb") if member.isfile() else tempfile.TemporaryFile() as data:
                archive.addfile(member, data)


def make_image(name: str, packages: list, folder: pathlib.Path) -> pathlib.Path:
    if not shutil.which("umoci"):
        raise Unfit("no umoci; ./setup.sh --tests installs it")
    fields = {run("dpkg-deb", "-f", package, "Version", "Architecture") for package in packages}
    if len(fields) != 1:
        raise Unfit("the packages are of several versions or processors")
    version, architecture = re.findall(r": (.*)", fields.pop())
    program, more = IMAGES[name]
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch()))
    with tempfile.TemporaryDirectory(prefix="octet-image-") as work:
        root, layout, layer = (pathlib.Path(work) / part for part in ("root", "layout", "layer.tar"))
        root.mkdir()
        make_root(packages, root)
        if not (root / "usr/bin" / program).exists():
            raise Unfit(f"the packages have no {program}")
        write_tar(root, layer)
        image = f"{layout}:{version}"
        run("umoci", "init", "--layout", layout)
        run("umoci", "new", "--image", image)
        run("umoci", "raw", "add-layer", "--image", image, "--history.created", created, "--history.created_by", "make_image.py", layer)
        run("umoci", "config", "--image", image, "--no-history", "--created", created, "--os", "linux",
            "--architecture", "arm" if architecture == "armhf" else architecture, "--config.entrypoint", f"/usr/bin/{program}",
            "--config.env", "PATH=/usr/bin", "--config.label", f"org.opencontainers.image.version={version}", *more)
        run("umoci", "gc", "--layout", layout)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}_{version}_{architecture}.oci.tar"
        write_tar(layout, path)
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--name", choices=sorted(IMAGES), required=True)
    parser.add_argument("-o", type=pathlib.Path, required=True, metavar="FOLDER")
    parser.add_argument("package", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    return ended(lambda: print(make_image(options.name, options.package, options.o)))


if __name__ == "__main__":
    sys.exit(main())
