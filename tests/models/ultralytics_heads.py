#!/usr/bin/env python3
"""Random models with the heads and the metadata of Ultralytics' exporter, converted with two arguments, against known answers.

Tasks detect, segment, pose and classify; raw heads and finished boxes (end to end); 1 to 3 classes; 1 to 22 key points of 2 or 3 numbers;
fixed and dynamic inputs; names as dictionary, list, numbers or with escapes. The graph adds a constant, which has some objects in it, to a
small convolution of the picture; NumPy computes the same. Of each model that is right:

  both plans find the same number of boxes, with the same classes, labels and numbers of key points;
  boxes and points are at most 1.5 pixels away in INT8, 0.25 in FP16; the blob has the names of the key points;
  a dynamic file is refused first, with the metadata's size in the line.

A quarter contradict themselves: each has to be refused (status 2) by a line that names the metadata, and leaves no blob.
--seed and --count choose the models; one that fails is named with its seed.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LIMIT = {"int8": 1.5, "fp16": 0.25}
PICTURES = 8
ON, OFF = 3.5, -6.0  # logits of objects, and of all else
WORDS = ["person", "it's", 'say "cheese"', "tab\there", "b\u00e4r", "a\\b", "0", "traffic light", "\u732b"]
MASKS = 32
GAIN = 8.0  # of a classifier's logits


class Model:
    """One model, its metadata, and what has to be found."""

    def __init__(self, seed: int):
        self.r = random.Random(seed)
        self.n = np.random.default_rng(seed)
        r = self.r
        self.task = r.choice(["detect", "segment", "pose", "pose", "classify"])
        self.finished = self.task != "classify" and r.random() < 0.4
        self.classes = r.randint(2, 3) if self.task == "classify" else r.randint(1, 3)
        self.points, self.numbers = (r.randint(1, 22), r.choice([2, 3])) if self.task == "pose" else (0, 0)
        self.dynamic = r.random() < 0.25
        self.height, self.width = r.choice([(64, 64), (64, 64), (64, 96), (96, 64)])
        self.names = r.sample(WORDS, self.classes)
        self.extra = self.points * self.numbers or (MASKS if self.task == "segment" else 0)
        self.cells = [(x, y, s) for s in (8, 16, 32) for y in range(self.height // s) for x in range(self.width // s)]
        if self.finished:
            self.cells = self.cells[:r.randint(40, 60)]
        self.metadata = self.exported()
        self.contradiction = self.contradict() if seed % 4 == 3 else ""
        if self.task == "classify":
            self.build_classifier()
        else:
            self.plant()
            self.build_detector()

    # -- metadata -------------------------------------------------------------------------------------------------------------

    def exported(self) -> dict:
        r = self.r
        form = r.choice(["dictionary", "dictionary", "list", "json"])
        numbers = [int(name) if name == "0" and r.random() < 0.5 else name for name in self.names]
        names = {"dictionary": repr(dict(enumerate(numbers))), "list": repr(numbers),
                 "json": json.dumps({str(i): name for i, name in enumerate(self.names)})}[form]
        said = {"description": "Ultralytics YOLO model", "author": "Ultralytics", "date": "2026-07-21", "version": "8.4.1", "stride": "32",
                "task": self.task, "batch": "1", "imgsz": repr([self.height, self.width]), "names": names,
                "args": "{'batch': 1, 'half': False, 'dynamic': %r, 'simplify': True, 'opset': None, 'nms': False}" % self.dynamic}
        if r.random() < 0.7:
            said["channels"] = "3"
        if self.finished or r.random() < 0.6:
            said["end2end"] = repr(self.finished)
        if self.task == "pose":
            said["kpt_shape"] = repr([self.points, self.numbers])
            self.point_names = [f"p{i}" for i in range(self.points)] if r.random() < 0.5 else None
            if self.point_names:
                said["kpt_names"] = repr(r.choice([self.point_names, {i: self.point_names for i in range(self.classes)}]))
        return said

    def contradict(self) -> str:
        """Changes one field so that it cannot be right; returns its name."""
        fields = ["task", "end2end"] if self.task != "classify" else ["task"]
        fields += [] if self.finished else ["names"]
        fields += [] if self.dynamic else ["imgsz", "channels"]
        fields += ["kpt_shape"] if self.task == "pose" else []
        fields += ["kpt_names"] if self.task == "pose" else []
        field = self.r.choice(fields)
        self.metadata[field] = {
            "task": {"detect": "pose", "segment": "detect", "pose": "detect", "classify": "detect"}[self.task],
            "end2end": repr(not self.finished),
            "names": repr(dict(enumerate(self.names + ["one more"]))),
            "imgsz": repr([self.height * 2, self.width]),
            "channels": "1",
            "kpt_shape": repr([self.points + 1, self.numbers]),
            "kpt_names": repr([f"p{i}" for i in range(self.points + 1)])}[field]
        return field

    # -- objects --------------------------------------------------------------------------------------------------------------

    def plant(self) -> None:
        """Constant numbers of each candidate: distances (as logits of softplus), scores, extras."""
        r = self.r
        count, score_count = len(self.cells), 1 if self.finished else self.classes
        self.base = np.zeros((4 + score_count + (1 if self.finished else 0) + self.extra, count), np.float32)
        self.base[:4] = 0.5
        self.base[4:4 + score_count] = OFF
        self.base[4 + score_count:] = self.n.normal(0, 0.3, self.base[4 + score_count:].shape)
        if self.finished:
            self.base[5] = self.n.integers(0, self.classes, count)
        self.objects, quarters = {}, set()
        for cell in r.sample(range(count), count):
            x, y, stride = self.cells[cell]
            middle = ((x + 0.5) * stride, (y + 0.5) * stride)
            quarter = (int(middle[0] // 32), int(middle[1] // 32))
            inside = all(8 <= at % 32 <= 24 for at in middle)
            # Key points are int8 numbers of cells before they are multiplied by the stride: at 16 a step is a pixel, which is the limit here.
            if stride > (8 if self.task == "pose" else 16) or not inside or quarter in quarters or len(quarters) == 3:
                continue
            quarters.add(quarter)
            label = r.randrange(self.classes)
            self.objects[cell] = label
            distances = np.array([r.uniform(5, 9) for _ in range(4)]) / stride
            self.base[:4, cell] = np.log(np.expm1(distances))
            if self.finished:
                self.base[4, cell], self.base[5, cell] = ON, label
            else:
                self.base[4 + label, cell] = ON
            for k in range(self.points):
                first = len(self.base) - self.extra + k * self.numbers
                self.base[first:first + 2, cell] = [r.uniform(-6, 6) / (2 * stride) for _ in range(2)]
        assert self.objects

    # -- the graph ------------------------------------------------------------------------------------------------------------

    def constant(self, name: str, value, kind=np.float32) -> str:
        self.initialisers.append(numpy_helper.from_array(np.asarray(value, kind), name))
        return name

    def node(self, op: str, inputs: list, outputs, **attributes):
        outputs = [outputs] if isinstance(outputs, str) else outputs
        self.nodes.append(helper.make_node(op, inputs, outputs, **attributes))
        return outputs[0] if len(outputs) == 1 else outputs

    def finish(self, outputs: list) -> None:
        shape = ["batch", 3, "height", "width"] if self.dynamic else [1, 3, self.height, self.width]
        image = helper.make_tensor_value_info("images", TensorProto.FLOAT, shape)
        ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
        graph = helper.make_graph(self.nodes, "heads", [image], ports, self.initialisers)
        self.onnx = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        for key, value in self.metadata.items():
            self.onnx.metadata_props.add(key=key, value=value)

    def convolution(self, channels: int, stride: int, spread: float) -> np.ndarray:
        return self.n.normal(0, spread / (0.3 * stride * 3 ** 0.5), (channels, 3, stride, stride)).astype(np.float32)

    def build_classifier(self) -> None:
        self.nodes, self.initialisers = [], []
        self.weights = self.convolution(self.classes, 32, 1.0)
        raw = self.node("Conv", ["images", self.constant("w", self.weights)], "c", strides=[32, 32])
        mean = self.node("GlobalAveragePool", [raw], "m")
        flat = self.node("Flatten", [mean], "f")
        scaled = self.node("Mul", [flat, self.constant("k", GAIN)], "l")
        self.finish([self.node("Softmax", [scaled], "output0", axis=1)])

    def build_detector(self) -> None:
        self.nodes, self.initialisers = [], []
        channels, count = self.base.shape
        self.weights = self.convolution(channels, 8, 0.05)
        eight = self.node("Conv", ["images", self.constant("w", self.weights)], "c8", strides=[8, 8])
        levels = [eight, self.node("MaxPool", [eight], "c16", kernel_shape=[2, 2], strides=[2, 2]),
                  self.node("MaxPool", [eight], "c32", kernel_shape=[4, 4], strides=[4, 4])]
        shape = self.constant("flat", [1, channels, -1], np.int64)
        joined = self.node("Concat", [self.node("Reshape", [level, shape], f"q{i}") for i, level in enumerate(levels)], "joined", axis=2)
        if self.finished:
            begin, end, axis = (self.constant(name, [value], np.int64) for name, value in (("b", 0), ("e", count), ("ax", 2)))
            joined = self.node("Slice", [joined, begin, end, axis], "first")
        raw = self.node("Add", [joined, self.constant("base", self.base[None])], "raw")
        grid = np.array(self.cells, np.float32).T
        middles = self.constant("middles", (grid[:2] + 0.5)[None])
        strides = self.constant("strides", grid[2:][None])
        scores = len(self.base) - 4 - self.extra
        parts = [4, 1, 1] if self.finished else [4, scores]
        split = self.constant("split", parts + [self.extra] * (self.extra > 0), np.int64)
        parted = self.node("Split", [raw, split], ["box", "score", *(["number"] if self.finished else []), *(["extra"] if self.extra else [])],
                           axis=1)
        positive = self.node("Softplus", ["box"], "positive")
        low, high = self.node("Split", [positive, self.constant("halves", [2, 2], np.int64)], ["lt", "rb"], axis=1)
        low, high = self.node("Sub", [middles, low], "low"), self.node("Add", [middles, high], "high")
        if self.finished:
            box = self.node("Concat", [low, high], "corners", axis=1)
        else:
            centre = self.node("Mul", [self.node("Add", [low, high], "sum"), self.constant("half", 0.5)], "centre")
            box = self.node("Concat", [centre, self.node("Sub", [high, low], "size")], "cxcywh", axis=1)
        pieces = [self.node("Mul", [box, strides], "pixels"), self.node("Sigmoid", ["score"], "scores")]
        if self.finished:
            pieces.append(self.node("Round", [self.node("Clip", ["number", self.constant("zero", 0.0),
                                                                 self.constant("most", float(self.classes - 1))], "clipped")], "index"))
        if self.task == "pose":
            pieces.append(self.key_points(middles, strides, count))
        elif self.extra:
            pieces.append("extra")
        assert len(parted) == 2 + self.finished + (self.extra > 0)
        if self.finished:
            planes = self.node("Concat", pieces, "planes", axis=1)
            outputs = [self.node("Transpose", [planes], "output0", perm=[0, 2, 1])]
        else:
            outputs = [self.node("Concat", pieces, "output0", axis=1)]
        if self.task == "segment":
            outputs.append(self.node("Conv", ["images", self.constant("pw", self.convolution(MASKS, 4, 0.5))], "output1", strides=[4, 4]))
        self.finish(outputs)

    def key_points(self, middles: str, strides: str, count: int) -> str:
        """As the exporter writes it: (2 v + cell) * stride, the visibility by a sigmoid."""
        shape = self.constant("by_point", [1, self.points, self.numbers, count], np.int64)
        each = self.node("Reshape", ["extra", shape], "each")
        if self.numbers == 3:
            each, seen = self.node("Split", [each, self.constant("xyv", [2, 1], np.int64)], ["xy", "v"], axis=2)
        twice = self.node("Mul", [each, self.constant("two", 2.0)], "twice")
        placed = self.node("Mul", [self.node("Add", [twice, middles], "in_cells"), strides], "placed")
        if self.numbers == 3:
            placed = self.node("Concat", [placed, self.node("Sigmoid", [seen], "seen")], "with_seen", axis=2)
        return self.node("Reshape", [placed, self.constant("flat_points", [1, -1, count], np.int64)], "points")

    # -- answers --------------------------------------------------------------------------------------------------------------

    def picture(self) -> np.ndarray:
        """Noise around a colour."""
        colour = self.n.integers(40, 216, 3)
        return np.clip(self.n.normal(colour, 40, (self.height, self.width, 3)), 0, 255).astype(np.uint8)

    def answers(self, picture: np.ndarray):
        """[(class, box, points)], or the class scores."""
        x = (picture.astype(np.float32) / 255).transpose(2, 0, 1)
        stride = self.weights.shape[2]
        blocks = x.reshape(3, self.height // stride, stride, self.width // stride, stride)
        raw = np.einsum("oikl,ihkwl->ohw", self.weights, blocks)
        if self.task == "classify":
            logits = GAIN * raw.mean((1, 2))
            return np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
        pool = lambda a, k: a.reshape(len(a), a.shape[1] // k, k, a.shape[2] // k, k).max((2, 4))  # noqa: E731
        levels = [level.reshape(len(raw), -1) for level in (raw, pool(raw, 2), pool(raw, 4))]
        numbers = np.concatenate(levels, 1)[:, :len(self.cells)] + self.base
        found = []
        for cell, label in self.objects.items():
            x, y, stride = self.cells[cell]
            middle, v = np.array([x + 0.5, y + 0.5]), numbers[:, cell]
            distances = np.log1p(np.exp(v[:4]))
            box = np.concatenate([middle - distances[:2], middle + distances[2:]]) * stride
            points = v[len(v) - self.extra:].reshape(-1, self.numbers)[:, :2] * 2 + middle if self.points else np.zeros((0, 2))
            limit = np.array([self.width, self.height])
            found.append((label, np.clip(box, 0, np.tile(limit, 2)), np.clip(points * stride, 0, limit)))
        return found


def convert(octet: pathlib.Path, work: pathlib.Path, *more) -> subprocess.CompletedProcess:
    (work / "m.octet").unlink(missing_ok=True)
    return subprocess.run([octet, "convert", "m.onnx", "pictures", "-o", "m.octet", "--effort", "fast", *more], cwd=work,
                          capture_output=True, text=True)


def compare(model: Model, plan: str, result: dict, picture: np.ndarray) -> None:
    wanted = model.answers(picture)
    if model.task == "classify":
        best = result["classes"][0]
        if np.sort(wanted)[-1] - np.sort(wanted)[-2] < 0.3:
            return  # too close to call in 8 bits
        model.compared += 1
        assert best["class"] == int(np.argmax(wanted)), f"{plan}: class {best['class']}, scores are {wanted}"
        assert best["label"] == model.names[best["class"]], f"{plan}: label {best['label']!r}"
        return
    found = result["detections"]
    model.compared += 1
    assert len(found) == len(wanted), f"{plan}: {len(found)} boxes, {len(wanted)} are right"
    for label, box, points in wanted:
        one = min(found, key=lambda d: np.abs(np.array(d["box"]) - box).max())
        assert one["class"] == label, f"{plan}: class {one['class']}, {label} is right"
        assert one["label"] == model.names[label], f"{plan}: label {one['label']!r}, {model.names[label]!r} is right"
        away = np.abs(np.array(one["box"]) - box).max()
        mine = np.array(one.get("points", [])).reshape(-1, 3)
        assert len(mine) == len(points), f"{plan}: {len(mine)} key points, {len(points)} are right"
        if len(points):
            away = max(away, np.abs(mine[:, :2] - points).max())
        # Numbers are printed with one digit behind the point.
        assert away <= LIMIT[plan] + 0.05, f"{plan}: {away:.2f} pixels away"


def check(seed: int, programs: pathlib.Path, work: pathlib.Path) -> str:
    """What the model was; raises AssertionError where the answer is wrong."""
    model = Model(seed)
    (work / "pictures").mkdir(exist_ok=True)
    pictures = [model.picture() for _ in range(PICTURES)]
    for i, picture in enumerate(pictures):
        (work / f"pictures/{i}.ppm").write_bytes(b"P6 %d %d 255\n" % (model.width, model.height) + picture.tobytes())
    onnx.save(model.onnx, str(work / "m.onnx"))
    octet, shape = programs / "octet", f"images:1,3,{model.height},{model.width}"
    text = (f"{model.task}{', finished' if model.finished else ''}, {model.classes} classes, {model.points} points of {model.numbers}"
            f"{', dynamic' if model.dynamic else ''}{', contradicts itself in ' + model.contradiction if model.contradiction else ''}")
    done = convert(octet, work)
    if model.dynamic:
        assert done.returncode == 2 and f"--input-shape {shape}" in done.stderr, f"dynamic: status {done.returncode}: {done.stderr}"
        done = convert(octet, work, "--input-shape", shape)
    if model.contradiction:
        assert done.returncode == 2, f"contradicts itself in {model.contradiction}: status {done.returncode}"
        assert "metadata" in done.stderr.splitlines()[-1] and not (work / "m.octet").exists(), done.stderr
        return text
    assert done.returncode == 0, f"status {done.returncode}: {done.stderr}"
    if model.task == "pose":
        about = json.loads(subprocess.run([octet, "inspect", "m.octet", "--json"], cwd=work, capture_output=True, text=True, check=True).stdout)
        lists = about["point_names"] or [None]
        assert all(names == model.point_names for names in lists), f"names of key points: {about['point_names']}"
    for plan in LIMIT:
        ran = subprocess.run([programs / "octet-run", "m.octet", "--input", "pictures", "--plan", plan, "--json"], cwd=work,
                             capture_output=True, text=True)
        assert ran.returncode == 0, f"{plan}: status {ran.returncode}: {ran.stderr}"
        model.compared = 0
        for result, picture in zip(json.loads(ran.stdout)["results"], pictures):
            compare(model, plan, result, picture)
        assert model.compared > 0, f"{plan}: no picture has a clear answer"
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build/native")
    parser.add_argument("--seed", type=int, default=1, help="of the first model")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--verbose", action="store_true", help="print each model")
    options = parser.parse_args()
    programs, failed = options.build.resolve() / "bin", 0
    with tempfile.TemporaryDirectory(prefix="octet-heads-") as folder:
        for seed in range(options.seed, options.seed + options.count):
            work = pathlib.Path(folder) / str(seed)
            work.mkdir()
            try:
                text = check(seed, programs, work)
                if options.verbose:
                    print(f"seed {seed}: {text}", flush=True)
            except AssertionError as error:
                failed += 1
                print(f"seed {seed} FAILED: {error}", flush=True)
    print(f"{options.count - failed} of {options.count} are right")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
