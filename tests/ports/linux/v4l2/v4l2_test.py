#!/usr/bin/env python3
"""octet-camera on a kernel's own V4L2 drivers, on the emulated board of boards/emulated: vivid for formats and failures, uvcvideo
for a USB camera. Skipped with a line where QEMU, Debian's packages or the programs of preset aarch64 are missing."""
import argparse
import io
import json
import pathlib
import re
import struct
import subprocess
import sys
import tarfile
import tempfile
import zlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[3]
sys.path.insert(0, str(SOURCE / "boards/emulated"))
from debian import Missing  # noqa: E402
from machine import Board, free_port  # noqa: E402

sys.path.insert(0, str(SOURCE / "tests/support"))
from presets import left_out  # noqa: E402

SKIPPED = 77
MEMORY_SLACK_BYTES = 256 << 10
COMPILER = "aarch64-linux-gnu-gcc"
GUEST_SECONDS = 900

# Case: exit status, least number of lines with frames, what stderr has to say.
CASES = {
    **{name: (0, 60, rf"{name} 640x480, 25 frames/s$") for name in ("rgb24", "grey8", "yuyv", "nv12", "yuv420p")},
    "hd": (0, 30, r"yuyv 1280x720"),
    "other-size": (0, 5, r"has no 800x600$"),
    "long": (0, 1500, r"320x180, \d+ frames/s$"),
    "no-mjpeg": (2, 0, r"offers no mjpeg"),
    "output-device": (2, 0, r"cannot capture by streaming"),
    "vbi-device": (2, 0, r"cannot capture by streaming"),
    "planes": (2, 0, r"several planes"),
    "no-device": (2, 0, r"is not a V4L2 camera"),
    "reqbufs": (2, 0, r"has no buffers to map"),
    "streamon": (2, 0, r"cannot start streaming"),
    "busy": (2, 0, r"busy; end the program that uses it"),
    "stall": (0, 6, r"(?s)(?=.*damaged frame was skipped)(?=.*no frame for 5 s.*frames are back)"),
    "fatal": (2, 6, r"stopped giving frames: Input/output error"),
    "disconnect": (2, 6, r"the camera was disconnected: No such device"),
    "usb-yuyv": (0, 60, r"yuyv 640x480, 30 frames/s$"),
    "usb-mjpeg": (0, 100, r"mjpeg 640x480, 30 frames/s$"),
    "unplugged": (2, 6, r"the camera was disconnected: No such device"),
    "usb-hd": (0, 60, r"mjpeg 1280x720, 30 frames/s$"),
}
# octet-camera --check: exit status, and what the rows of the source and of all cameras say.
CHECKS = {
    "check-busy": (1, r"(?s)^source +FAILS  /dev/video0 [^\n]* is in use by another program$.*^cameras +ok "),
    "check-free": (0, r"(?s)^source +ok     /dev/video0 .*^cameras +ok "),
}
LINES = {"stall": 4, "fatal": 2, "disconnect": 2, "unplugged": 2}  # on stderr; of the others one
# A USB frame whose packets are late or end with the plug is cut, and octet-camera says so once.
CUT = re.compile(r"octet-camera: \S+: a damaged frame was skipped")
MAY_CUT = ("usb-yuyv", "usb-mjpeg", "usb-hd", "unplugged")
# vivid's first pattern: bars of 75 %.
BARS = [(191 * r, 191 * g, 191 * b) for r, g, b in ((1, 1, 1), (1, 1, 0), (0, 1, 1), (0, 1, 0), (1, 0, 1), (1, 0, 0),
                                                    (0, 0, 1), (0, 0, 0))]
PICTURES = ("rgb24", "yuyv", "nv12", "yuv420p", "mjpeg")
COLOUR_ERROR = 6  # of 255: rounding there and back, and JPEG


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
    heard = said.splitlines()
    cut = next((line for line in heard if CUT.match(line)), None) if name in MAY_CUT else None
    assert len(heard) - (cut is not None) == LINES.get(name, 1), f"said: {said}"
    lines = [json.loads(line) for line in (out / f"{name}.json").read_text().splitlines()]
    if least == 0:
        return
    summary = lines.pop()["summary"]
    assert len(lines) >= least and summary["frames"] == len(lines), f"{len(lines)} frames: {summary}"
    assert summary["captured"] - summary["dropped"] - summary["frames"] in (0, 1), summary
    if name == "long":
        grown = summary["rss_bytes"] - summary["rss_bytes_at_frame_1000"]
        assert grown <= MEMORY_SLACK_BYTES, f"memory grew by {grown} bytes"


def check_board(name: str, out: pathlib.Path) -> None:
    status, pattern = CHECKS[name]
    got, said = int((out / f"{name}.status").read_text()), (out / f"{name}.txt").read_text()
    assert got == status, f"exit status {got}: {said}"
    assert re.search(pattern, said, re.MULTILINE), f"said: {said}"


def check_picture(name: str, out: pathlib.Path) -> None:
    (path,) = (out / name).glob("*.png")
    row = row_of_png(path, 150)
    for i, bar in enumerate(BARS):
        pixel = row[len(row) * (2 * i + 1) // 16]
        assert max(abs(a - b) for a, b in zip(pixel, bar)) <= COLOUR_ERROR, f"bar {i} is {pixel}, not {bar}"


def guest_files(build: pathlib.Path, work: pathlib.Path) -> dict:
    """What the cases need on the board, by the paths there."""
    files = {"guest.sh": HERE / "guest.sh", "classifier.octet": work / "blob"}
    for name in ("set_control", "usb_camera"):
        files[f"bin/{name}"] = work / name
        subprocess.run([COMPILER, "-O1", "-Wall", "-Werror", "-static", "-o", work / name, HERE / f"{name}.c"], check=True)
    np.save(work / "calib.npy", np.random.Generator(np.random.PCG64(1)).integers(0, 256, (8, 28, 28, 1), np.uint8))
    subprocess.run([build / "bin/octet", "convert", SOURCE / "demo/fashion_mnist.onnx", "-o", work / "blob",
                    "--calibrate", work / "calib.npy", "--task", "classify"], check=True, capture_output=True)
    return files


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build/native", help="of octet")
    parser.add_argument("--programs", type=pathlib.Path, default=SOURCE / "build/aarch64/bin", help="of the board")
    options = parser.parse_args()
    if left_out("aarch64"):
        print(f"skipped: {left_out('aarch64')}")
        return SKIPPED
    failed = 0
    with tempfile.TemporaryDirectory(prefix="octet-v4l2-") as folder:
        work = pathlib.Path(folder)
        board = Board(work / "board", options.build.resolve().parent / "emulated/packages", options.programs)
        try:
            board.work.mkdir()
            board.prepare()
            board.make_disk([])
            board.boot([], free_port(), free_port(), guest_files(options.build, work))
            board.run("mkdir /out && rmmod vivid && sh /guest.sh", seconds=GUEST_SECONDS)
            packed = board.run("tar c -C /out .", text=False).stdout
        except (Missing, FileNotFoundError) as error:
            print(f"skipped: {error}")
            return SKIPPED
        finally:
            board.cut()
        with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
            tar.extractall(work / "out")
        for name, how in ([(name, check) for name in CASES] + [(name, check_board) for name in CHECKS] +
                          [(name, check_picture) for name in PICTURES]):
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
