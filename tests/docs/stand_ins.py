"""Small files under the names that the manual uses: its commands run in seconds. What the models find does not matter here."""
import pathlib
import subprocess
import wave

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

SIDE = 96
STRIDES = (8, 16, 32)
CLASSES = 80


class Graph:
    """Layers over one picture, weights from a seed."""

    def __init__(self, seed: int):
        self.random = np.random.Generator(np.random.PCG64(seed))
        self.nodes, self.weights, self.count = [], [], 0

    def constant(self, array: np.ndarray) -> str:
        self.weights.append(numpy_helper.from_array(array, f"w{len(self.weights)}"))
        return self.weights[-1].name

    def node(self, op: str, *inputs: str, name: str = "", **attributes) -> str:
        self.count += 1
        name = name or f"{op.lower()}_{self.count}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], name=name, **attributes))
        return name

    def conv(self, x: str, channels: tuple, size: int, stride: int, bias: float = 0, gain: float = 1.4, name: str = "") -> str:
        weights = self.random.normal(0, gain / np.sqrt(channels[0] * size * size), (channels[1], channels[0], size, size))
        return self.node("Conv", x, self.constant(weights.astype(np.float32)),
                         self.constant(np.full(channels[1], bias, np.float32)), name=name, strides=[stride] * 2,
                         pads=[size // 2] * 4)

    def block(self, x: str, channels: tuple, stride: int, name: str = "") -> str:
        y = self.conv(x, channels, 3, stride, name=name)
        return self.node("Mul", y, self.node("Sigmoid", y))

    def numbers(self, *values: int) -> str:
        return self.constant(np.array(values, np.int64))

    def levels(self) -> list:
        """One tensor a stride: [1, 32, 12, 12], [1, 32, 6, 6], [1, 32, 3, 3]."""
        x = self.block(self.block("images", (3, 16), 2), (16, 32), 2)
        found = []
        for stride in STRIDES:
            # As YOLOv8's last block before the neck is called.
            x = self.block(x, (32, 32), 2, name="/model.9/cv2/conv/Conv" if stride == STRIDES[-1] else "")
            found.append(x)
        return found

    def save(self, path: pathlib.Path, shape: list, **metadata: str) -> None:
        value = lambda name, dims: helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
        graph = helper.make_graph(self.nodes, path.stem, [value("images", [1, 3, SIDE, SIDE])], [value("output0", shape)],
                                  self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        helper.set_model_props(model, metadata)
        onnx.save(model, str(path))


def yolov8(path: pathlib.Path) -> None:
    """The output of YOLOv8 of 96x96 pictures: [1, 84, 189], boxes as centre and size, then a probability a class."""
    g, parts = Graph(1), []
    for level, stride in zip(g.levels(), STRIDES):
        cells = SIDE // stride
        centre = (np.arange(cells) + 0.5) * stride
        grid = np.stack([np.tile(centre, (cells, 1)), np.tile(centre[:, None], (1, cells))])[None].astype(np.float32)
        offset = g.node("Mul", g.node("Tanh", g.conv(level, (32, 2), 1, 1)), g.constant(np.float32([stride])))
        # Sizes that differ as those of a trained detector do: octet export --qdq takes no output that is a constant and a little.
        size = g.node("Mul", g.node("Sigmoid", g.conv(level, (32, 2), 1, 1, gain=6)), g.constant(np.float32([SIDE / 2])))
        # Above the threshold of a box at times, never sure: octet verify then judges the numbers.
        scores = g.node("Sigmoid", g.conv(level, (32, CLASSES), 1, 1, -1.2, 0.5))
        head = g.node("Concat", g.node("Add", offset, g.constant(grid)), size, scores, axis=1)
        parts.append(g.node("Reshape", head, g.numbers(1, 4 + CLASSES, cells * cells)))
    g.node("Concat", *parts, axis=2, name="output0")
    names = (pathlib.Path(__file__).resolve().parents[2] / "labels/coco.txt").read_text().splitlines()
    g.save(path, [1, 4 + CLASSES, sum((SIDE // stride) ** 2 for stride in STRIDES)], author="Ultralytics", task="detect",
           names=repr(dict(enumerate(names))))


def yolo26(path: pathlib.Path) -> None:
    """Finished boxes as those of YOLO26: [1, 36, 6], corners, score and class."""
    g = Graph(2)
    level = g.levels()[1]
    corner = g.node("Mul", g.node("Sigmoid", g.conv(level, (32, 2), 1, 1)), g.constant(np.float32([SIDE / 2])))
    size = g.node("Mul", g.node("Sigmoid", g.conv(level, (32, 2), 1, 1)), g.constant(np.float32([SIDE / 2])))
    scores = g.node("Sigmoid", g.conv(level, (32, CLASSES), 1, 1))
    best = g.node("ReduceMax", scores, axes=[1])
    label = g.node("Cast", g.node("ArgMax", scores, axis=1), to=TensorProto.FLOAT)
    head = g.node("Concat", corner, g.node("Add", corner, size), best, label, axis=1)
    g.node("Transpose", g.node("Reshape", head, g.numbers(1, 6, 36)), perm=[0, 2, 1], name="output0")
    g.save(path, [1, 36, 6])


def silero_vad(path: pathlib.Path) -> None:
    """Inputs, outputs and parts of Silero VAD: an If on the rate, a convolution along the sound, an LSTM with its state."""
    g = Graph(4)
    random = lambda *shape, size=0.3: g.constant(g.random.normal(0, size, shape).astype(np.float32))
    tensor = helper.make_tensor_value_info

    def branch(steps: int) -> onnx.GraphProto:
        node = helper.make_node("Identity", [f"by_{steps}"], [f"chosen_{steps}"])
        return helper.make_graph([node], f"rate_{steps}", [], [tensor(f"chosen_{steps}", TensorProto.FLOAT, ["a", "b", "c"])])

    sound = g.node("Unsqueeze", "input", g.numbers(1))
    for steps, name in ((36, "by_36"), (72, "by_72")):
        g.node("Conv", sound, random(16, 1, steps), name=name, strides=[steps])
    g.node("If", g.node("Equal", "sr", g.constant(np.int64(16000))), then_branch=branch(36), else_branch=branch(72), name="bands")
    loud = g.node("Relu", g.node("Conv", g.node("Abs", "bands"), random(32, 16, 1)))
    pooled = g.node("Unsqueeze", g.node("ReduceMean", loud, axes=[2], keepdims=0), g.numbers(0))
    states = [g.node("Unsqueeze", g.node("Gather", "state", g.constant(np.int64(i)), axis=0), g.numbers(0)) for i in range(2)]
    g.nodes.append(helper.make_node("LSTM", [pooled, random(1, 512, 32), random(1, 512, 128, size=0.04), "", "", *states],
                                    ["", "h", "c"], hidden_size=128))
    g.node("Concat", "h", "c", axis=0, name="stateN")
    row = g.node("Squeeze", "h", g.numbers(0))
    g.node("Sigmoid", g.node("MatMul", row, random(128, 1)), name="output")
    graph = helper.make_graph(
        g.nodes, "vad", [tensor("input", TensorProto.FLOAT, ["batch", "samples"]), tensor("state", TensorProto.FLOAT, [2, "batch", 128]),
                         tensor("sr", TensorProto.INT64, [])],
        [tensor("output", TensorProto.FLOAT, ["batch", 1]), tensor("stateN", TensorProto.FLOAT, [2, "batch", 128])], g.weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16)], ir_version=8), str(path))


def save_speech(path: pathlib.Path, seconds: int) -> None:
    """Noise that comes and goes, 16 bits, 16,000 samples a second."""
    count = seconds * 16000
    loud = 0.5 + 0.5 * np.sin(np.arange(count) / 8000)
    noise = np.random.Generator(np.random.PCG64(6)).normal(0, 3000, count) * loud
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1), file.setsampwidth(2), file.setframerate(16000)
        file.writeframes(np.clip(noise, -32768, 32767).astype("<i2").tobytes())


def pictures(count: int) -> np.ndarray:
    """uint8 [count, 120, 160, 3]: rectangles of one colour each on another, with noise."""
    random = np.random.Generator(np.random.PCG64(3))
    made = np.empty((count, 120, 160, 3), np.int64)
    for picture in made:
        picture[:] = random.integers(0, 256, 3)
        for _ in range(5):
            x, y = random.integers(0, 120), random.integers(0, 90)
            picture[y:y + random.integers(10, 60), x:x + random.integers(10, 80)] = random.integers(0, 256, 3)
    return np.clip(made + random.integers(-12, 13, made.shape), 0, 255).astype(np.uint8)


def save_pictures(folder: pathlib.Path, count: int) -> None:
    folder.mkdir()
    for i, picture in enumerate(pictures(count)):
        (folder / f"{i:04d}.ppm").write_bytes(b"P6\n%d %d\n255\n" % (picture.shape[1], picture.shape[0]) + picture.tobytes())


def make(folder: pathlib.Path, octet: pathlib.Path, source: pathlib.Path) -> None:
    """Everything that a page may take for granted."""
    yolov8(folder / "yolov8n.onnx")
    yolo26(folder / "yolo26n.onnx")
    (folder / "model.onnx").write_bytes((folder / "yolov8n.onnx").read_bytes())
    silero_vad(folder / "silero_vad.onnx")
    save_speech(folder / "speech.wav", 8)
    save_pictures(folder / "pictures", 20)
    np.save(folder / "array.npy", pictures(4))
    Image.fromarray(pictures(1)[0]).save(folder / "photo.jpg")
    subprocess.run([octet, "convert", folder / "model.onnx", "-o", folder / "model.octet", "--calibrate", folder / "pictures",
                    "--resize", "letterbox", "--task", "detect", "--decode", "yolov8", "--labels", source / "labels/coco.txt",
                    "--golden", "2"], check=True, stdout=subprocess.DEVNULL)
