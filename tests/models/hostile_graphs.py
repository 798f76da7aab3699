"""Graphs that are deep, wide, cyclic, shared or growing, and damaged ONNX files: what no exporter writes and anybody can send."""
import random

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SHAPE = [1, 2, 4, 4]


class Builder:
    def __init__(self):
        self.nodes, self.constants, self.outputs, self.functions = [], {}, [], []
        self.inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, SHAPE)]

    def constant(self, value, name: str = "") -> str:
        name = name or f"c{len(self.constants)}"
        self.constants[name] = numpy_helper.from_array(np.asarray(value), name)
        return name

    def add(self, kind: str, inputs, outputs=None, **attributes) -> str:
        outputs = outputs or [f"v{len(self.nodes)}"]
        self.nodes.append(helper.make_node(kind, list(inputs), outputs, name=f"n{len(self.nodes)}", **attributes))
        return outputs[0]

    def model(self, *outputs: str) -> onnx.ModelProto:
        infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
        graph = helper.make_graph(self.nodes, "g", self.inputs, infos, list(self.constants.values()))
        opsets = [helper.make_opsetid("", 17)] + ([helper.make_opsetid("pkg", 1)] if self.functions else [])
        return helper.make_model(graph, opset_imports=opsets, functions=self.functions, ir_version=8)


def step(b: Builder, kind: str, value: str) -> str:
    """One more node behind the value, of the same shape."""
    if kind in ("Add", "Mul"):
        number = "number" if "number" in b.constants else b.constant(np.float32(1.0 if kind == "Mul" else 0.5), "number")
        return b.add(kind, [value, number])
    if kind == "Transpose":
        return b.add(kind, [value], perm=[0, 1, 3, 2])
    if kind == "Reshape":
        return b.add(kind, [value, "shape" if "shape" in b.constants else b.constant(np.int64(SHAPE), "shape")])
    if kind == "Concat":
        return b.add(kind, [value], axis=1)
    if kind == "Square":
        return b.add("Mul", [value, value])
    if kind == "Shapes":  # computed of its own shape
        return b.add("Reshape", [value, b.add("Shape", [value])])
    if kind == "Conv":
        weights = "w" if "w" in b.constants else b.constant(np.full((2, 2, 1, 1), 0.5, np.float32), "w")
        return b.add(kind, [value, weights])
    return b.add(kind, [value])


STEPS = ("Identity", "Relu", "Sigmoid", "Neg", "Abs", "Add", "Mul", "Transpose", "Reshape", "Concat", "Square", "Shapes", "Conv",
         "Softmax")


def chain(b: Builder, n: int, r) -> onnx.ModelProto:
    kinds = r.choice([[r.choice(STEPS)], r.sample(STEPS, 3)])
    value = "x"
    for i in range(n):
        value = step(b, kinds[i % len(kinds)], value)
    return b.model(value)


def wide(b: Builder, n: int, r) -> onnx.ModelProto:
    kind = r.choice(["Relu", "Add", "Conv", "Transpose"])
    values = [step(b, kind, "x") for _ in range(n)]
    if r.random() < 0.3:
        return b.model(*values)
    return b.model(b.add(r.choice(["Sum", "Max", "Mean"]), values))


def joined(b: Builder, n: int, r) -> onnx.ModelProto:
    values = [step(b, r.choice(["Relu", "Neg"]), "x") for _ in range(n)]
    return b.model(b.add("Concat", values, axis=1))


def shared(b: Builder, n: int, r) -> onnx.ModelProto:
    """Each value is read twice: 2^n ways lead to the first."""
    kind = r.choice(["Add", "Max", "Concat", "Split", "Slice", "Where"])
    half, first, last, axis = (b.constant(np.int64([k])) for k in (1, 0, 9, 1))
    value = "x"
    for i in range(n):
        if kind in ("Add", "Max"):
            value = b.add(kind, [value, value])
        elif kind == "Concat":
            both = b.add("Concat", [value, value], axis=1)
            value = b.add("Slice", [both, half, b.constant(np.int64([3])) if i == 0 else "c4", axis])
        elif kind == "Split":
            b.add("Split", [value], [f"s{i}a", f"s{i}b"], axis=1)
            value = b.add("Concat", [f"s{i}b", f"s{i}a"], axis=1)
        elif kind == "Slice":
            parts = [b.add("Slice", [value, start, end, axis]) for start, end in ((first, half), (half, last))]
            value = b.add("Concat", parts[::-1], axis=1)
        else:
            value = b.add("Where", [b.add("Greater", [value, "x"]), value, b.add("Neg", [value])])
    return b.model(value)


