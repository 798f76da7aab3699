#!/usr/bin/python3
"""Errors of small regressors in their tasks' units: regressors.py --ort FOLDER [--build FOLDER] [--options TEXT] [NAME...]

One picture of ../shared/zoo is varied 128 times (turned, scaled, moved, lit, with noise; fixed seeds). 64 copies calibrate,
64 others judge. Each model is converted, both plans run with octet-run, and the ONNX file with ONNX Runtime (optimisation
disabled). Detectors are converted with the decoder of their outputs (--task detect --decode), so that their task is known. The float
model's answers are the truth; of a file with QuantizeLinear those of the file without the roundings of its activations:

    hand_landmark     distance of landmarks in pixels of 224 x 224, in copies where the model is sure of a hand (0.5)
    blazeface_front   boxes of the float model that score 0.5 or more after NMS: found with IoU 0.9, mean IoU,
                      distance of their six points in pixels of 128 x 128
    yolo11n_pose_qdq  the same boxes (score 0.5), and distance of visible key points in pixels of 640 x 640
    yolox_nano        the same boxes (class and score 0.5), 416 x 416

A box is looked for among the plan's boxes of the same score (0.5), and, "from score 0.1", among those of 0.1 or more. A box that
the plan does not have counts as IoU 0. --options are given to `octet convert` as well.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import shlex
import sys
import tempfile

import numpy as np
import onnx

import truth

COPIES = 128
SCORE, ANY_SCORE, NMS_IOU, FOUND_IOU = 0.5, 0.1, 0.45, 0.9


def varied(picture: np.ndarray, count: int, seed: int, low: float, high: float, much: float) -> np.ndarray:
    """[H, W, C] to [count, H, W, C]: affine maps with bilinear samples, repeated edges; brightness, contrast and noise.
    much: 1 turns by up to 20 degrees, scales by 0.8 to 1.2 and moves by a tenth."""
    random = np.random.Generator(np.random.PCG64(seed))
    height, width, _ = picture.shape
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    y, x = y - (height - 1) / 2, x - (width - 1) / 2
    copies = []
    for _ in range(count):
        angle, zoom = np.radians(20 * much * random.uniform(-1, 1)), 1 + 0.2 * much * random.uniform(-1, 1)
        dy, dx = 0.1 * much * random.uniform(-1, 1, 2) * (height, width)
        sy = (np.cos(angle) * y + np.sin(angle) * x) / zoom + dy + (height - 1) / 2
        sx = (np.cos(angle) * x - np.sin(angle) * y) / zoom + dx + (width - 1) / 2
        if random.uniform() < 0.5:
            sx = width - 1 - sx
        sy, sx = sy.clip(0, height - 1), sx.clip(0, width - 1)
        y0, x0 = np.minimum(sy.astype(int), height - 2), np.minimum(sx.astype(int), width - 2)
        fy, fx = (sy - y0)[..., None], (sx - x0)[..., None]
        copy = ((1 - fy) * ((1 - fx) * picture[y0, x0] + fx * picture[y0, x0 + 1]) +
                fy * ((1 - fx) * picture[y0 + 1, x0] + fx * picture[y0 + 1, x0 + 1]))
        middle = (low + high) / 2
        copy = (copy - middle) * random.uniform(0.8, 1.2) + middle + (high - low) * random.uniform(-0.1, 0.1)
        copy += (high - low) * 0.02 * random.standard_normal(copy.shape)
        copies.append(copy.clip(low, high))
    return np.stack(copies).astype(np.float32)


def overlaps(boxes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """IoU of [N, 4] and [M, 4], corners."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    common = (high - low).clip(0).prod(-1)
    sizes = [(b[:, 2:] - b[:, :2]).clip(0).prod(-1) for b in (boxes, others)]
    return common / np.maximum(sizes[0][:, None] + sizes[1][None] - common, 1e-9)


def keep_best(boxes, scores, points, classes, least):
    """NMS by class of what scores `least` or more."""
    kept = []
    for i in np.argsort(-scores, kind="stable"):
        if scores[i] < least:
            break
        if all(classes[i] != classes[j] or overlaps(boxes[i:i + 1], boxes[j:j + 1])[0, 0] <= NMS_IOU for j in kept):
            kept.append(i)
    return boxes[kept], points[kept], classes[kept]


def corners(centre: np.ndarray, size: np.ndarray) -> np.ndarray:
    return np.concatenate([centre - size / 2, centre + size / 2], axis=-1)


