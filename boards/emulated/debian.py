"""What an emulated machine is made of: Debian's packages for any processor, fetched without touching this system's own list of
packages, the kernel's modules with what they need, and archives that the kernel unpacks as its first file system."""
import fcntl
import pathlib
import re
import shutil
import subprocess


class Missing(Exception):
    """Something that is not here and cannot be fetched; one line for people."""


def fetch(folder: pathlib.Path, architecture: str, packages: tuple, modules: tuple) -> pathlib.Path:
    """The folder that holds Debian's kernel of `architecture` with these modules and all they need, and the files of these
    packages (not of what they depend on). Downloads once, by an apt with a state of its own; Missing where it cannot."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.parent / (folder.name + ".lock"), "w") as lock:  # two boards may ask at the same time
        fcntl.flock(lock, fcntl.LOCK_EX)
        return fetch_alone(folder, architecture, packages, modules)


def fetch_alone(folder: pathlib.Path, architecture: str, packages: tuple, modules: tuple) -> pathlib.Path:
    root = folder / "root"
    wanted = " ".join((architecture, *packages, *modules))
    stamp = folder / "complete"
    if stamp.exists() and stamp.read_text() == wanted:
        return root
    for tool in ("apt-get", "apt-cache", "dpkg-deb"):
        if shutil.which(tool) is None:
            raise Missing(f"{tool} is not installed; packages of Debian are needed for the emulated machine")
    shutil.rmtree(folder, ignore_errors=True)
    apt = folder / "apt"
    for part in ("lists/partial", "archives/partial"):
        (apt / part).mkdir(parents=True)
    (apt / "status").touch()
    options = [f"-oDir::State={apt}", f"-oDir::State::status={apt}/status", f"-oDir::Cache={apt}",
               f"-oAPT::Architecture={architecture}", f"-oAPT::Architectures={architecture}", "-oAPT::Sandbox::User=",
               "-oAcquire::Languages=none", "-q"]

    def run(program: str, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run([program, *options, *words], cwd=apt, capture_output=True, text=True)

    # One list of several may fail while a mirror is renewed; the download tells.
    run("apt-get", "update")
    kernel = re.search(r"Depends: (linux-image-\S+)",
                       run("apt-cache", "depends", f"linux-image-{architecture}").stdout)
    if kernel is None:
        raise Missing(f"apt knows no linux-image-{architecture}; is a mirror of Debian within reach?")
    got = run("apt-get", "download", kernel.group(1), *packages)
    if got.returncode != 0:
        raise Missing(f"apt-get download: {' '.join(got.stderr.strip().splitlines()[-1:])}")
    for package in apt.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", package, root], check=True)
    shutil.rmtree(apt)
    kept = set(with_needed(root, modules).values())
    for path in (root / "lib/modules").rglob("*.ko"):  # 300 MB of drivers for other machines
        if path not in kept:
            path.unlink()
    shutil.rmtree(root / "usr/share", ignore_errors=True)
    stamp.write_text(wanted)
    return root


def with_needed(root: pathlib.Path, names: tuple) -> dict:
    """Files of the modules and of all they need by name, in the order of loading."""
    files = {path.stem.replace("-", "_"): path for path in (root / "lib/modules").rglob("*.ko")}
    order = {}

    def need(name: str) -> None:
        if name in order:
            return
        if name not in files:
            raise Missing(f"this kernel of Debian has no module {name}; boards/emulated was made for Debian 12's")
        depends = re.search(rb"\0depends=([^\0]*)\0", files[name].read_bytes()).group(1).decode()
        for other in filter(None, depends.split(",")):
            need(other.replace("-", "_"))
        order[name] = files[name]

    for name in names:
        need(name.replace("-", "_"))
    return order


class Archive:
    """A cpio archive (newc), as the kernel unpacks it into its first file system."""

    def __init__(self) -> None:
        self.data, self.folders, self.count = bytearray(), set(), 0

    def add(self, name: str, content: bytes, mode: int = 0o100755) -> None:
        parts = name.strip("/").split("/")
        for i in range(1, len(parts)):
            if (folder := "/".join(parts[:i])) not in self.folders:
                self.folders.add(folder)
                self.entry(folder, b"", 0o40755)
        self.entry("/".join(parts), content, mode)

    def add_folder(self, name: str, mode: int = 0o40755) -> None:
        self.folders.add(name.strip("/"))
        self.add(name, b"", mode)

    def add_link(self, name: str, to: str) -> None:
        self.add(name, to.encode(), 0o120777)

    def entry(self, name: str, content: bytes, mode: int) -> None:
        self.count += 1
        path = name.encode() + b"\0"
        numbers = (self.count, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(path), 0)
        for part in (b"070701" + b"".join(b"%08x" % n for n in numbers) + path, content):
            self.data += part + bytes(-len(part) % 4)

    def content(self) -> bytes:
        self.entry("TRAILER!!!", b"", 0)
        return bytes(self.data)
