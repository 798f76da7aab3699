#!/usr/bin/python3
"""Whether recovery keeps steps that do harm: gains.py --build build/native

Converts each model with `octet convert --json` and prints, for every step of recovery, what it gained on the pictures that
accept it and on those that only report: of the answers' agreement where --task gives them a meaning (else of the share of
the outputs that is lost), and in dB; each with its standard error over pictures. A step that was kept and whose reporting
pictures fall by more than that error, in either, is WRONG. By chance alone a step without any effect on one of the two is
called so in one case of six.

Models, smallest first: random graphs of the tests (target random_networks), demo/, ../shared/lab, ../shared/zoo. Models of
pictures are calibrated with those of ../shared, others with numbers from -1 to 1. What is absent is left out with a line.
The exit status is 1 where a step is WRONG.
"""
import argparse
import dataclasses
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parents[1]
SHARED = SOURCE.parent / "shared"
COCO, LAB, ZOO = SHARED / "coco" / "calib", SHARED / "lab", SHARED / "zoo"
CIFAR = ("--mean", "0.4914,0.4822,0.4465", "--std", "0.2470,0.2435,0.2616")
IMAGENET = ("--mean", "0.485,0.456,0.406", "--std", "0.229,0.224,0.225")
HALF = ("--mean", "0.5", "--std", "0.5")
BGR = ("--scale", "1", "--colour", "bgr")
CLASSIFY = ("--task", "classify")
LETTERBOX = ("--resize", "letterbox")
LAB_DETECTOR = ("layout: planes\nchannels: [box, object, class]\nstrides: [8]\nbox: {form: distances, cell_offset: 0.5}\n"
                "score_threshold: 0.25\niou_threshold: 0.5\n")
# Seeds of tests/converter/lower/random_graph.h: the first of its graphs, and of those with other families of operators.
RANDOM_SEEDS = ((1, 10), (2 ** 32 + 1, 4), (2 ** 33 + 1, 4))


@dataclasses.dataclass(frozen=True)
class Model:
    name: str
    onnx: pathlib.Path
    data: pathlib.Path | tuple  # a folder or file of pictures; or the shape of one sample, for random numbers
    options: tuple = ()
    decode: str = ""  # of a decoder that has no preset
    quick: bool = False


def detector(preset, *options):
    return (*options, *LETTERBOX, "--task", "detect", "--decode", preset)


def zoo(name, data, options=(), quick=False):
    return Model(name, ZOO / name / "model.onnx", data, tuple(options), "", quick)


MODELS = (
    zoo("mnist_cntk", (28, 28, 1), ("--scale", "1"), True),
    Model("demo_classifier", SOURCE / "demo" / "fashion_mnist.onnx", (28, 28, 1), ("--mean", "0.2860", "--std", "0.3530"),
          "", True),
    zoo("superres_espcn_x3", (224, 224, 1)),
    zoo("yunet_n_320", COCO, detector("yunet", *BGR), True),
    zoo("blazeface_front", LAB / "photos", detector("blazeface", *HALF), True),
    zoo("sinet_portrait", LAB / "photos", ("--colour", "bgr", *IMAGENET)),
    zoo("ppocr_v2_cls", LAB / "photos", ("--colour", "bgr", *HALF, *CLASSIFY, "--input-shape", "x:1,3,48,192"), True),
    Model("scene_detector", SOURCE / "demo" / "scene_detector.onnx", LAB / "photos", ()),
    zoo("cct2_transformer", LAB / "cifar_calib_x.npy", (*CIFAR, *CLASSIFY), True),
    zoo("ultraface_rfb320_raw", COCO, ("--scale", "1", "--mean", "127", "--std", "128"), True),
    zoo("bodypix_mnv1_050", LAB / "photos", (*HALF, "--input-shape", "input:1,241,321,3")),
    zoo("squeezenet10_fp16", LAB / "photos", (*BGR, "--mean", "104,117,123", *CLASSIFY)),
    zoo("yolox_nano", COCO, detector("yolox", *BGR)),
    zoo("hand_landmark", LAB / "photos", (), True),
    zoo("nanodet_m_320", COCO, detector("nanodet", "--scale", "1", "--mean", "103.53,116.28,123.675", "--std",
                                        "57.375,57.12,58.395", "--colour", "bgr")),
    zoo("mobilenetv2_qdq_u8s8", LAB / "photos", (*IMAGENET, *CLASSIFY)),
    Model("lab_detector", LAB / "mosaic_detector.onnx", LAB / "mosaic_calib_x.npy", ("--task", "detect"), LAB_DETECTOR, True),
    Model("lab_mobilenet_v2", LAB / "mobilenet_v2_cifar10.onnx", LAB / "cifar_calib_x.npy", (*CIFAR, *CLASSIFY), "", True),
    Model("lab_mobilenet_v2_qat", LAB / "mobilenet_v2_qat.onnx", LAB / "cifar_calib_x.npy", (*CIFAR, *CLASSIFY)),
    zoo("yolo11n_320", COCO, LETTERBOX),
    zoo("yolov8n_320", COCO, LETTERBOX),
    Model("lab_resnet18", LAB / "resnet18_cifar10.onnx", LAB / "cifar_calib_x.npy", (*CIFAR, *CLASSIFY)),
)


