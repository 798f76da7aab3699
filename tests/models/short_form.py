#!/usr/bin/env python3
"""`octet convert MODEL DATA` with no option, on every model of ../shared/zoo, ../shared/zoo_2026 and ../shared/lab.

Each model is given pictures, and its stored inputs as numbers where there are any. A row of the table is one of:

  right    converted, and every recognised setting is the model's own (RIGHT below, from the models' README and index.json);
           the blob has the same bytes as that of the command written out (the line `the same: ...`, or `the same, with your other options: ...`)
  asks     exit status 2 and one line, which names the option to give
  WRONG    converted with another setting, without a question
  FAILED   other bytes, another exit status, more than one line, or no option named

Exit status 1 where a row is WRONG or FAILED. Converts with --effort fast (--effort default: as users do, an hour).
"""
import argparse
import ast
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import numpy as np

from model_tests import LAB, SKIPPED, SOURCE

SHARED = SOURCE.parent / "shared"
# Of models that are right without an option: (task, decoder, resize) for pictures. All have x / 255 and labels in their metadata.
RIGHT = {name: ("detect", decoder, "letterbox") for name, decoder in (
    ("yolov8n_640", "yolov8"), ("yolov8n_320", "yolov8"), ("yolo11n_320", "yolov8"), ("yolo26n_640", "yolo26"),
    ("yolov8n_seg_320", "yolov8-seg"), ("yolo11n_pose_qdq", "yolov8-pose"))}
CLASSIFIERS = {"mnist_cntk", "squeezenet10_fp16", "mobilenetv2_qdq_u8s8", "ppocr_v2_cls", "cct2_transformer", "resnet18_cifar10",
               "mobilenet_v2_cifar10", "mobilenet_v2_qat", "hybrid_cifar10"}
# The issue asks for these without any option.
NEED_NONE = ("yolov8n_640", "yolov8n_320", "yolo11n_320", "yolo26n_640", "yolov8n_seg_320")


def models():
    for folder in ("zoo", "zoo_2026"):
        yield from sorted((SHARED / folder).glob("*/model*.onnx"))
    yield from sorted(LAB.glob("**/*.onnx"))


def name_of(model: pathlib.Path) -> str:
    return model.parent.name if model.stem.startswith("model") else model.stem


def data_of(model: pathlib.Path, work: pathlib.Path):
    """(kind, path) of what the model is given."""
    name = name_of(model)
    if LAB in model.parents:
        scenes = "mosaic" in name
        pictures = np.load(LAB / ("mosaic_calib_x.npy" if scenes else "cifar_calib_x.npy"), mmap_mode="r")[:16]
        np.save(work / f"{name}.u8.npy", pictures)
        np.save(work / f"{name}.f32.npy", np.ascontiguousarray(pictures.transpose(0, 3, 1, 2).astype(np.float32) / 255))
        return [("pictures", work / f"{name}.u8.npy"), ("numbers", work / f"{name}.f32.npy")]
    own = model.parent / "images"
    found = [("pictures", own if own.is_dir() else SHARED / "coco/calib")]
    stored = model.parent / "ref/0/input_0.npy"
    return found + ([("numbers", stored)] if stored.exists() else [])


def convert(octet: pathlib.Path, words: list, work: pathlib.Path) -> subprocess.CompletedProcess:
    return subprocess.run([octet, "convert", *map(str, words)], cwd=work, capture_output=True, text=True)


def labels_of(model: pathlib.Path, work: pathlib.Path) -> pathlib.Path:
    import onnx
    names = next(entry.value for entry in onnx.load(str(model), load_external_data=False).metadata_props if entry.key == "names")
    path = work / "labels.txt"
    path.write_text("".join(f"{name}\n" for _, name in sorted(ast.literal_eval(names).items())))
    return path


