#!/usr/bin/env python3
"""octet-camera on a kernel's own V4L2 drivers, in a virtual machine: vivid for formats and failures, uvcvideo for a USB
camera. Takes Debian's kernel and busybox with apt-get download (70 MB, kept in the build folder), installs nothing.
About two minutes; not one of the tests that ctest runs."""
import argparse
import gzip
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import zlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[3]
SKIPPED = 77
MEMORY_SLACK_BYTES = 256 << 10
USB = ("vhci-hcd", "uvcvideo")

# Case: exit status, least number of lines with frames, what stderr has to say.
CASES = {
    **{name: (0, 60, rf"{name} 640x480, 25 frames/s$") for name in ("rgb24", "grey8", "yuyv", "nv12", "yuv420p")},
    "hd": (0, 30, r"yuyv 1280x720"),
    "other-size": (0, 5, r"it has no 800x600$"),
    "long": (0, 1500, r"320x180, \d+ frames/s$"),
    "no-mjpeg": (2, 0, r"offers no mjpeg"),
    "output-device": (2, 0, r"cannot capture by streaming"),
    "vbi-device": (2, 0, r"cannot capture by streaming"),
    "planes": (2, 0, r"several planes"),
    "no-device": (2, 0, r"is no V4L2 camera"),
    "reqbufs": (2, 0, r"has no buffers to map"),
    "streamon": (2, 0, r"cannot start streaming"),
    "busy": (2, 0, r"busy; another program uses it"),
    "stall": (0, 6, r"(?s)(?=.*damaged frame left out)(?=.*no frame for 5 s.*frames again)"),
    "fatal": (2, 6, r"gives no frames any more: Input/output error$"),
    "disconnect": (2, 6, r"the camera is gone: No such device$"),
    "usb-yuyv": (0, 60, r"yuyv 640x480, 30 frames/s$"),
    "usb-mjpeg": (0, 100, r"mjpeg 640x480, 30 frames/s$"),
    "unplugged": (2, 6, r"the camera is gone: No such device$"),
    "usb-hd": (0, 60, r"mjpeg 1280x720, 30 frames/s$"),
}
LINES = {"stall": 4, "fatal": 2, "disconnect": 2, "unplugged": 2}  # on stderr; of the others one
# vivid's first pattern: bars of 75 %.
BARS = [(191 * r, 191 * g, 191 * b) for r, g, b in ((1, 1, 1), (1, 1, 0), (0, 1, 1), (0, 1, 0), (1, 0, 1), (1, 0, 0),
                                                    (0, 0, 1), (0, 0, 0))]
PICTURES = ("rgb24", "yuyv", "nv12", "yuv420p", "mjpeg")
COLOUR_ERROR = 6  # of 255: rounding there and back, and JPEG


def fetch(folder: pathlib.Path) -> pathlib.Path:
    """The folder with the kernel, its modules and busybox."""
    root = folder / "root"
    if not (root / "bin/busybox").exists():
        folder.mkdir(parents=True, exist_ok=True)
        listing = subprocess.run(["apt-cache", "depends", "linux-image-amd64"], capture_output=True, text=True).stdout
        kernel = re.search(r"Depends: (linux-image-\S+)", listing)
        if kernel is None:
            raise FileNotFoundError("apt knows no linux-image-amd64")
        got = subprocess.run(["apt-get", "download", "-q", kernel.group(1), "busybox-static"], cwd=folder,
                             capture_output=True, text=True)
        if got.returncode != 0:
            raise FileNotFoundError(f"apt-get download: {got.stderr.strip().splitlines()[-1:]}")
        for package in folder.glob("*.deb"):
            subprocess.run(["dpkg-deb", "-x", package, root], check=True)
            package.unlink()
    return root


def modules(root: pathlib.Path, names: tuple) -> dict:
    """Files of the modules and of all they need, in the order of loading."""
    files = {path.stem.replace("-", "_"): path for path in (root / "lib/modules").rglob("*.ko")}
    order = {}

    def need(name: str) -> None:
        if name in order:
            return
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

    def entry(self, name: str, content: bytes, mode: int) -> None:
        self.count += 1
        path = name.encode() + b"\0"
        numbers = (self.count, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(path), 0)
        for part in (b"070701" + b"".join(b"%08x" % n for n in numbers) + path, content):
            self.data += part + bytes(-len(part) % 4)

    def packed(self) -> bytes:
        self.entry("TRAILER!!!", b"", 0)
        return gzip.compress(bytes(self.data), 1)


