"""A graph of random constants, written as an ONNX file: what benches build their own models with."""
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Graph:
    """Nodes in the order in which they are added; every call gives the name of its output."""

    def __init__(self, seed: int):
        self.nodes, self.constants, self.inputs = [], [], []
        self.random = np.random.Generator(np.random.PCG64(seed))

    def input(self, *shape) -> str:
        self.inputs.append((f"x{len(self.inputs)}", [1, *shape]))
        return self.inputs[-1][0]

    def constant(self, values) -> str:
        values = np.asarray(values)
        if values.dtype == np.float64:
            values = values.astype(np.float32)
        self.constants.append(numpy_helper.from_array(values, f"c{len(self.constants)}"))
        return self.constants[-1].name

    def normal(self, *shape, scale=1.0, about=0.0) -> str:
        return self.constant(about + scale * self.random.standard_normal(shape))

    def uniform(self, low: float, high: float, *shape) -> str:
        return self.constant(self.random.uniform(low, high, shape))

    def add(self, op: str, *inputs, outputs=1, **attributes):
        names = [f"{op}{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, list(inputs), names, name=f"{op}_{len(self.nodes)}", **attributes))
        return names[0] if outputs == 1 else names

    def save(self, file: pathlib.Path, name: str, output: str):
        values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in self.inputs]
        graph = helper.make_graph(self.nodes, name, values,
                                  [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.save(onnx.shape_inference.infer_shapes(model), str(file))