def recognised(octet: pathlib.Path, said: str, blob: pathlib.Path) -> tuple:
    """(task, decoder, resize, scale): the command written out has the options that were chosen, the blob has the numbers."""
    words = written_out(said)
    option = {words[i]: words[i + 1] for i in range(len(words) - 1) if words[i].startswith("--")}
    about = json.loads(subprocess.run([octet, "inspect", blob, "--json"], capture_output=True, text=True, check=True).stdout)
    scale = about["inputs"][0].get("scale") or 0
    return option.get("--task", "none"), option.get("--decode", ""), option.get("--resize", ""), scale


def written_out(said: str) -> list:
    line = next(found for found in (re.match("the same(?:, with your other options)?: octet convert (.*)", line)
                                    for line in said.splitlines()) if found)
    return shlex.split(re.sub(r"--labels FILE \(.*\)", "--labels FILE", line.group(1)))


def judge(octet: pathlib.Path, model: pathlib.Path, kind: str, data: pathlib.Path, work: pathlib.Path, effort: list) -> tuple:
    """(word, what was seen)"""
    name = name_of(model)
    blob, again = work / "short.octet", work / "again.octet"
    blob.unlink(missing_ok=True)
    done = convert(octet, [model, data, "-o", blob, "--json", *effort], work)
    if done.returncode == 2:
        lines = done.stderr.strip().splitlines()
        asked = re.search(r"(?:give|try|add|it with|constant:) .*?(--[a-z-]+)", lines[-1])
        refused = f"{asked.group(1)}: " if asked else ""
        line = lines[-1].removeprefix("octet: ").replace(str(model), model.name).replace("|", "/")
        if len([line for line in lines if line.startswith("octet: ") and "warning" not in line]) != 1 or asked is None:
            return "FAILED", line
        return ("FAILED" if name in NEED_NONE else "asks"), refused + line[:110]
    if done.returncode not in (0, 1) or (done.returncode == 0 and not blob.exists()):
        return "FAILED", f"status {done.returncode}: {done.stderr[-200:]}"
    if not blob.exists():
        return "FAILED", f"status 1, no blob: {done.stderr.strip().splitlines()[-1][:160]}"
    task, decoder, resize, scale = recognised(octet, done.stderr, blob)
    seen = " ".join(word for word in (task, decoder, resize, f"scale {scale:.4g}") if word)
    if kind == "numbers":
        right = abs(scale - 1) < 1e-6 or scale == 0, task in ("none", *(["classify"] if name in CLASSIFIERS else []))
    else:
        right = abs(scale * 255 - 1) < 1e-5, (task, decoder, resize) == RIGHT.get(name)
    if not all(right):
        return "WRONG", seen
    words = [word if word != "FILE" else str(labels_of(model, work)) for word in written_out(done.stderr)]
    words[words.index("-o") + 1] = str(again)
    convert(octet, [*words, "--json", *effort], work)
    same = again.exists() and again.read_bytes() == blob.read_bytes()
    again.unlink(missing_ok=True)
    return ("right", seen + "; same bytes") if same else ("FAILED", seen + "; other bytes than written out")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build/native")
    parser.add_argument("--effort", choices=("fast", "default"), default="fast")
    parser.add_argument("names", nargs="*", metavar="NAME", help="models (default: all)")
    options = parser.parse_args()
    if not (SHARED / "zoo").is_dir():
        print("skipped: ../shared/zoo is not there")
        return SKIPPED
    octet = options.build.resolve() / "bin/octet"
    effort = ["--effort", "fast", "--samples", "8"] if options.effort == "fast" else []
    count: dict = {}
    print("| model | given | outcome | settings, or the option asked for |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory(prefix="octet-short-") as folder:
        work = pathlib.Path(folder)
        for model in models():
            if options.names and name_of(model) not in options.names:
                continue
            title = name_of(model) + (" (dynamic)" if "dynamic" in model.stem else "")
            for kind, data in data_of(model, work):
                word, seen = judge(octet, model, kind, data, work, effort)
                count[word] = count.get(word, 0) + 1
                print(f"| {title} | {kind} | {word} | {seen} |", flush=True)
    print(", ".join(f"{number} {word}" for word, number in sorted(count.items())))
    return 1 if count.get("WRONG") or count.get("FAILED") else 0


if __name__ == "__main__":
    sys.exit(main())