def guest(build: pathlib.Path, root: pathlib.Path, work: pathlib.Path) -> bytes:
    archive = Archive()
    for folder in ("proc", "sys", "dev", "tmp", "out"):
        archive.add(folder, b"", 0o40755)
    needed = modules(root, ("vivid", *USB))
    for name, path in needed.items():
        archive.add(f"modules/{name}.ko", path.read_bytes())
    base = [name for name in needed if name not in ("vivid", "vhci_hcd", "uvcvideo")]
    archive.add("init", "\n".join([
        "#!/bin/busybox sh", "/bin/busybox --install -s /bin", "export PATH=/bin", "mount -t proc none /proc",
        "mount -t sysfs none /sys", "mount -t devtmpfs none /dev", *(f"insmod /modules/{name}.ko" for name in base),
        "stty -F /dev/ttyS1 raw", "sh /guest.sh", "cd /out && tar c . >/dev/ttyS1", "sleep 1", "poweroff -f",
        ""]).encode())
    archive.add("guest.sh", (HERE / "guest.sh").read_bytes())
    archive.add("bin/busybox", (root / "bin/busybox").read_bytes())
    camera = build / "bin/octet-camera"
    archive.add("bin/octet-camera", camera.read_bytes())
    for library in re.findall(r"(/\S+) \(0x", subprocess.run(["ldd", camera], capture_output=True, text=True).stdout):
        archive.add(library, pathlib.Path(library).read_bytes())
    for name in ("set_control", "usb_camera"):
        subprocess.run(["cc", "-O1", "-Wall", "-Werror", "-static", "-o", work / name, HERE / f"{name}.c"], check=True)
        archive.add(f"bin/{name}", (work / name).read_bytes())
    np.save(work / "calib.npy", np.random.Generator(np.random.PCG64(1)).integers(0, 256, (8, 28, 28, 1), np.uint8))
    subprocess.run([build / "bin/octet", "convert", SOURCE / "demo/fashion_mnist.onnx", "-o", work / "blob",
                    "--calibrate", work / "calib.npy", "--task", "classify"], check=True, stdout=subprocess.DEVNULL)
    archive.add("classifier.octet", (work / "blob").read_bytes())
    return archive.packed()


def row_of_png(path: pathlib.Path, wanted: int) -> list:
    """Pixels of one row, of the PNG files that octet-camera writes."""
    file, at, packed = path.read_bytes(), 8, b""
    width = struct.unpack(">I", file[16:20])[0]
    while at < len(file):
        length, kind = struct.unpack(">I4s", file[at:at + 8])
        packed += file[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    raw, row = zlib.decompress(packed), [0] * (3 * width)
    for y in range(wanted + 1):
        begin = y * (3 * width + 1)
        how, above, row = raw[begin], row, list(raw[begin + 1:begin + 3 * width + 1])
        for i, up in enumerate(above):
            left, corner = (row[i - 3], above[i - 3]) if i >= 3 else (0, 0)
            nearest = min((left, up, corner), key=lambda value: abs(left + up - corner - value))
            row[i] = (row[i] + (0, left, up, (left + up) // 2, nearest)[how]) & 255
    return [tuple(row[3 * x:3 * x + 3]) for x in range(width)]


def check(name: str, out: pathlib.Path) -> None:
    """AssertionError where the case went otherwise."""
    status, least, pattern = CASES[name]
    said = (out / f"{name}.err").read_text().strip()
    got = int((out / f"{name}.status").read_text())
    assert got == status, f"exit status {got}: {said}"
    assert re.search(pattern, said, re.MULTILINE), f"said: {said}"
    assert len(said.splitlines()) == LINES.get(name, 1), f"said: {said}"
    lines = [json.loads(line) for line in (out / f"{name}.json").read_text().splitlines()]
    if least == 0:
        return
    summary = lines.pop()["summary"]
    assert len(lines) >= least and summary["frames"] == len(lines), f"{len(lines)} frames: {summary}"
    assert summary["captured"] - summary["dropped"] - summary["frames"] in (0, 1), summary
    if name == "long":
        grown = summary["rss_bytes"] - summary["rss_bytes_at_frame_1000"]
        assert grown <= MEMORY_SLACK_BYTES, f"memory grew by {grown} bytes"


def check_picture(name: str, out: pathlib.Path) -> None:
    (path,) = (out / name).glob("*.png")
    row = row_of_png(path, 150)
    for i, bar in enumerate(BARS):
        pixel = row[len(row) * (2 * i + 1) // 16]
        assert max(abs(a - b) for a, b in zip(pixel, bar)) <= COLOUR_ERROR, f"bar {i} is {pixel}, not {bar}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build/native")
    options = parser.parse_args()
    for tool in ("qemu-system-x86_64", "apt-get", "dpkg-deb", "ldd", "cc"):
        if shutil.which(tool) is None:
            print(f"skipped: {tool} is not installed")
            return SKIPPED
    try:
        root = fetch(options.build / "v4l2")
    except FileNotFoundError as error:
        print(f"skipped: {error}")
        return SKIPPED
    failed = 0
    with tempfile.TemporaryDirectory(prefix="octet-v4l2-") as folder:
        work = pathlib.Path(folder)
        (work / "initrd").write_bytes(guest(options.build.resolve(), root, work))
        kernel = next((root / "boot").glob("vmlinuz-*"))
        log = subprocess.run(["qemu-system-x86_64", "-accel", "tcg", "-cpu", "max", "-smp", "2", "-m", "1500", "-display",
                              "none", "-monitor", "none", "-nic", "none", "-no-reboot", "-serial", "stdio", "-serial",
                              f"file:{work}/out.tar", "-kernel", kernel, "-initrd", work / "initrd", "-append",
                              "console=ttyS0 panic=-1 quiet"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             timeout=900)
        try:
            with tarfile.open(work / "out.tar") as tar:
                tar.extractall(work / "out")
        except tarfile.TarError:
            print(f"FAILED: the machine said\n{log.stdout[-2000:]}{log.stderr}")
            return 1
        for name, how in [(name, check) for name in CASES] + [(name, check_picture) for name in PICTURES]:
            what = "colours of " + name if how is check_picture else name
            try:
                how(name, work / "out")
                print(f"passed: {what}")
            except (AssertionError, OSError, ValueError) as error:
                failed += 1
                print(f"FAILED: {what}: {error}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