def decode_blazeface(outputs, least=SCORE):
    """896 anchors of size 1: 2 at each place of 16 x 16, 6 at each of 8 x 8."""
    places = []
    for side, each in ((16, 2), (8, 6)):
        at = (np.arange(side) + 0.5) * 128 / side
        places.append(np.repeat(np.stack(np.meshgrid(at, at), -1).reshape(-1, 2), each, axis=0))
    anchors = np.concatenate(places)
    logits = np.concatenate([outputs[0].reshape(-1), outputs[1].reshape(-1)])
    values = np.concatenate([outputs[2].reshape(-1, 16), outputs[3].reshape(-1, 16)])
    points = values[:, 4:].reshape(-1, 6, 2) + anchors[:, None]
    scores = 1 / (1 + np.exp(-logits.clip(-80, 80)))
    return keep_best(corners(values[:, :2] + anchors, values[:, 2:4]), scores, points, np.zeros(len(scores), int), least)


def decode_pose(outputs, least=SCORE):
    rows = outputs[0].reshape(56, -1).T
    points = rows[:, 5:].reshape(-1, 17, 3)
    return keep_best(corners(rows[:, :2], rows[:, 2:4]), rows[:, 4], points, np.zeros(len(rows), int), least)


def decode_yolox(outputs, least=SCORE):
    rows, places, strides = outputs[0].reshape(-1, 85), [], []
    for stride in (8, 16, 32):
        at = np.arange(416 // stride)
        places.append(np.stack(np.meshgrid(at, at), -1).reshape(-1, 2))
        strides.append(np.full((len(places[-1]), 1), stride))
    stride = np.concatenate(strides)
    centre, size = (rows[:, :2] + np.concatenate(places)) * stride, np.exp(rows[:, 2:4]) * stride
    scores = rows[:, 4] * rows[:, 5:].max(1)
    return keep_best(corners(centre, size), scores, np.zeros((len(rows), 0, 2)), rows[:, 5:].argmax(1), least)


def box_figures(decode):
    def figures(wanted, got) -> dict:
        """Both: [samples][outputs] of flat arrays."""
        best, best_of_all, distances = [], [], []
        for w, g in zip(wanted, got):
            (boxes, points, classes), (others, other_points, other_classes) = decode(w), decode(g)
            table = overlaps(boxes, others) * (classes[:, None] == other_classes[None])
            more, _, more_classes = decode(g, ANY_SCORE)
            best_of_all += list((overlaps(boxes, more) * (classes[:, None] == more_classes[None])).max(1, initial=0))
            for i, row in enumerate(table):
                at = int(row.argmax()) if len(row) else -1
                best.append(row[at] if len(row) else 0.0)
                if at < 0 or row[at] < 0.5:
                    continue
                seen = points[i][:, 2] >= 0.5 if points.shape[-1] == 3 else slice(None)
                distances += list(np.linalg.norm(points[i][seen][:, :2] - other_points[at][seen][:, :2], axis=-1))
        best = np.array(best)
        result = {"boxes": len(best), "found at IoU 0.9": int((best >= FOUND_IOU).sum()),
                  "from score 0.1": int((np.array(best_of_all) >= FOUND_IOU).sum()), "mean IoU": round(float(best.mean()), 4)}
        if distances:
            result["points, px"] = round(float(np.mean(distances)), 3)
        return result
    return figures


def landmark_figures(wanted, got) -> dict:
    sure = [i for i, w in enumerate(wanted) if w[1][0] >= SCORE]
    distances = np.array([np.linalg.norm((wanted[i][0] - got[i][0]).reshape(21, 3)[:, :2], axis=-1) for i in sure])
    return {"hands": len(sure), "points, px": round(float(distances.mean()), 3),
            "95 % below, px": round(float(np.quantile(distances, 0.95)), 3)}


# Name: the picture's file, layout, range of values, how much copies vary, and the figures.
MODELS = {
    "hand_landmark": ("ref/0/input_0.npy", "NCHW", (0, 1), 1.0, landmark_figures),
    "blazeface_front": ("ref/0/input_0.npy", "NHWC", (-1, 1), 0.5, box_figures(decode_blazeface)),
    "yolo11n_pose_qdq": ("ref/0/images_u8_nhwc.npy", "u8", (0, 1), 0.5, box_figures(decode_pose)),
    "yolox_nano": ("ref/0/input_0.npy", "NCHW", (0, 255), 0.5, box_figures(decode_yolox)),
}
DECODE = {"blazeface_front": "blazeface", "yolo11n_pose_qdq": "yolo11-pose", "yolox_nano": "yolox"}
PICTURE = {"blazeface_front": 1, "yolo11n_pose_qdq": 1}  # the first one has no face or one person that scores 0.5


def copies_of(name: str) -> np.ndarray:
    """[COPIES, ...] in the layout of the model's input."""
    file, layout, (low, high), much, _ = MODELS[name]
    picture = np.load(truth.SHARED / "zoo" / name / file)[PICTURE.get(name, 0)].astype(np.float64)
    if layout == "u8":
        picture = picture / 255
    elif layout == "NCHW":
        picture = picture.transpose(1, 2, 0)
    copies = varied(picture, COPIES, 1, low, high, much)
    return copies if layout == "NHWC" else np.ascontiguousarray(copies.transpose(0, 3, 1, 2))


def unrounded(model):
    """Without the pairs of QuantizeLinear and DequantizeLinear behind activations. Weights stay as their codes say."""
    constants = {t.name for t in model.graph.initializer}
    quantized = {n.output[0]: n.input[0] for n in model.graph.node if n.op_type == "QuantizeLinear" and n.input[0] not in constants}
    for node in model.graph.node:
        if node.op_type == "DequantizeLinear" and node.input[0] in quantized:
            node.op_type, node.input[:] = "Identity", [quantized[node.input[0]]]
    kept = [n for n in model.graph.node if n.op_type != "QuantizeLinear" or n.output[0] not in quantized]
    del model.graph.node[:]
    model.graph.node.extend(kept)
    return len(quantized) > 0


def measure(measured: truth.Truth, name: str, extra: list) -> dict:
    copies, half = copies_of(name), COPIES // 2
    calibrate, judge = measured.folder / "calibrate.npy", measured.folder / "judge.npy"
    np.save(calibrate, copies[:half])
    np.save(judge, copies[half:])
    case = truth.Case(name, truth.SHARED / "zoo" / name / "model.onnx", [copies])
    exact = onnx.load(str(case.model))
    if unrounded(exact):
        onnx.save(exact, str(measured.folder / "unrounded.onnx"))
        case = dataclasses.replace(case, model=measured.folder / "unrounded.onnx")
    wanted, names = measured.onnx_runtime(case, [copies[half:]])
    blob = measured.folder / "m.octet"
    blob.unlink(missing_ok=True)
    task = ("--task", "detect", "--decode", DECODE[name]) if name in DECODE else ()
    made = measured.call(measured.build / "bin/octet", "convert", truth.SHARED / "zoo" / name / "model.onnx", "-o", blob, "--calibrate", calibrate, "--scale", "1",
                         "--json", *task, *extra)
    if made.returncode != 0:
        raise RuntimeError(made.stderr.strip().splitlines()[-1][:200])
    rows = {}
    for plan in ("int8", "fp16"):
        out = measured.folder / f"{plan}.npy"
        done = measured.call(measured.build / "bin/octet-run", blob, "--plan", plan, "--output", out, "--input", judge)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip()[-200:])
        got = [np.load(out if len(names) == 1 else measured.folder / f"{plan}.{i}.npy").reshape(half, -1) for i in range(len(names))]
        rows[plan] = MODELS[name][4]([[w[i] for w in wanted] for i in range(half)], [[g[i] for g in got] for i in range(half)])
        rows[plan]["snr_db"] = [round(truth.figure_db(w, g.astype(np.float64)), 1) for w, g in zip(wanted, got)]
    document = json.loads(made.stdout)
    for plan in document["plans"]:
        rows[plan["name"]]["arena"] = plan["arena_bytes"]
    rows["notes"] = document["verdict"]["notes"]
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[[], *MODELS], help="these models alone")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/native"))
    parser.add_argument("--ort", default=os.environ.get("OCTET_ORT", ""), help="folder of `npm install onnxruntime-node`")
    parser.add_argument("--options", default="", help="options for `octet convert`")
    options = parser.parse_args()
    if not options.ort:
        parser.error("--ort names no folder, nor does OCTET_ORT")
    if not (truth.SHARED / "zoo").exists():
        print("../shared/zoo is absent: nothing to measure")
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        measured = truth.Truth(options.build.resolve(), options.ort, pathlib.Path(scratch))
        for name in options.names or MODELS:
            rows = measure(measured, name, shlex.split(options.options))
            for plan in ("int8", "fp16"):
                print(f"{name:<18} {plan:<5} " + ", ".join(f"{what} {value}" for what, value in rows[plan].items()), flush=True)
            for note in rows["notes"]:
                print("    " + note, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
