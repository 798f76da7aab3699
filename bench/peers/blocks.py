"""Transformer blocks with random weights, as ViT has them: pre-norm attention and an MLP of four times the width."""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import onnx_graph  # noqa: E402

HEAD = 64  # numbers of one head, as in ViT-S and ViT-B
SAMPLES = 32


class Graph(onnx_graph.Graph):
    def linear(self, x: str, inputs: int, outputs: int) -> str:
        product = self.add("MatMul", x, self.normal(inputs, outputs, scale=inputs ** -0.5))
        return self.add("Add", product, self.normal(outputs, scale=0.1))

    def norm(self, x: str, width: int) -> str:
        return self.add("LayerNormalization", x, self.uniform(0.5, 1.5, width), self.normal(width, scale=0.1), axis=-1)

    def shape(self, *sizes) -> str:
        return self.constant(np.array(sizes, np.int64))

    def heads(self, x: str, tokens: int, width: int, order: list) -> str:
        return self.add("Transpose", self.add("Reshape", x, self.shape(1, tokens, width // HEAD, HEAD)), perm=order)

    def attention(self, x: str, tokens: int, width: int) -> str:
        query, key, value = (self.linear(x, width, width) for _ in range(3))
        scores = self.add("MatMul", self.heads(query, tokens, width, [0, 2, 1, 3]),
                          self.heads(key, tokens, width, [0, 2, 3, 1]))
        scaled = self.add("Mul", scores, self.constant(np.float32(HEAD ** -0.5)))
        mixed = self.add("MatMul", self.add("Softmax", scaled, axis=-1), self.heads(value, tokens, width, [0, 2, 1, 3]))
        rows = self.add("Reshape", self.add("Transpose", mixed, perm=[0, 2, 1, 3]), self.shape(1, tokens, width))
        return self.linear(rows, width, width)

    def gelu(self, x: str) -> str:
        erf = self.add("Erf", self.add("Div", x, self.constant(np.float32(2 ** 0.5))))
        product = self.add("Mul", x, self.add("Add", erf, self.constant(np.float32(1))))
        return self.add("Mul", product, self.constant(np.float32(0.5)))

    def block(self, x: str, tokens: int, width: int) -> str:
        x = self.add("Add", x, self.attention(self.norm(x, width), tokens, width))
        hidden = self.gelu(self.linear(self.norm(x, width), width, 4 * width))
        return self.add("Add", x, self.linear(hidden, 4 * width, width))


def write(folder: pathlib.Path, tokens: int, width: int, depth: int) -> tuple:
    """Model [1, tokens, width] -> the same, and normal calibration data; returns both paths."""
    stem = f"vit_{width}x{tokens}"
    model, data = folder / f"{stem}.onnx", folder / f"{stem}.npy"
    if not (model.exists() and data.exists()):
        graph = Graph(seed=1)
        x = graph.input(tokens, width)
        for _ in range(depth):
            x = graph.block(x, tokens, width)
        graph.save(model, stem, x)
        np.save(data, graph.random.standard_normal((SAMPLES, tokens, width), np.float32))
    return model, data
