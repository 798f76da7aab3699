"""octet-py: blobs from the command line, with no more than NumPy.

Exit status 0: done; 2: bad use or bad input, with one line that says what and where.
"""
import argparse
import json
import pathlib
import sys
import time
from typing import Any, Dict, List, Optional

import numpy as np

from octet import _library
from octet.model import Model
from octet.results import Detection

PICTURES = ".npy, .ppm, .pgm or, with Pillow, .jpg and .png"


class _Bad(ValueError):
    """Bad input; one line."""


def _netpbm(path: str) -> np.ndarray:
    """uint8 [height, width, 3] of a binary PPM, [height, width] of a binary PGM, of 8 bits."""
    data = pathlib.Path(path).read_bytes()
    words: List[bytes] = []
    at = 0
    while len(words) < 4 and at < len(data):
        if data[at:at + 1] == b"#":
            end = data.find(b"\n", at)
            at = len(data) if end < 0 else end
        elif data[at:at + 1].isspace():
            at += 1
        else:
            begin = at
            while at < len(data) and not data[at:at + 1].isspace():
                at += 1
            words.append(data[begin:at])
    at += 1
    sizes = [int(word) for word in words[1:] if word.isdigit() and len(word) <= 5]
    if len(sizes) != 3 or words[0] not in (b"P5", b"P6") or sizes[2] != 255 or not sizes[0] or not sizes[1]:
        raise _Bad(f"{path}: not a PPM (P6) or PGM (P5) of 8 bits; convert it, or use octet-run, which reads JPEG and PNG")
    shape = (sizes[1], sizes[0], 3) if words[0] == b"P6" else (sizes[1], sizes[0])
    count = int(np.prod(shape))
    if len(data) - at < count:
        raise _Bad(f"{path}: {max(0, len(data) - at)} bytes of pixels, and its {sizes[0]}x{sizes[1]} pixels need {count}; copy it again")
    return np.frombuffer(data, np.uint8, count, at).reshape(shape)


def _with_pillow(path: str) -> np.ndarray:
    """uint8 [height, width, 3], or [height, width] of a grey picture."""
    try:
        from PIL import Image
    except ImportError:
        raise _Bad(f"{path}: octet-py reads JPEG and PNG with Pillow, which is not installed; install python3-pil, "
                   "or use octet-run, which reads them itself") from None
    try:
        with Image.open(path) as picture:
            return np.asarray(picture if picture.mode == "L" else picture.convert("RGB"))
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise _Bad(f"{path}: {getattr(error, 'strerror', None) or error}; check the path and the file") from None


def _read(path: str) -> np.ndarray:
    """A picture, or an array as it is."""
    try:
        if path.endswith((".ppm", ".pgm")):
            return _netpbm(path)
        if path.endswith(".npy"):
            return np.load(path, allow_pickle=False)
        if path.lower().endswith((".jpg", ".jpeg", ".png")):
            return _with_pillow(path)
    except (OSError, EOFError) as error:
        raise _Bad(f"{path}: {getattr(error, 'strerror', None) or error}; check the path and the file") from None
    raise _Bad(f"{path}: give {PICTURES}")


def _pictures(path: str) -> List[np.ndarray]:
    """Those of an array [N, height, width, channels], or the one of any other file."""
    array = _read(path)
    return list(array) if array.ndim == 4 else [array]


def _open(options: argparse.Namespace) -> Model:
    return Model(options.blob, plan=options.plan, threads=options.threads, isa=options.isa)


def _described(model: Model) -> Dict[str, Any]:
    def tensors(infos: Any) -> List[Dict[str, Any]]:
        return [{"name": info.name, "shape": list(info.shape), "is_image": info.is_image} for info in infos]

    return {"task": model.task, "plans": list(model.plans), "plan": model.plan, "isa": model.isa, "threads": model.threads,
            "inputs": tensors(model.inputs), "outputs": tensors(model.outputs), "labels": list(model.labels), "macs": model.macs,
            "arena_bytes": model.arena_bytes, "blob_bytes": model.blob_bytes, "library": _library.version(),
            "isas": _library.isas()}


def _load(options: argparse.Namespace) -> None:
    started = time.perf_counter()
    with _open(options) as model:
        said = {"load_ms": round((time.perf_counter() - started) * 1e3, 3), "blob_bytes": model.blob_bytes,
                "arena_bytes": model.arena_bytes, "isa": model.isa, "plan": model.plan}
    if options.json:
        print(json.dumps(said))
    else:
        print(f"{options.blob}: whole; {said['blob_bytes']} bytes, arena {said['arena_bytes']} bytes, {said['isa']}, plan "
              f"{said['plan']}, loaded in {said['load_ms']} ms")


