#!/usr/bin/env python3
"""Real models: Octet's int8 and FP16 plans beside ONNX Runtime's FP32 and int8 (Q/DQ), one thread, one core, interleaved round by round.

Converts each model once (octet convert, kept in build/peers/models), writes its int8 plan as Q/DQ (octet export) and
lets all engines take turns as compare.py does, from float input to float output. Models and calibration pictures come
from ../shared; what is absent is left out with a line.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import sys

import blocks
from engines import ROOT, Failure, add_options, levels_of, octet, ort, ort_version, prepare

SHARED = ROOT.parent / "shared"
COCO, LAB, ZOO = SHARED / "coco" / "calib", SHARED / "lab", SHARED / "zoo"
CIFAR = ("--mean", "0.4914,0.4822,0.4465", "--std", "0.2470,0.2435,0.2616")
LETTERBOX = ("--resize", "letterbox")


@dataclasses.dataclass(frozen=True)
class Model:
    name: str
    onnx: pathlib.Path | None  # None: four transformer blocks
    shape: tuple
    data: pathlib.Path | None
    options: tuple = ()


def zoo(name, height, width, *options):
    return Model(name, ZOO / name / "model.onnx", (1, 3, height, width), COCO, options)


def vit(width, tokens):
    """Four transformer blocks, written by blocks.py."""
    return Model(f"vit_{width}x{tokens}", None, (1, tokens, width), None)


MODELS = (
    zoo("yolov8n_640", 640, 640, *LETTERBOX),
    zoo("yolov8n_320", 320, 320, *LETTERBOX),
    zoo("yolo11n_320", 320, 320, *LETTERBOX),
    zoo("yolo26n_640", 640, 640, *LETTERBOX),
    zoo("yolov8n_seg_320", 320, 320, *LETTERBOX),
    zoo("yolox_nano", 416, 416, *LETTERBOX, "--scale", "1", "--colour", "bgr"),
    zoo("ultraface_rfb320_raw", 240, 320, "--scale", "1", "--mean", "127", "--std", "128"),
    Model("lab_resnet18", LAB / "resnet18_cifar10.onnx", (1, 3, 32, 32), LAB / "cifar_calib_x.npy", CIFAR),
    Model("lab_mobilenet_v2", LAB / "mobilenet_v2_cifar10.onnx", (1, 3, 32, 32), LAB / "cifar_calib_x.npy", CIFAR),
    Model("lab_detector", LAB / "mosaic_detector.onnx", (1, 3, 128, 128), LAB / "mosaic_calib_x.npy"),
    zoo("nanodet_m_320", 320, 320, "--scale", "1", "--colour", "bgr", "--mean", "103.53,116.28,123.675", "--std", "57.375,57.12,58.395"),
    zoo("hand_landmark", 224, 224),
    zoo("yunet_n_320", 320, 320, "--scale", "1", "--colour", "bgr"),
    zoo("sinet_portrait", 320, 320, "--colour", "bgr"),
    zoo("ldc_edges", 360, 640, "--scale", "1"),
    zoo("cct2_transformer", 32, 32),
    Model("hybrid_cifar10", LAB / "attention/hybrid_cifar10.onnx", (1, 3, 32, 32), LAB / "cifar_calib_x.npy", CIFAR),
    Model("mosaic_attention", LAB / "attention/mosaic_attention_detector.onnx", (1, 3, 128, 128), LAB / "mosaic_calib_x.npy"),
    vit(192, 65),
    vit(384, 197),
)
RATIOS = (("int8", "fp32"), ("int8", "qdq"), ("fp16", "fp32"))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--models", default=",".join(model.name for model in MODELS))
    parser.add_argument("--effort", default="default", help="of octet convert")
    parser.add_argument("--board", default="", help="of octet convert; boards/x86-avx2.yaml brings transformed weights, for example")
    parser.add_argument("--json", type=pathlib.Path, default=ROOT / "build/peers/real.json")
    return parser.parse_args()


def made(options, folder, model):
    """ONNX file, blob and Q/DQ model, or None for the latter where it cannot be written."""
    if model.onnx is None:
        _, tokens, width = model.shape
        onnx, data = blocks.write(folder, tokens, width, depth=4)
        model = dataclasses.replace(model, onnx=onnx, data=data)
    if not model.onnx.exists() or not model.data.exists():
        raise FileNotFoundError(model.onnx if not model.onnx.exists() else model.data)
    tool = options.bin / "octet"
    stem = f"{model.name}.{options.effort}{'.' + pathlib.Path(options.board).stem if options.board else ''}"
    blob, qdq = folder / f"{stem}.octet", folder / f"{stem}.qdq.onnx"
    if not blob.exists() or blob.stat().st_mtime < max(tool.stat().st_mtime, model.onnx.stat().st_mtime):
        qdq.unlink(missing_ok=True)
        command = [tool, "convert", model.onnx, "-o", blob, "--calibrate", model.data, "--effort", options.effort,
                   *model.options] + ["--board", options.board] * bool(options.board)
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(f"{model.name}: {done.stderr.strip().splitlines()[-1]}")
    if not qdq.exists():
        done = subprocess.run([tool, "export", "--qdq", model.onnx, blob, "-o", qdq], capture_output=True, text=True)
        if done.returncode != 0:
            print(f"# {model.name}: no Q/DQ: {done.stderr.strip().splitlines()[-1]}")
            return model.onnx, blob, None
    return model.onnx, blob, qdq


def plans_of(options, blob):
    """A plan that fails is not in the blob."""
    told = subprocess.run([options.bin / "octet", "inspect", blob, "--json"], capture_output=True, text=True, check=True)
    return [plan["name"] for plan in json.loads(told.stdout)["plans"] if plan["name"] in ("int8", "fp16")]


def compare(options, folder, model, levels):
    onnx, blob, qdq = made(options, folder, model)
    engines, plans = {}, plans_of(options, blob)
    for level in levels:
        engines[level] = {plan: octet(options, level, plan, "--blob", blob) for plan in plans}
        engines[level]["fp32"] = ort(options, onnx, model.shape, level)
        if qdq:
            engines[level]["qdq"] = ort(options, qdq, model.shape, level)
    for _ in range(options.rounds):
        for contestants in engines.values():
            for contestant in contestants.values():
                contestant.turn()
    rows = []
    for level, contestants in engines.items():
        times = {name: statistics.median(contestant.times) for name, contestant in contestants.items()}
        least = {name: min(contestant.times) for name, contestant in contestants.items()}
        rows.append({"model": model.name, "level": level, "median_ms": times, "min_ms": least,
                     "ratios": {f"{a}/{b}": times[a] / times[b] for a, b in RATIOS if a in times and b in times}})
        for contestant in contestants.values():
            contestant.worker.close()
    return rows


def main():
    options = parse_arguments()
    os.sched_setaffinity(0, {options.core})
    known = {model.name: model for model in MODELS}
    for name in options.models.split(","):
        if name not in known:
            raise Failure(f"--models {name}: none of {', '.join(known)}")
    levels = levels_of(options)
    folder = prepare(options)
    version = ort_version(options)
    print(f"one thread on core {options.core}, medians of {options.rounds} interleaved rounds, ONNX Runtime {version}")
    columns = ("int8", "fp16", "fp32", "qdq")
    print(f"{'model':<21} {'level':<10} {'int8 ms':>9} {'fp16 ms':>9} {'ORT fp32':>9} {'ORT int8':>9} "
          + " ".join(f"{a + '/' + b:>9}" for a, b in RATIOS))
    rows = []
    for name in options.models.split(","):
        try:
            found = compare(options, folder, known[name], levels)
        except FileNotFoundError as missing:
            print(f"# {name}: left out, {missing} is not there")
            continue
        for row in found:
            times = [f"{row['median_ms'][c]:>9.2f}" if c in row["median_ms"] else f"{'-':>9}" for c in columns]
            ratios = [f"{row['ratios'][f'{a}/{b}']:>9.2f}" if f"{a}/{b}" in row["ratios"] else f"{'-':>9}"
                      for a, b in RATIOS]
            print(f"{name:<21} {row['level']:<10} {' '.join(times + ratios)}", flush=True)
        rows += found
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps({"onnxruntime": version, "rounds": options.rounds, "rows": rows}, indent=2))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"real.py: {failure}", file=sys.stderr)
        sys.exit(2)