def cyclic(b: Builder, n: int, r) -> onnx.ModelProto:
    for i in range(n):
        b.add("Add", [f"v{(i + 1) % n}" if r.random() < 0.7 else f"v{r.randrange(n)}", "x"], [f"v{i}"])
    return b.model("v0")


def growing(b: Builder, n: int, r) -> onnx.ModelProto:
    kind = r.choice(["Concat", "Tile", "Resize", "Pad", "Expand", "ConstantOfShape", "Range", "MatMul"])
    value = "x"
    if kind == "ConstantOfShape":
        big = b.add(kind, [b.constant(np.int64([1, 1 << r.randint(8, 20), 1 << r.randint(4, 16)]))])
        return b.model(b.add("Add", [b.add("ReduceSum", [big], keepdims=0), "x"]))
    if kind == "Range":
        ends = [b.constant(np.int64(v)) for v in (0, 1 << r.randint(8, 40), 1)]
        return b.model(b.add("Add", [b.add("Cast", [b.add(kind, ends)], to=1), b.add("ReduceSum", ["x"], keepdims=0)]))
    # What is larger than memory is refused; what is not takes its time to compute, as any model.
    for _ in range(min(n, 7 if kind == "MatMul" else 40)):
        if kind == "Concat":
            value = b.add(kind, [value, value], axis=1)
        elif kind == "Tile":
            value = b.add(kind, [value, b.constant(np.int64([1, 1, 2, 2]))])
        elif kind == "Resize":
            value = b.add(kind, [value, "", b.constant(np.float32([1, 1, 2, 2]))])
        elif kind == "Pad":
            value = b.add(kind, [value, b.constant(np.int64([0, 0, 9, 9, 0, 0, 9, 9]))])
        elif kind == "MatMul":
            value = b.add(kind, [b.add("Concat", [value, value], axis=2), b.add("Concat", [value, value], axis=3)])
        else:
            value = b.add("Expand", [b.add("Unsqueeze", [value, b.constant(np.int64([0]))]), b.constant(np.int64([2] + [1] * 6))])
    return b.model(value)


def branch(kind: str, value: str, name: str) -> onnx.GraphProto:
    nodes = [helper.make_node(kind, [value], [f"{name}_{kind}"])]
    return helper.make_graph(nodes, name, [], [helper.make_tensor_value_info(f"{name}_{kind}", TensorProto.FLOAT, None)])


def ifs(b: Builder, n: int, r) -> onnx.ModelProto:
    """A chain of Ifs, each with a condition of constants, of the shape of the last result, or of the last result itself."""
    how = r.choice(["initialiser", "shape", "cyclic", "unknown"])
    value, yes, length = "x", b.constant(np.bool_(True)), b.constant(np.int64(SHAPE))
    for i in range(n):
        if how == "initialiser":
            condition = yes
        elif how == "shape":
            equal = b.add("Equal", [b.add("Shape", [value]), length])
            condition = b.add("Cast", [b.add("ReduceMin", [b.add("Cast", [equal], to=6)], keepdims=0)], to=9)
        elif how == "cyclic":
            condition = b.add("Cast", [f"i{(i + 1) % n}"], to=9)
        else:
            condition = b.add("Cast", [b.add("ReduceMax", [value], keepdims=0)], to=9)
        value = b.add("If", [condition], [f"i{i}"], then_branch=branch("Relu", value, f"t{i}"),
                      else_branch=branch("Neg", value, f"e{i}"))
    return b.model(value)


def functions(b: Builder, n: int, r) -> onnx.ModelProto:
    """F0 calls F1 twice, that F2 twice, and so on; or they are one cycle; or one has many nodes."""
    depth, cycle = min(n, 40), r.random() < 0.3
    opset = [helper.make_opsetid("", 17), helper.make_opsetid("pkg", 1)]
    for i in range(depth):
        last = i + 1 == depth
        inner = f"F{(i + 1) % depth}" if not last or cycle else "Relu"
        domain = "" if inner == "Relu" else "pkg"
        nodes = [helper.make_node(inner, ["a"], ["m"], domain=domain), helper.make_node(inner, ["m"], ["o"], domain=domain)]
        b.functions.append(helper.make_function("pkg", f"F{i}", ["a"], ["o"], nodes, opset))
    b.nodes.append(helper.make_node("F0", ["x"], ["y"], domain="pkg"))
    return b.model("y")


