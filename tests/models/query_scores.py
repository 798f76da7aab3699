#!/usr/bin/env python3
"""mAP50-95 of a detector that selects queries, on real photographs: float, FP16 plan and INT8 plan, paired.

The model has finished outputs (labels, boxes, scores) and an integer input for the size of its pictures, which is bound. Each
score is the mean over the five variants of coco_scores.py. Pictures are stretched by OpenCV, so that all three read the same
pixels. Calibrated with default settings on the calibration pictures. Float is this project's FP32 executor (fp32_outputs);
scores are made by ../shared/tools/detr_map.py. Needs ../shared/coco, ../shared/zoo_2026, Debian's python3-opencv and
python3-onnx, and the target fp32_outputs; takes minutes, so no test runs it.
"""
import argparse
import pathlib
import sys

import numpy as np

from coco_scores import COCO, SHARED, TOOLS, VARIANTS, fp16_share, make_variant
from model_tests import SKIPPED, Build, arguments, run

NAME, SIZE, SIZE_INPUT = "deimv2_atto_320", 320, "orig_target_sizes"


def stretched(variant: str, work: pathlib.Path) -> pathlib.Path:
    """uint8 [N,SIZE,SIZE,3], RGB, in the order of the pictures' names."""
    import cv2
    path = work / f"queries.{variant}.npy"
    if not path.exists():
        folder = make_variant(variant, work)
        rows = [cv2.resize(cv2.imread(str(folder / p.name)), (SIZE, SIZE))[..., ::-1] for p in sorted((COCO / "val").glob("*.jpg"))]
        np.save(path, np.stack(rows))
    return path


def bound(model: pathlib.Path, work: pathlib.Path) -> pathlib.Path:
    """The model with a constant in place of the input for the size, which fp32_outputs cannot feed."""
    import onnx
    from onnx import numpy_helper
    proto = onnx.load(str(model))
    given = next(i for i in proto.graph.input if i.name == SIZE_INPUT)
    proto.graph.input.remove(given)
    proto.graph.initializer.append(numpy_helper.from_array(np.full((1, 2), SIZE, np.int64), SIZE_INPUT))
    path = work / f"queries.{NAME}.onnx"
    onnx.save(proto, str(path))
    return path


def map_of(out: pathlib.Path) -> float:
    """Of OUT.0.npy to OUT.2.npy: labels, boxes, scores."""
    labels, boxes, scores = (out.with_suffix(f".{i}.npy") for i in range(3))
    words = run([sys.executable, TOOLS / "detr_map.py", "--finished", SIZE, labels, boxes, scores, COCO / "val",
                 COCO / "val.json"]).split()
    return float(words[words.index("mAP50-95") + 1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variants", default=",".join(VARIANTS))
    parser.add_argument("--convert", default="", help="more options of octet convert, in one word list")
    parser.add_argument("--blob", type=pathlib.Path, help="score this blob instead of a new one")
    options = arguments(parser)
    model = SHARED / "zoo_2026" / NAME / "model.onnx"
    if not COCO.exists() or not model.exists():
        print("skipped: ../shared/coco or ../shared/zoo_2026 is not there")
        return SKIPPED
    try:
        import cv2  # noqa: F401
        import onnx  # noqa: F401
    except ImportError:
        print("skipped: Debian's python3-opencv and python3-onnx are needed")
        return SKIPPED
    build, work = Build(options.build), options.work
    blob = options.blob or work / f"queries.{NAME}.octet"
    if not options.blob:
        run([build.octet, "convert", model, "-o", blob, "--calibrate", COCO / "calib", "--task", "detect", "--decode", "deim",
             "--bind", f"{SIZE_INPUT}={SIZE},{SIZE}", *options.convert.split()])
    print(f"{NAME}: {fp16_share(build, blob):.1f} % of the INT8 plan's MACs in FP16", flush=True)
    exact, out, scores = bound(model, work), work / "queries.out.npy", {"float": [], "fp16": [], "int8": []}
    for variant in options.variants.split(","):
        pixels = stretched(variant, work)
        for plan, all_of in scores.items():
            if plan == "float":
                run([build.folder / "tests" / "fp32_outputs", exact, out, pixels])
            else:
                build.infer(blob, pixels, out, "--plan", plan, "--threads", 2)
            all_of.append(map_of(out))
        print(f"  {variant:8} " + "  ".join(f"{plan} {all_of[-1]:.2f}" for plan, all_of in scores.items()), flush=True)
    print(f"  {'mean':8} " + "  ".join(f"{plan} {np.mean(all_of):.2f}" for plan, all_of in scores.items()), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
