"""Counts the weights of an ONNX file without the converter or an ONNX library: a reader of protobuf's wire format
(protobuf.dev, Encoding) for the few fields needed (onnx.proto: ModelProto, GraphProto, NodeProto, TensorProto)."""
import pathlib

LAYERS = ("Conv", "Gemm", "MatMul")


def varint(data: memoryview, at: int) -> tuple:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data: memoryview):
    """(number, value) of a message: integers, or memoryviews of length-delimited fields."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            size = {1: 8, 5: 4}[kind]
            value, at = data[at:at + size], at + size
        yield number, value


def dims_of(tensor: memoryview) -> tuple:
    """(name, dims) of a TensorProto; dims may be packed or not."""
    name, dims = "", []
    for number, value in fields(tensor):
        if number == 8:
            name = bytes(value).decode()
        elif number == 1 and isinstance(value, int):
            dims.append(value)
        elif number == 1:
            at = 0
            while at < len(value):
                dim, at = varint(value, at)
                dims.append(dim)
    return name, dims


def count(path: pathlib.Path) -> tuple:
    """(weights, output channels) of all convolutions and matrices of a model."""
    graph = next(value for number, value in fields(memoryview(path.read_bytes())) if number == 7)
    shapes, nodes = {}, []
    for number, value in fields(graph):
        if number == 5:
            name, dims = dims_of(value)
            shapes[name] = dims
        elif number == 1:
            node = list(fields(value))
            op = next(bytes(v).decode() for n, v in node if n == 4)
            nodes.append((op, [bytes(v).decode() for n, v in node if n == 1], node))
    weights = channels = 0
    for op, inputs, node in nodes:
        if op not in LAYERS or inputs[1] not in shapes:
            continue
        dims, size = shapes[inputs[1]], 1
        for dim in dims:
            size *= dim
        weights += size
        # Gemm: [out, in] with transB, which exporters write; Conv: [out, ...].
        transposed = op == "MatMul" or (op == "Gemm" and not any(
            (3, 1) in fields(v) and bytes(dict(fields(v))[1]) == b"transB" for n, v in node if n == 5))
        channels += dims[-1] if transposed else dims[0]
    return weights, channels