def random_models(options, folder: pathlib.Path) -> list:
    """The tests' random graphs, with numbers from -1 to 1 for inputs, as the tests run them."""
    program = options.build / "tests" / "random_networks"
    if not program.exists():
        print("# no random graphs: target random_networks is not built")
        return []
    try:
        import onnx
    except ImportError:
        print("# no random graphs: they need Debian's python3-onnx")
        return []
    models = []
    for first, count in RANDOM_SEEDS:
        subprocess.run([str(program), "--onnx", str(folder), "--first", str(first), "--count", str(count)], check=True)
        for seed in range(first, first + count):
            path = folder / f"{seed}.onnx"
            shapes = tuple(tuple(d.dim_value for d in value.type.tensor_type.shape.dim)
                           for value in onnx.load(str(path)).graph.input)
            models.append(Model(f"random_{seed}", path, shapes, (), "", seed < first + 2))
    return models


def data_of(model: Model, samples: int, folder: pathlib.Path) -> str:
    """--calibrate of a model."""
    if isinstance(model.data, pathlib.Path):
        return str(model.data)
    random = np.random.Generator(np.random.PCG64(11))
    if isinstance(model.data[0], tuple):
        paths = []
        for i, shape in enumerate(model.data):
            paths.append(folder / f"{model.name}.{i}.npy")
            np.save(paths[-1], random.uniform(-1, 1, (samples, *shape[1:])).astype(np.float32))
        return ",".join(map(str, paths))
    # Smooth shapes rather than noise, so that every layer sees values of different sizes.
    height, width, channels = model.data
    coarse = random.integers(0, 256, (samples, 7, 7, channels), np.uint8)
    path = folder / f"{model.name}.npy"
    np.save(path, coarse.repeat(height // 7, axis=1).repeat(width // 7, axis=2))
    return str(path)


def convert(options, model: Model, folder: pathlib.Path) -> dict | None:
    command = [options.build / "bin" / "octet", "convert", model.onnx, "-o", folder / "model.octet", "--calibrate",
               data_of(model, options.samples, folder), "--samples", options.samples, "--effort", options.effort,
               "--seed", options.seed, "--threads", options.threads, "--json", *model.options]
    if model.decode:
        (folder / "decode.yaml").write_text(model.decode)
        command += ["--decode", folder / "decode.yaml"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        reason = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        print(f"# {model.name}: not converted: {reason[-1]}", flush=True)
        return None
    return json.loads(done.stdout)


def falls(reported: dict) -> bool:
    return reported["gain"] < -reported["error"] or reported["gain_db"] < -reported["error_db"]


def figures(gain: dict) -> list:
    return [f"{gain['gain']:.3g} +- {gain['error']:.2g}", f"{gain['gain_db']:.2f} +- {gain['error_db']:.2f}"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build" / "native")
    parser.add_argument("--quick", action="store_true", help="the small models alone, a few minutes")
    parser.add_argument("--models", default="", help="only those whose names contain one of these words, joined by commas")
    parser.add_argument("--samples", type=int, default=64, help="calibration samples: a quarter accepts, a quarter reports")
    parser.add_argument("--effort", default="default", choices=("fast", "default", "best"))
    parser.add_argument("--seed", type=int, default=1, help="chooses the samples where there are more")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    words = [word for word in options.models.split(",") if word]
    counted = kept = wrong = 0
    started = time.monotonic()
    print("\t".join(("model", "step", "kept", "accepted", "accepted dB", "reported", "reported dB", "verdict")))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for model in (*random_models(options, folder), *MODELS):
            if (options.quick and not model.quick) or (words and not any(word in model.name for word in words)):
                continue
            if not model.onnx.exists() or (isinstance(model.data, pathlib.Path) and not model.data.exists()):
                print(f"# {model.name}: its model or its pictures are not there")
                continue
            described = convert(options, model, folder)
            if described is None:
                continue
            counted += 1
            for step in described["recovery"]:
                verdict = "-"
                if step["kept"]:
                    kept += 1
                    wrong += falls(step["reported"])
                    verdict = "WRONG" if falls(step["reported"]) else "ok"
                accepted = figures(step["accepted"]) if step["tried"] else ["-"] * 2
                reported = figures(step["reported"]) if step["kept"] else ["-"] * 2
                print("\t".join((model.name, step["step"], "yes" if step["kept"] else "no" if step["tried"] else "not tried",
                                 *accepted, *reported, verdict)), flush=True)
            if not described["recovery"]:
                print("\t".join((model.name, *["-"] * 7)), flush=True)
    print(f"{counted} models, {kept} steps kept, {wrong} wrong ({time.monotonic() - started:.0f} s)")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