def constants(b: Builder, n: int, r) -> onnx.ModelProto:
    """Constants as outputs, unused values, values that are listed twice."""
    b.constant(np.ones(SHAPE, np.float32), "k")
    value = "x"
    for i in range(min(n, 50)):
        value = step(b, r.choice(STEPS[:8]), value)
    return b.model(*r.sample([value, "k", "x", "v0", "k"], r.randint(1, 4)))


SHAPES = {make.__name__: make for make in (chain, wide, joined, shared, cyclic, growing, ifs, functions, constants)}


def graph(seed: int, most_nodes: int) -> tuple:
    """A name and the bytes of a model; the same for the same seed."""
    r = random.Random(seed)
    name = list(SHAPES)[seed % len(SHAPES)]
    n = max(1, int(most_nodes ** r.random())) if r.random() < 0.5 else most_nodes
    return f"{name}_{n}", SHAPES[name](Builder(), n, r).SerializeToString()


# Damage

def varint(data: bytes, at: int) -> tuple:
    value = shift = 0
    while at < len(data):
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at
    raise ValueError


def as_varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def fields(data: bytes) -> list:
    """[number, wire type, payload] of a message."""
    found, at = [], 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 2:
            size, at = varint(data, at)
            if at + size > len(data):
                raise ValueError
            value, at = data[at:at + size], at + size
        elif tag & 7 in (1, 5):
            size = 8 if tag & 7 == 1 else 4
            value, at = data[at:at + size], at + size
        else:
            raise ValueError
        if tag >> 3 == 0:
            raise ValueError
        found.append([tag >> 3, tag & 7, value])
    return found


def joined_fields(parts: list) -> bytes:
    out = b""
    for number, wire, value in parts:
        out += as_varint(number << 3 | wire)
        out += as_varint(value) if wire == 0 else (as_varint(len(value)) if wire == 2 else b"") + value
    return out


NUMBERS = (0, 1, 2, 3, 7, 16, 255, 65535, 1 << 20, (1 << 31) - 1, 1 << 31, 1 << 40, (1 << 63) - 1, (1 << 64) - 1)


def damage_field(data: bytes, r, depth: int = 0) -> bytes:
    """One field of the message, or of one inside it, becomes another."""
    try:
        parts = fields(data)
    except (ValueError, IndexError):
        return damage_bytes(data, r)
    if not parts:
        return damage_bytes(data, r)
    at = r.randrange(len(parts))
    number, wire, value = parts[at]
    what = r.random()
    if wire == 2 and what < (0.85 if depth < 3 else 0.6) and value:
        parts[at][2] = damage_field(value, r, depth + 1)
    elif what < 0.3:
        del parts[at]
    elif what < 0.45:
        parts.insert(r.randrange(len(parts) + 1), list(parts[at]))
    elif what < 0.6:
        other = r.randrange(len(parts))
        if parts[other][1] == wire:
            parts[at][2], parts[other][2] = parts[other][2], parts[at][2]
    elif what < 0.7:
        parts[at][0] = r.randint(1, 20)
    elif wire == 0:
        parts[at][2] = r.choice(NUMBERS)
    else:
        parts[at][2] = damage_bytes(value, r)
    return joined_fields(parts)


def damage_bytes(data: bytes, r) -> bytes:
    out = bytearray(data)
    for _ in range(r.randint(1, 4)):
        what, at = r.random(), r.randrange(len(out) + 1)
        if what < 0.4 and at < len(out):
            out[at] = r.choice([r.randrange(256), out[at] ^ 1 << r.randrange(8), 0, 255])
        elif what < 0.6:
            del out[at:at + r.randint(1, 8)]
        elif what < 0.8:
            out[at:at] = bytes(r.randrange(256) for _ in range(r.randint(1, 8)))
        elif what < 0.9:
            del out[at:]
        else:
            start = r.randrange(len(out) + 1)
            out[at:at] = out[start:start + r.randint(1, 64)]
    return bytes(out)


def damaged(data: bytes, r) -> bytes:
    for _ in range(r.choice([1, 1, 1, 2, 4])):
        data = damage_field(data, r) if r.random() < 0.8 else damage_bytes(data, r)
    return data
