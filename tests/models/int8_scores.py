#!/usr/bin/env python3
"""Scores of the lab's models as the runtime computes them, beside FP32: top-1 of CIFAR-10, mAP@0.5 of the mosaics.

Without --all: the blobs of convert_models.py on the first 1,000 images (100 scenes), with a bound. With --all: blobs made
with the default number of calibration samples, on every test image, which takes minutes.
"""
import argparse

import numpy as np

from model_tests import LAB, MODELS, Build, Report, arguments, require, run, save

# FP32 in percent: all test images, the first 1,000 or 100 (tests/models/fp32_scores).
FP32 = {"resnet18": (92.08, 94.00), "mobilenet_v2": (87.37, 87.00), "detector": (77.28, 80.49)}
# Points below FP32. A plan changes the answer of some 1.5 % of the images, either way: 0.4 points of standard deviation
# over 1,000 images. Over 100 scenes mAP moves by about 0.6 points. Two and a half of those.
SLACK = {"resnet18": 1.0, "mobilenet_v2": 1.0, "detector": 1.5}
SAMPLES = 512  # octet convert's default; convert_models.py takes fewer


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="all test images; prints figures, judges nothing")
    options = arguments(parser)
    build, report = Build(options.build), Report("Accuracy", options.report)
    for model in MODELS:
        if model.name not in FP32:
            continue
        detector = model.name == "detector"
        with report.case(f"{model.name}.CloseToFp32"):
            require(model)
            blob, images = options.work / f"{model.name}.octet", options.work / f"{model.name}.scored.npy"
            if options.all or not blob.exists():
                blob = blob.with_suffix(".scored.octet")
                build.convert(model, options.work, 0, blob, SAMPLES)
            save(images, np.load(LAB / model.images)[:None if options.all else 100 if detector else 1000])
            for plan in ("int8", "fp16"):
                out = options.work / f"{model.name}.scored.{plan}.npy"
                build.infer(blob, images, out, "--plan", plan, "--threads", 2)
                score = float(run([build.folder / "tests" / "score_outputs", "detect" if detector else "classify", LAB,
                                   out]))
                out.unlink()
                fp32 = FP32[model.name][0 if options.all else 1]
                print(f"{model.name} {plan}: {score:.2f} %, FP32 {fp32:.2f} %")
                assert options.all or score >= fp32 - SLACK[model.name], f"{plan} scores {score:.2f} %"
    return report.finish()


if __name__ == "__main__":
    raise SystemExit(main())