def _info(options: argparse.Namespace) -> None:
    with _open(options) as model:
        said = _described(model)
    if options.json:
        print(json.dumps(said))
        return
    for tensor in said.pop("inputs"):
        print(f"input {tensor['name']} {tensor['shape']}{', takes pictures' if tensor['is_image'] else ''}")
    for tensor in said.pop("outputs"):
        print(f"output {tensor['name']} {tensor['shape']}")
    for name, value in said.items():
        print(f"{name} {', '.join(value) if isinstance(value, list) else value}")


def _outputs_paths(path: str, count: int) -> List[str]:
    """OUT.npy, or OUT.0.npy, OUT.1.npy and so on, as octet-run names them."""
    if count == 1:
        return [path]
    stem = path[:-4] if path.endswith(".npy") else path
    return [f"{stem}.{i}.npy" for i in range(count)]


def _run(options: argparse.Namespace) -> None:
    with _open(options) as model:
        arrays = [_read(path) for path in options.input]
        started = time.perf_counter()
        outputs = model.run(*arrays)
        milliseconds = (time.perf_counter() - started) * 1e3
        paths = _outputs_paths(options.output, len(outputs)) if options.output else []
        for path, output in zip(paths, outputs):
            with open(path, "wb") as file:
                np.save(file, output)
        said = {"run_ms": round(milliseconds, 3), "isa": model.isa, "plan": model.plan, "files": paths,
                "outputs": [{"name": info.name, "shape": list(output.shape), "min": float(output.min()), "max": float(output.max())}
                            for info, output in zip(model.outputs, outputs)]}
    if options.json:
        print(json.dumps(said))
        return
    for tensor in said["outputs"]:
        print(f"{tensor['name']} {tensor['shape']}: {tensor['min']:g} to {tensor['max']:g}")
    print(f"{said['run_ms']} ms, {said['isa']}, plan {said['plan']}")


def _as_octet_run(box: Detection) -> Dict[str, Any]:
    """The keys and digits of octet-run --json."""
    named = {"label": box.name} if box.name else {}
    return {**named, "class": box.label, "score": round(box.score, 4),
            "box": [round(side, 1) for side in (box.x0, box.y0, box.x1, box.y1)]}


def _detect(options: argparse.Namespace) -> None:
    with _open(options) as model:
        for path in options.picture:
            for picture in _pictures(path):
                boxes = model.detect(picture, masks=False)
                if options.json:
                    print(json.dumps({"picture": path, "detections": [_as_octet_run(box) for box in boxes]}))
                    continue
                print(f"{path}: {len(boxes)} boxes")
                for box in boxes:
                    print(f"  {box.name or box.label} {box.score:.3f} at {box.x0:.1f},{box.y0:.1f} to {box.x1:.1f},{box.y1:.1f}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="octet-py", description="Runs Octet blobs by liboctet.so and NumPy.")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    def add(name: str, action: Any, text: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("blob", metavar="BLOB", help="made by octet convert")
        command.add_argument("--plan", help="by name (default: the blob's first)")
        command.add_argument("--isa", help="instruction set (default: the best here)")
        command.add_argument("--threads", type=int, default=1, help="1 to 256, with the calling one (default: 1)")
        command.add_argument("--json", action="store_true", help="print JSON")
        command.set_defaults(action=action)
        return command

    add("load", _load, "checks a blob completely and says how long that takes")
    add("info", _info, "inputs, outputs, plans and sizes of a blob")
    run = add("run", _run, "one inference; numbers in, numbers out")
    run.add_argument("--input", required=True, nargs="+", metavar="FILE",
                     help=f"{PICTURES}, one for each input: a picture, or float32 in the model's own layout")
    run.add_argument("--output", metavar="FILE.npy", help="float32; OUT.0.npy, OUT.1.npy, ... for several")
    detect = add("detect", _detect, "boxes in pictures")
    detect.add_argument("picture", nargs="+", metavar="PICTURE",
                        help=f"{PICTURES}: uint8 [height, width, 3], or [N, height, width, 3] in a .npy")
    return parser


def main(arguments: Optional[List[str]] = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.error("name a command: load, info, run or detect")
    try:
        options.action(options)
    except (OSError, _library.OctetError, TypeError, ValueError) as error:
        print(f"octet-py: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
