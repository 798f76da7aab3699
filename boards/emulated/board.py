#!/usr/bin/env python3
"""An ARM board for those who own none: QEMU boots Debian's 64-bit ARM kernel with octet-camera on a camera of that kernel;
here it is heated, gets other models, and loses its power. README.md beside this file has an example."""
import argparse
import os
import pathlib
import subprocess
import sys

from debian import Missing
from machine import METRICS_IN_BOARD, SOURCE, STORE, THERMAL, Board, free_port

DONE, BAD_USE, INTERNAL = 0, 2, 3
SCENE = SOURCE / "demo/scene"
# vivid's smallest frames; some a second are what emulated cores can draw, convert and infer.
FRAMES = ["--size", "320x180", "--fps", "10"]
# A shadow run in FP16 takes seconds here, and a file's temperature does not tremble as a sensor's does. 20 good frames take
# a detector some seconds, in which one can watch a trial.
OPTIONS = ["--guard-set", "shadow_every=0,sensor_stuck_s=0,heat_dwell_s=5", "--confirm-after", "20"]


def camera_words(source: str, more: list) -> list:
    """The command that runs in the board until it is stopped."""
    return ["octet-camera", "--slots", STORE, "--source", source, *FRAMES, "--threads", "1", "--http", "8080", "--metrics",
            f"0.0.0.0:{METRICS_IN_BOARD}", "--thermal-root", THERMAL, *(more or OPTIONS)]


def boot(board: Board, options: argparse.Namespace) -> None:
    board.work.mkdir(parents=True, exist_ok=True)
    models = options.model
    if not models and not board.disk.exists():
        models = [SCENE / "detector.octet"]
    for model in models:
        if not model.is_file():
            raise Missing(f"--model {model}: no such file; octet convert makes models")
    garments = {name: SCENE / name for name in ("test.npy", "labels.npy")} if options.source == "scene" else {}
    board.prepare()
    if board.process() is None and models:
        board.make_disk(models)
    more = options.camera[1:] if options.camera[:1] == ["--"] else options.camera
    if garments:
        more = [*(more or OPTIONS), "--garments", "/garments"]
    page, metrics = (port or free_port() for port in (options.port_http, options.port_metrics))
    board.boot([] if options.no_camera else camera_words(options.source, more), page, metrics,
               {f"garments/{name}": path for name, path in garments.items()})
    print(f"page     http://127.0.0.1:{page}/\nmetrics  http://127.0.0.1:{metrics}/metrics\n"
          f"ssh      ssh -F {board.ssh_config} board\nconsole  {board.console}")


def shell(board: Board, options: argparse.Namespace) -> int:
    return board.run(" ".join(options.command), seconds=None, capture_output=False, stdin=None).returncode


def flash(board: Board, options: argparse.Namespace) -> int:
    if not options.octet.exists():
        raise Missing(f"no {options.octet}; cmake --preset native && cmake --build --preset native --target octet")
    return subprocess.run([options.octet, "flash", options.file, f"root@board:{STORE}"],
                          env={**os.environ, "PATH": f"{board.work}/bin:{os.environ.get('PATH', '')}"}).returncode


def needs_running(board: Board) -> None:
    if board.process() is None:
        raise Missing("no board runs; board.py boot starts one")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build", help="folder of the builds (build)")
    parser.add_argument("--work", type=pathlib.Path, help="folder of this board's disk and console (BUILD/emulated/board)")
    commands = parser.add_subparsers(dest="name", required=True, metavar="COMMAND")

    one = commands.add_parser("boot", help="start it and print where to look")
    one.add_argument("--model", type=pathlib.Path, action="append", default=[],
                     help="a blob for a new disk; several times: the first runs, all lie in models/ (default: the disk there "
                          "is, or the demo's detector)")
    one.add_argument("--source", default="/dev/video0", help="of octet-camera: /dev/video0 (vivid), or scene (the demo's)")
    one.add_argument("--port-http", type=int, default=8080, help="of the page on this machine; 0: a free one (8080)")
    one.add_argument("--port-metrics", type=int, default=9464, help="of the metrics; 0: a free one (9464)")
    one.add_argument("--no-camera", action="store_true", help="octet-camera is not started")
    one.add_argument("camera", nargs=argparse.REMAINDER, metavar="-- OPTION...",
                     help=f"more options of octet-camera (default: {' '.join(OPTIONS)})")
    two = commands.add_parser("heat", help="set its temperature")
    two.add_argument("celsius", type=float, metavar="C", help="degrees Celsius")
    three = commands.add_parser("run", help="run a command there")
    three.add_argument("command", nargs=argparse.REMAINDER, metavar="WORD", help="of the board's shell")
    commands.add_parser("shell", help="a shell there")
    four = commands.add_parser("flash", help="octet flash: another model, on trial")
    four.add_argument("file", type=pathlib.Path, metavar="MODEL")
    four.add_argument("--octet", type=pathlib.Path, help="the converter (BUILD/native/bin/octet)")
    commands.add_parser("log", help="what octet-camera said")
    commands.add_parser("cut", help="power gone, at once")
    commands.add_parser("stop", help="shut down")
    options = parser.parse_args()

    folder = options.build.resolve() / "emulated"
    board = Board(options.work or folder / "board", folder / "packages", options.build / "aarch64/bin")
    if options.name == "flash":
        options.octet = options.octet or options.build / "native/bin/octet"
    if options.name in ("shell", "log"):
        options.command = ["cat /run/camera.log"] if options.name == "log" else ["exec sh -l"]
    try:
        if options.name == "boot":
            boot(board, options)
            return DONE
        needs_running(board)
        if options.name == "heat":
            board.heat(options.celsius)
        elif options.name == "flash":
            return flash(board, options)
        elif options.name == "cut":
            board.cut()
        elif options.name == "stop":
            board.stop()
        else:
            return shell(board, options)
        return DONE
    except Missing as error:
        print(f"board.py: {error}", file=sys.stderr)
        return BAD_USE
    except (OSError, subprocess.SubprocessError) as error:
        print(f"board.py: internal error: {error}; please report it", file=sys.stderr)
        return INTERNAL


if __name__ == "__main__":
    sys.exit(main())
