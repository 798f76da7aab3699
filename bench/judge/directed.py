"""Small graphs for faults.py, each made so that one kind of fault shows in its output.

`cases(FOLDER)` writes the ONNX files into FOLDER and gives truth.Case objects named "directed/NAME". Inputs are uniform in
-1 .. 3: no zero point is at the middle of the codes, and none at their ends.
"""
import pathlib
import sys

import numpy as np

import truth

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import onnx_graph  # noqa: E402

SAMPLES, LOW, HIGH = 16, -1.0, 3.0


class Graph(onnx_graph.Graph):
    def conv(self, x: str, ins: int, outs: int, kernel=3, bias=0.3, group=1, **attributes) -> str:
        depth = ins // group * kernel * kernel
        attributes.setdefault("pads", [kernel // 2] * 4)
        return self.add("Conv", x, self.normal(outs, ins // group, kernel, kernel, scale=depth ** -0.5),
                        self.normal(outs, scale=bias), group=group, kernel_shape=[kernel, kernel], **attributes)

    def norm(self, x: str, channels: int) -> str:
        return self.add("BatchNormalization", x, self.uniform(0.3, 2.0, channels), self.normal(channels),
                        self.normal(channels), self.uniform(0.2, 4.0, channels))

    def write(self, file: pathlib.Path, output: str) -> list:
        self.save(file, "directed", output)
        return [self.random.uniform(LOW, HIGH, [SAMPLES, *shape[1:]]).astype(np.float32) for _, shape in self.inputs]


# Each takes a Graph and gives the name of the output.
def norm_behind(g):
    return g.norm(g.conv(g.input(6, 8, 8), 6, 10), 10)


def norm_in_front(g):
    x = g.add("LeakyRelu", g.conv(g.input(6, 8, 8), 6, 10), alpha=0.2)
    return g.conv(g.norm(x, 10), 10, 8, pads=[0, 0, 0, 0])


def transposed(g):
    x = g.conv(g.input(4, 5, 6), 4, 6)
    return g.add("ConvTranspose", x, g.normal(6, 5, 3, 3, scale=0.2), g.normal(5, scale=0.2), kernel_shape=[3, 3],
                 strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1])


def transposed_without_pads(g):
    x = g.conv(g.input(4, 5, 6), 4, 6)
    return g.add("ConvTranspose", x, g.normal(6, 5, 4, 4, scale=0.2), kernel_shape=[4, 4], strides=[2, 2], pads=[0, 0, 2, 2])


def two_transpositions(g):
    # Two that do not commute, of equal dimensions: in the wrong order they still fit.
    x = g.conv(g.input(4, 8, 8), 4, 8)
    y = g.add("Transpose", g.add("Transpose", x, perm=[0, 2, 1, 3]), perm=[0, 1, 3, 2])
    return g.add("Mul", y, g.uniform(0.1, 2.0, 8, 8, 8))


def gemm(g):
    y = g.add("Gemm", g.input(12), g.normal(12, 12, scale=0.3), g.normal(12, scale=0.3), alpha=0.25)
    return g.add("Gemm", g.add("Relu", y), g.normal(10, 12, scale=0.3), transB=1)


def matmul(g):
    return g.add("MatMul", g.input(7, 9), g.normal(9, 9, scale=0.4))


def pad_in_front(g):
    x = g.add("Relu", g.conv(g.input(4, 6, 6), 4, 6))
    y = g.add("Pad", x, g.constant(np.array([0, 0, 2, 0, 0, 0, 0, 1], np.int64)))
    return g.conv(y, 6, 8, pads=[0, 0, 0, 0])


def difference_of_constant(g):
    return g.conv(g.add("Sub", g.input(4, 6, 6), g.uniform(0.5, 2.0, 4, 1, 1)), 4, 6, pads=[0, 0, 0, 0])


def parts(g):
    x = g.conv(g.input(4, 6, 6), 4, 8)
    a, b = g.add("Split", x, outputs=2, axis=1)
    return g.add("Sub", a, g.add("Relu", b))


def clip(g):
    x = g.add("Clip", g.conv(g.input(4, 6, 6), 4, 8), g.constant(np.float32(-0.5)), g.constant(np.float32(1.0)))
    return g.conv(x, 8, 6)


def clip_beside_wide(g):
    x = g.input(4, 6, 6)
    a = g.add("Clip", g.conv(x, 4, 8), g.constant(np.float32(-0.5)), g.constant(np.float32(0.5)))
    b = g.add("Mul", g.conv(x, 4, 8), g.constant(np.float32(2.0)))
    return g.add("Concat", b, a, axis=1)


def wide_then_narrow(g):
    x = g.input(4, 6, 6)
    a = g.conv(x, 4, 8)
    b = g.add("Sigmoid", g.conv(x, 4, 8))
    y = g.add("Concat", a, g.add("Mul", b, g.constant(np.float32(0.2))), axis=1)
    return g.conv(y, 16, 6)


def constant_channels(g):
    x = g.input(4, 6, 6)
    weights = g.random.standard_normal((16, 4, 3, 3)) / 6
    weights[1::2] = 0
    y = g.add("Conv", x, g.constant(weights), g.uniform(0.5, 2.0, 16), kernel_shape=[3, 3])
    return g.conv(g.add("Relu", y), 16, 6, kernel=1, pads=[0, 0, 0, 0])


def window(g):
    return g.conv(g.add("LeakyRelu", g.conv(g.input(5, 8, 8), 5, 8), alpha=0.3), 8, 8)


def strong_bias(g):
    x = g.conv(g.input(5, 6, 6), 5, 8, bias=3.0)
    return g.conv(x, 8, 6, bias=3.0)


def groups(g):
    x = g.conv(g.input(6, 8, 8), 6, 16)
    return g.conv(x, 16, 16, group=4)


def difference(g):
    x, y = g.input(4, 6, 6), g.input(4, 6, 6)
    return g.add("Sub", g.conv(x, 4, 6), g.conv(y, 4, 6))


def total(g):
    x, y = g.input(4, 6, 6), g.input(4, 6, 6)
    return g.add("Add", g.add("LeakyRelu", g.conv(x, 4, 6), alpha=0.1), g.conv(y, 4, 6))


def quotient(g):
    x, y = g.input(4, 6, 6), g.input(4, 6, 6)
    below = g.add("Add", g.add("Sigmoid", g.conv(y, 4, 6)), g.constant(np.float32(0.5)))
    return g.add("Div", g.conv(x, 4, 6), below)


def choice(g):
    x, y = g.input(4, 6, 6), g.input(4, 6, 6)
    a, b = g.conv(x, 4, 6), g.add("Relu", g.conv(y, 4, 6))
    return g.add("Where", g.add("Greater", g.conv(x, 4, 6), g.constant(np.float32(0.2))), a, b)


def instance_norm(g):
    x = g.conv(g.input(4, 8, 8), 4, 8)
    return g.add("InstanceNormalization", x, g.uniform(0.5, 2.0, 8), g.normal(8))


def layer_norm(g):
    x = g.add("Gemm", g.input(12), g.normal(16, 12, scale=0.3), transB=1)
    return g.add("LayerNormalization", x, g.uniform(0.5, 2.0, 16), g.normal(16), axis=-1)


def mean(g):
    x = g.conv(g.input(4, 4, 6), 4, 6)
    return g.add("ReduceMean", x, axes=[2], keepdims=1)


def average(g):
    x = g.add("LeakyRelu", g.conv(g.input(4, 8, 8), 4, 8), alpha=0.2)
    return g.add("AveragePool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])


def largest(g):
    x = g.add("LeakyRelu", g.conv(g.input(4, 8, 8), 4, 16), alpha=0.2)
    return g.add("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])


def flattened(g):
    x = g.add("Relu", g.conv(g.input(4, 5, 5), 4, 6))
    return g.add("Gemm", g.add("Flatten", x), g.normal(8, 150, scale=0.1), transB=1)


def functions(g):
    x = g.add("Tanh", g.conv(g.input(4, 6, 6), 4, 6))
    return g.add("Mul", g.add("Sigmoid", x), x)


def probabilities(g):
    x = g.add("Gemm", g.input(12), g.normal(10, 12, scale=0.6), transB=1)
    return g.add("Softmax", x, axis=-1)


def probabilities_of_channels(g):
    x = g.conv(g.input(4, 6, 6), 4, 10)
    return g.add("Softmax", g.add("Mul", x, g.constant(np.float32(2.5))), axis=1)


def padded_far(g):
    x = g.add("LeakyRelu", g.conv(g.input(4, 5, 5), 4, 6), alpha=0.2)
    return g.add("Pad", x, g.constant(np.array([0, 0, 2, 1, 0, 0, 1, 2], np.int64)))


def padded_beyond_window(g):
    x = g.add("LeakyRelu", g.conv(g.input(4, 5, 5), 4, 6), alpha=0.2)
    return g.conv(x, 6, 8, kernel=1, pads=[1, 1, 1, 1])


def padded_channels(g):
    x = g.add("LeakyRelu", g.conv(g.input(4, 5, 5), 4, 6), alpha=0.2)
    return g.add("Pad", x, g.constant(np.array([0, 2, 0, 0, 0, 1, 0, 0], np.int64)))


def even_pads(g):
    # A transposed convolution's positions are padded in front of the convolution that replaces it.
    x = g.add("LeakyRelu", g.conv(g.input(4, 5, 5), 4, 6), alpha=0.2)
    return g.add("ConvTranspose", x, g.normal(6, 5, 2, 2, scale=0.4), kernel_shape=[2, 2], strides=[2, 2])


def product_of_tensors(g):
    a = g.add("LeakyRelu", g.add("MatMul", g.input(6, 8), g.normal(8, 8, scale=0.4)), alpha=0.2)
    b = g.add("LeakyRelu", g.add("MatMul", g.input(8, 8), g.normal(8, 7, scale=0.4)), alpha=0.2)
    return g.add("MatMul", a, b)


def slices(g):
    x = g.conv(g.input(4, 8, 8), 4, 6)
    y = g.add("Slice", x, g.constant(np.array([1, 2], np.int64)), g.constant(np.array([7, 6], np.int64)),
              g.constant(np.array([2, 3], np.int64)))
    return g.add("Sigmoid", y)


def resized(g):
    x = g.conv(g.input(4, 6, 6), 4, 6)
    return g.add("Resize", x, "", g.constant(np.array([1, 1, 2, 2], np.float32)), mode="linear",
                 coordinate_transformation_mode="half_pixel")


def depthwise(g):
    x = g.add("Relu", g.conv(g.input(4, 7, 7), 4, 16))
    return g.conv(x, 16, 16, kernel=5, group=16)


GRAPHS = (norm_behind, norm_in_front, transposed, transposed_without_pads, two_transpositions, gemm, matmul, pad_in_front,
          difference_of_constant, parts, clip, clip_beside_wide, wide_then_narrow, constant_channels, window, strong_bias, groups,
          difference, total, quotient, choice, instance_norm, layer_norm, mean, average, largest, flattened, functions,
          probabilities, probabilities_of_channels, padded_far, padded_beyond_window, padded_channels, even_pads, product_of_tensors, slices, resized,
          depthwise)


def cases(folder: pathlib.Path):
    folder.mkdir(parents=True, exist_ok=True)
    for seed, build in enumerate(GRAPHS):
        graph, file = Graph(seed), folder / f"{build.__name__}.onnx"
        output = build(graph)
        yield truth.Case("directed/" + build.__name__, file, graph.write(file, output))
