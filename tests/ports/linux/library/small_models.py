"""Small models of every task as blobs, for tests of the library: what they find does not matter, only that it is something."""
import pathlib
import subprocess

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LABELS = ("round", "square", "crème")
DECODE = """layout: planes
channels: [box, class, points, mask]
strides: [16]
box: {form: distances, cell_offset: 0.5}
class: {activation: sigmoid, count: 3}
points: {numbers: 3}
score_threshold: 0.4
iou_threshold: 0.5
"""
# Letterbox is the resize with an offset to be undone.
OPTIONS = {
    "detect": ("--resize", "letterbox", "--task", "detect", "--decode", "decode.yaml", "--labels", "labels.txt"),
    "segment": ("--task", "segment", "--labels", "labels.txt"),
    "classify": ("--task", "classify", "--labels", "labels.txt"),
    "text": ("--task", "text", "--labels", "labels.txt"),
    "plain": (),
    "states": ("--sequences", "8,8,8,8", "--golden", "3", "--task", "classify", "--labels", "labels.txt"),
}


class Graph:
    """Convolutions over one picture, weights from a seed."""

    def __init__(self, seed: int):
        self.random = np.random.Generator(np.random.PCG64(seed))
        self.nodes, self.weights = [], []

    def constant(self, name: str, array: np.ndarray) -> str:
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def node(self, op: str, inputs: list, output: str, **attributes) -> str:
        self.nodes.append(helper.make_node(op, inputs, [output], name=output, **attributes))
        return output

    def conv(self, x: str, output: str, channels: tuple, size: int, bias: np.ndarray, gain: float = 1) -> str:
        """channels: (in, out); windows of size x size side by side."""
        weights = self.random.normal(0, gain / np.sqrt(channels[0] * size * size), (channels[1], channels[0], size, size))
        names = [self.constant(output + "_w", weights.astype(np.float32)),
                 self.constant(output + "_b", bias.astype(np.float32))]
        return self.node("Conv", [x, *names], output, strides=[size] * 2)

    def features(self) -> str:
        """[1, 8, 16, 16]"""
        return self.node("Relu", [self.conv("image", "early", (3, 8), 4, np.zeros(8), 3)], "features")


def detector(g: Graph) -> dict:
    """Boxes of about 30 pixels a side with two key points and a mask, from a picture of 64x64."""
    features = g.features()
    bias = np.array([1.0] * 4 + [-0.3] * 3 + [0.0] * 6 + [0.0] * 4)  # distances in strides
    head = g.conv(features, "head", (8, 17), 4, bias)
    g.node("Reshape", [head, g.constant("flat", np.array([1, 17, 16]))], "boxes")
    g.conv(features, "protos", (8, 4), 1, np.zeros(4), 3)
    return {"boxes": [1, 17, 16], "protos": [1, 4, 16, 16]}


def segmenter(g: Graph) -> dict:
    g.conv(g.features(), "scores", (8, 3), 1, np.zeros(3), 3)
    return {"scores": [1, 3, 16, 16]}


def classifier(g: Graph) -> dict:
    pooled = g.node("GlobalAveragePool", [g.features()], "pooled")
    g.node("Flatten", [g.conv(pooled, "last", (8, 3), 1, np.zeros(3), 3)], "scores")
    return {"scores": [1, 3]}


def reader(g: Graph) -> dict:
    """Scores of three characters and the blank, which is the first, in 16 steps."""
    columns = g.node("ReduceMean", [g.features()], "columns", axes=[2], keepdims=1)
    g.conv(columns, "scores", (8, 4), 1, np.array([-2, 0, 0, 0]), 3)
    return {"scores": [1, 4, 1, 16]}


def recurrent(g: Graph) -> dict:
    """h' = tanh(features) * 0.5 + h * 0.5, and scores of h'."""
    g.constant("half", np.array([0.5], np.float32))
    fresh = g.node("Mul", [g.node("Tanh", [g.features()], "candidate"), "half"], "fresh")
    g.node("Add", [fresh, g.node("Mul", ["h", "half"], "kept")], "h_out")
    pooled = g.node("GlobalAveragePool", ["h_out"], "pooled")
    g.node("Flatten", [g.conv(pooled, "last", (8, 3), 1, np.zeros(3), 3)], "scores")
    return {"scores": [1, 3], "h_out": STATE}


STATE = [1, 8, 16, 16]
MAKERS = {"detect": detector, "segment": segmenter, "classify": classifier, "text": reader, "plain": classifier, "states": recurrent}


def pictures(seed: int, count: int, height: int, width: int) -> np.ndarray:
    """uint8 [count, height, width, 3], of blocks rather than noise."""
    coarse = np.random.Generator(np.random.PCG64(seed)).integers(0, 256, (count, -(-height // 8), -(-width // 8), 3), np.uint8)
    return np.ascontiguousarray(coarse.repeat(8, axis=1).repeat(8, axis=2)[:, :height, :width])


def make(build: pathlib.Path, work: pathlib.Path, task: str) -> pathlib.Path:
    """A blob with the plans int8 and fp16; "plain" has no task."""
    g = Graph(5)
    outputs = MAKERS[task](g)
    value = helper.make_tensor_value_info
    states = [value("h", TensorProto.FLOAT, STATE)] if task == "states" else []
    graph = helper.make_graph(g.nodes, task, [value("image", TensorProto.FLOAT, [1, 3, 64, 64]), *states],
                              [value(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()], g.weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), work / f"{task}.onnx")
    np.save(work / "calibration.npy", pictures(1, 32, 64, 64))
    (work / "decode.yaml").write_text(DECODE)
    (work / "labels.txt").write_text("".join(f"{label}\n" for label in LABELS))
    done = subprocess.run([build / "bin/octet", "convert", f"{task}.onnx", "-o", f"{task}.octet", "--calibrate",
                           "calibration.npy", *OPTIONS[task]], cwd=work, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return work / f"{task}.octet"
