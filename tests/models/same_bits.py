#!/usr/bin/env python3
"""Runs the blobs made by convert_models.py on every instruction set and thread count.

Outputs of both plans have to be the same bytes everywhere and for any thread count: none of these models is converted for
native FP16 arithmetic. With --other-builds: the same over the other builds found beside --build
(or in OCTET_BUILD_ROOT): cross builds under QEMU, sanitizers, debug; aarch64, and all others, so that two run side by side.
"""
import argparse
import os
import pathlib

import numpy as np

from model_tests import MODELS, Build, Report, Skip, arguments, digest, emulated, left_out, require, save

IMAGES = 64
SLOW_IMAGES = 16  # on the reference kernels, under ASan, and under an emulator
SLOWEST_IMAGES = 4  # where each product is emulated alone, and under TSan
FP16_IMAGES = 8
FP16_EMULATED_IMAGES = 1  # each of them is run with one and with two threads


def expected_outputs(build: Build, blob: pathlib.Path, images: pathlib.Path) -> pathlib.Path:
    """Outputs of the fastest instruction set of the native build, as everything else is held against them."""
    out, part = blob.with_suffix(".expected.npy"), blob.with_suffix(f".expected.{os.getpid()}.npy")
    build.infer(blob, images, part)
    part.replace(out)
    return out


def first_of(images: pathlib.Path, count: int) -> pathlib.Path:
    """A file of the first pictures."""
    path = images.with_suffix(f".first{count}.npy")
    return path if path.exists() else save(path, np.load(images)[:count])


def check_int8(build: Build, isa: str, threads: int, blob, images, expected) -> None:
    # Fewer pictures where they take long, held against the same rows.
    count = IMAGES
    if isa == "reference" or build.emulator or build.folder.name in ("sanitize", "tsan"):
        slowest = build.folder.name == "tsan" or (build.emulator and isa == "neon")
        count = SLOWEST_IMAGES if slowest else SLOW_IMAGES
    first, out = first_of(images, count), blob.with_suffix(f".{build.name}.{isa}.{threads}.{os.getpid()}.npy")
    report = build.infer(blob, first, out, "--isa", isa, "--threads", threads, "--plan", "int8")
    assert report["isa"] == isa, f"asked for {isa}, ran {report['isa']}"
    actual, wanted = np.load(out), np.load(expected)[:count]
    assert actual.shape == wanted.shape and actual.dtype == np.float32, f"{actual.dtype} {actual.shape}"
    differing = np.flatnonzero((actual.view(np.uint32) != wanted.view(np.uint32)).reshape(count, -1).any(1))
    assert differing.size == 0, f"{differing.size} of {count} pictures differ, first {differing[0]}"
    out.unlink()


def run_fp16(build: Build, isa: str, count: int, blob, images) -> np.ndarray:
    """FP16 outputs; the same bytes with 1 and 2 threads."""
    first, outs = first_of(images, count), []
    for threads in (1, 2):
        out = blob.with_suffix(f".{build.name}.fp16.{isa}.{threads}.{os.getpid()}.npy")
        report = build.infer(blob, first, out, "--isa", isa, "--threads", threads, "--plan", "fp16")
        assert report["isa"] == isa and report["plan"] == "fp16", f"ran {report['plan']} on {report['isa']}"
        outs.append(out)
    assert digest(outs[0]) == digest(outs[1]), "outputs depend on the number of threads"
    values = np.load(outs[0])
    for out in outs:
        out.unlink()
    return values


def check_same(values: np.ndarray, reference: np.ndarray) -> None:
    assert np.isfinite(values).all(), "NaN or infinity"
    differing = int((values.view(np.uint32) != reference.view(np.uint32)).sum())
    assert differing == 0, f"{differing} of {values.size} numbers differ, at most by {np.abs(values - reference).max():.4g}"


def native(report: Report, build: Build, work: pathlib.Path) -> None:
    isas = build.isas()
    for model in MODELS:
        blob, images = work / f"{model.name}.octet", work / f"{model.name}.images.npy"
        with report.case(f"{model.name}.expected"):
            require(model)
            expected = expected_outputs(build, blob, images)
            print(f"{model.name}: SHA-256 of 64 outputs {digest(expected)}")
        if not blob.exists():
            continue
        for isa in isas:
            for threads in (1, 2):
                with report.case(f"{model.name}.int8.{isa}.threads{threads}"):
                    check_int8(build, isa, threads, blob, images, expected)
        reference = None
        for isa in isas:
            with report.case(f"{model.name}.fp16.{isa}"):
                values = run_fp16(build, isa, FP16_IMAGES, blob, images)
                reference = values if isa == "reference" else reference
                check_same(values, reference)


# Folder name of a preset, emulator, CPU model, and the instruction set it stands for ("": the best the machine has).
OTHERS = (
    ("aarch64", "qemu-aarch64", "cortex-a53", "neon"),
    ("aarch64", "qemu-aarch64", "cortex-a76", "dotprod"),
    ("aarch64", "qemu-aarch64", "max,sve=off,sme=off", "i8mm"),
    ("armv7", "qemu-arm", "cortex-a15", "neon"),
    ("sanitize", "", "", ""),
    ("debug", "", "", ""),
    ("tsan", "", "", ""),
)


def others(report: Report, build: Build, work: pathlib.Path, which: str) -> None:
    root = pathlib.Path(os.environ.get("OCTET_BUILD_ROOT", build.folder.parent))
    for folder, emulator, cpu, isa in OTHERS:
        if (folder == "aarch64") != (which == "aarch64"):
            continue
        name = ".".join(filter(None, (folder, cpu.split(",")[0])))
        programs, missing = Build(root / folder, name=name), left_out(folder)
        if missing:
            pass
        elif not programs.octet_run.exists():
            missing = f"no octet-run in {folder}, a sibling of the build under test"
        elif emulator:
            try:
                programs.emulator = emulated(emulator, cpu)
            except Skip as skip:
                missing = str(skip)
        if not missing and isa and isa not in programs.isas():
            missing = f"{folder} on {cpu} has no {isa}"
        if missing:
            with report.case(name):
                raise Skip(missing)
            continue
        words = [isa] if isa else [word for word in programs.isas() if word != "reference"]
        for model in MODELS:
            blob, images = work / f"{model.name}.octet", work / f"{model.name}.images.npy"
            for word in words:
                with report.case(f"{model.name}.int8.{name}.{word}"):
                    require(model)
                    expected = blob.with_suffix(".expected.npy")
                    if not expected.exists():
                        expected_outputs(build, blob, images)
                    check_int8(programs, word, 2 if folder == "tsan" else 1, blob, images, expected)
            if emulator:
                with report.case(f"{model.name}.fp16.{name}"):
                    require(model)
                    reference = run_fp16(build, build.isas()[-1], FP16_EMULATED_IMAGES, blob, images)
                    values = run_fp16(programs, isa, FP16_EMULATED_IMAGES, blob, images)
                    check_same(values, reference)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--other-builds", choices=("aarch64", "rest"),
                        help="programs of the preset aarch64, or of the presets beside it, instead of this build's")
    options = arguments(parser)
    build = Build(options.build, name="native")
    report = Report("OtherBuilds" if options.other_builds else "SameBits", options.report)
    if options.other_builds:
        others(report, build, options.work, options.other_builds)
    else:
        native(report, build, options.work)
    return report.finish()


if __name__ == "__main__":
    raise SystemExit(main())
