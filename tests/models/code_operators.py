"""code_operators.py OCTET ORT [CASE...]: operators on 8-bit codes, in the spellings of exporters, against ONNX Runtime.

OCTET: folder of octet and octet-run. ORT: folder in which `npm install onnxruntime-node` was run. CASE: parts of names; none: all.
Each case is a small graph built here. INT8: 99.5 % of the elements within one step of ONNX Runtime's (optimisation disabled), none beyond
three; FP16: root mean square error at most one step, none beyond four. A refusal has to name the node that the case names. Weights stay
within 6 bits, for ONNX Runtime's u8s8 kernels saturate without VNNI. Exit status 1 where a case fails. Run it with python3 (numpy, onnx)."""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper, numpy_helper

NODE = """
const fs = require('fs'), path = require('path'), {createRequire} = require('module');
const request = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const ort = createRequire(path.join(path.resolve(request.ort), 'index.js'))('onnxruntime-node');
(async () => {
  for (const run of request.runs) {
    try {
      const session = await ort.InferenceSession.create(run.model, {graphOptimizationLevel: 'disabled', logSeverityLevel: 4});
      const results = run.outputs.map(() => []);
      for (let s = 0; s < run.samples; ++s) {
        const feeds = {};
        for (const input of run.inputs) {
          const bytes = fs.readFileSync(input.file), all = new Float32Array(new Uint8Array(bytes).buffer), count = input.shape.reduce((a, b) => a * b, 1);
          const data = all.subarray(s * count, (s + 1) * count);
          const typed = {float32: Float32Array, uint8: Uint8Array, int8: Int8Array}[input.type].from(data);
          feeds[input.name] = new ort.Tensor(input.type, typed, input.shape);
        }
        const got = await session.run(feeds, run.outputs);
        run.outputs.forEach((name, i) => results[i].push(...Array.from(got[name].data, Number)));
      }
      results.forEach((values, i) => fs.writeFileSync(run.result + '.' + i, Buffer.from(Float32Array.from(values).buffer)));
    } catch (error) { fs.writeFileSync(run.result + '.error', String(error.message)); }
  }
})();
"""


class Net:
    """A graph under construction; every method returns names of values."""

    def __init__(self, opset=13, seed=0):
        self.random = np.random.default_rng(seed)
        self.opset, self.nodes, self.constants, self.inputs, self.outputs, self.count = opset, [], [], [], [], 0
        self.samples = {}
        self.read_as = {}  # inputs of codes: scale and zero point of the real values that the blob takes
        self.automatic = None  # a value whose range decides a scheme, and the constants of that
        self.plans = ("int8", "fp16")
        self.refused = None  # a node that the refusal has to name

    def name(self, base="t"):
        self.count += 1
        return f"{base}{self.count}"

    def const(self, value, dtype=None):
        array = np.asarray(value, dtype or (np.float32 if np.asarray(value).dtype.kind == "f" else np.int64))
        name = self.name("c")
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def input(self, shape, dtype=np.float32, low=-1.0, high=1.0, name="x"):
        self.inputs.append((name, {np.float32: T.FLOAT, np.uint8: T.UINT8, np.int8: T.INT8}[dtype], shape))
        full = (4, *shape[1:])
        data = self.random.uniform(low, high, full) if dtype == np.float32 else self.random.integers(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, full)
        self.samples[name] = data.astype(np.float32)
        return name

    def op(self, kind, *inputs, results=1, domain="", name=None, **attributes):
        outputs = [self.name() for _ in range(results)]
        self.nodes.append(helper.make_node(kind, list(inputs), outputs, name=name or self.name(kind), domain=domain, **attributes))
        return outputs[0] if results == 1 else outputs

    def scheme(self, scale, zero=0, dtype=np.uint8):
        return self.const(np.float32(scale)), self.const(zero, dtype)

    def q(self, x, scale, zero=0, dtype=np.uint8):
        return self.op("QuantizeLinear", x, *self.scheme(scale, zero, dtype))

    def dq(self, x, scale, zero=0, dtype=np.uint8):
        return self.op("DequantizeLinear", x, *self.scheme(scale, zero, dtype))

    def qdq(self, x, scale, zero=0, dtype=np.uint8):
        return self.dq(self.q(x, scale, zero, dtype), scale, zero, dtype)

    def codes(self, shape, low=-31, high=32, dtype=np.int8):
        return self.const(self.random.integers(low, high, shape), dtype)

    def auto(self, x, dtype=np.int8):
        """Quantized to the range that ONNX Runtime finds, once a network."""
        scale, zero = self.scheme(1, 0, dtype)
        self.automatic = (x, scale, zero, dtype)
        return self.op("DequantizeLinear", self.op("QuantizeLinear", x, scale, zero), scale, zero)

    def choose(self, values):
        _, scale, zero, dtype = self.automatic
        low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
        step = np.float32(max(high - low, 1e-6) / 255)
        point = int(np.clip(np.round(-low / step), 0, 255)) - (128 if dtype == np.int8 else 0)
        for i, constant in enumerate(self.constants):
            if constant.name in (scale, zero):
                self.constants[i] = numpy_helper.from_array(np.asarray(step) if constant.name == scale else np.asarray(point, dtype), constant.name)

    def weights(self, shape, axis=0, per_channel=True):
        count = shape[axis]
        scale = self.random.uniform(0.006, 0.012, count if per_channel else ()).astype(np.float32)
        codes = self.random.integers(-31, 32, shape)
        zero = np.zeros(scale.shape, np.int8)
        return self.op("DequantizeLinear", self.const(codes, np.int8), self.const(scale), self.const(zero, np.int8), **({"axis": axis} if per_channel else {}))

    def conv(self, x, c_in, c_out, k=3, groups=1, stride=1, **attributes):
        w = self.weights((c_out, c_in // groups, k, k))
        return self.op("Conv", x, w, self.const(self.random.uniform(-0.2, 0.2, c_out).astype(np.float32)), kernel_shape=[k, k],
                       pads=[k // 2] * 4, strides=[stride] * 2, group=groups, **attributes)

    def output(self, *names):
        self.outputs += names

    def model(self):
        graph = helper.make_graph(self.nodes, "codes", [helper.make_tensor_value_info(n, t, list(s)) for n, t, s in self.inputs],
                                  [helper.make_empty_tensor_value_info(n) if hasattr(helper, "make_empty_tensor_value_info") else onnx.ValueInfoProto(name=n) for n in self.outputs], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)], ir_version=8)
        return model


CASES = {}


def case(*variants):
    """Registers a function that fills a Net, once a variant (its arguments)."""
    def add(function):
        for variant in variants or [()]:
            arguments = variant if isinstance(variant, tuple) else (variant,)
            CASES["_".join([function.__name__, *[getattr(a, "__name__", str(a)) for a in arguments]])] = (function, arguments)
        return function
    return add


def first_codes(net, dtype, shape=(1, 8, 8, 8), scale=None):
    """Codes of a convolution's result, with their scheme."""
    c = shape[1]
    x = net.qdq(net.input((1, 3, shape[2], shape[3])), 1 / 127, 128 if dtype == np.uint8 else 0, dtype)
    scheme = (scale or 0.011, 117 if dtype == np.uint8 else -11, dtype)
    return net.q(net.conv(x, 3, c), *scheme), scheme


def last(net, codes, scheme, c=8, conv=True):
    """A convolution behind the codes, quantized."""
    real = net.dq(codes, *scheme)
    if conv:
        real = net.qdq(net.conv(real, c, 4), 0.02, 128 if scheme[2] == np.uint8 else 0, scheme[2])
    net.output(real)


BYTES = (np.uint8, np.int8)


def moves(net, kind, q, s):
    """(codes behind one operator, channels)."""
    i64 = lambda *v: net.const(np.array(v), np.int64)
    zero = lambda v: net.const(v, s[2])
    table = {
        "transpose": lambda: (net.op("Transpose", q, perm=[0, 2, 1, 3]), 8),
        "reshape": lambda: (net.op("Reshape", q, i64(1, 4, 8, 16)), 4),
        "flatten": lambda: (net.op("Reshape", net.op("Flatten", q), i64(1, 8, 8, 8)), 8),
        "squeeze": lambda: (net.op("Unsqueeze", net.op("Squeeze", q, i64(0)), i64(0)), 8),
        "slice": lambda: (net.op("Slice", q, i64(1, 2), i64(7, 100), i64(2, 3), i64(2, 1)), 8),
        "gather": lambda: (net.op("Gather", q, i64(3, 1, 0, 5), axis=1), 4),
        "expand": lambda: (net.op("Expand", net.op("Slice", q, i64(0), i64(1), i64(1)), i64(1, 3, 8, 8)), 3),
        "tile": lambda: (net.op("Tile", q, i64(1, 2, 1, 1)), 16),
        "maxpool": lambda: (net.op("MaxPool", q, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4), 8),
        "maxpool_ceil": lambda: (net.op("MaxPool", q, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1), 8),
        "d2s": lambda: (net.op("DepthToSpace", q, blocksize=2), 2),
        "s2d": lambda: (net.op("SpaceToDepth", q, blocksize=2), 32),
        "split": lambda: (net.op("Concat", *net.op("Split", q, i64(3, 5), results=2, axis=1)[::-1], axis=1), 8),
        "split_one": lambda: (net.op("Split", q, results=2, axis=1)[0], 4),
        "concat_const": lambda: (net.op("Concat", q, net.codes((1, 2, 8, 8), 20, 60, s[2]), axis=1), 10),
        "pad": lambda: (net.op("Pad", q, i64(0, 0, 1, 1, 0, 0, 1, 1)), 8),
        "pad_zero_point": lambda: (net.op("Pad", q, i64(0, 0, 2, 1, 0, 0, 1, 0), zero(s[1])), 8),
        "pad_value": lambda: (net.op("Pad", q, i64(0, 0, 1, 1, 0, 0, 1, 1), zero(100)), 8),
        "pad_edge": lambda: (net.op("Pad", q, i64(0, 0, 1, 1, 0, 0, 1, 1), mode="edge"), 8),
        "pad_reflect": lambda: (net.op("Pad", q, i64(0, 0, 1, 1, 0, 0, 1, 1), mode="reflect"), 8),
        "clip": lambda: (net.op("Clip", q, zero(10), zero(120)), 8),
        "clip_low": lambda: (net.op("Clip", q, zero(s[1])), 8),
        "clip_high": lambda: (net.op("Clip", q, "", zero(100)), 8),
        "where": lambda: (net.op("Where", net.const(net.random.integers(0, 2, (1, 8, 1, 1)).astype(bool), bool), q, zero(70)), 8),
        "where_two": lambda: (net.op("Where", net.const(net.random.integers(0, 2, (1, 8, 8, 8)).astype(bool), bool), q, net.op("Transpose", q, perm=[0, 1, 3, 2])), 8),
        "nearest": lambda: (net.op("Resize", q, "", net.const(np.array([1, 1, 2, 2], np.float32)), mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor"), 8),
        "linear": lambda: (net.op("Resize", q, "", net.const(np.array([1, 1, 2, 2], np.float32)), mode="linear", coordinate_transformation_mode="half_pixel"), 8),
        "linear_corners": lambda: (net.op("Resize", q, "", "", i64(1, 8, 12, 12), mode="linear", coordinate_transformation_mode="align_corners"), 8),
        "reduce_max": lambda: (net.op("ReduceMax", q, axes=[2], keepdims=1), 8),
        "reduce_min": lambda: (net.op("ReduceMin", q, axes=[1], keepdims=1), 1),
        "identity": lambda: (net.op("Identity", q), 8),
        "gather_nd": lambda: (net.op("Unsqueeze", net.op("GatherND", q, net.const(np.array([[0, 1], [0, 3], [0, 0]]), np.int64)), i64(0)), 3),
        "gather_elements": lambda: (net.op("GatherElements", q, net.const(net.random.integers(0, 8, (1, 8, 8, 8)), np.int64), axis=3), 8),
        "chain": lambda: (net.op("Transpose", net.op("MaxPool", net.op("Pad", q, i64(0, 0, 1, 1, 0, 0, 1, 1), zero(s[1])), kernel_shape=[2, 2], strides=[2, 2]), perm=[0, 3, 1, 2]), 5),
        "reverse": lambda: (net.op("ReverseSequence", q, i64(5), batch_axis=0, time_axis=1), 8),
        "scatter_nd": lambda: (net.op("ScatterND", q, net.const(np.array([[0, 2], [0, 5]]), np.int64), net.codes((2, 8, 8), 20, 90, s[2])), 8),
    }
    return table[kind]()


MOVES = ["transpose", "reshape", "flatten", "squeeze", "slice", "gather", "expand", "tile", "maxpool", "maxpool_ceil", "d2s", "s2d", "split",
         "split_one", "concat_const", "pad", "pad_zero_point", "pad_value", "pad_edge", "pad_reflect", "clip", "clip_low", "clip_high", "where",
         "where_two", "nearest", "linear", "linear_corners", "reduce_max", "reduce_min", "identity", "gather_nd", "gather_elements", "chain",
         "reverse", "scatter_nd"]


@case(*[(kind, dtype) for kind in MOVES for dtype in BYTES])
def move(net, kind, dtype):
    q, s = first_codes(net, dtype)
    codes, c = moves(net, kind, q, s)
    last(net, codes, s, c)


@case(*[(kind, np.uint8) for kind in MOVES])
def move_end(net, kind, dtype):
    """The codes are the output."""
    q, s = first_codes(net, dtype)
    codes, _ = moves(net, kind, q, s)
    last(net, codes, s, conv=False)


@case(*[(kind, dtype) for kind in ("maxpool", "transpose", "pad", "concat_const", "clip", "linear", "split") for dtype in BYTES])
def move_to_other_scheme(net, kind, dtype):
    """Dequantized with another scale and zero point than it was quantized with."""
    q, s = first_codes(net, dtype)
    codes, c = moves(net, kind, q, s)
    last(net, codes, (0.019, s[1] + 9, dtype), c)


@case(*BYTES)
def relu_on_codes(net, dtype):
    net.opset = 14
    q, s = first_codes(net, np.int8)
    last(net, net.op("Relu", q), s)


@case(*[(a, b, dtype) for dtype in BYTES for a, b in ((1, 0), (1, 5), (1.7, 0), (0.6, -7))])
def pair_differs(net, factor, shift, dtype):
    q, s = first_codes(net, dtype)
    last(net, q, (s[0] * factor, s[1] + shift, dtype))


@case(*BYTES)
def pair_differs_twice(net, dtype):
    """Codes shared by readers that see two schemes, and a graph output."""
    q, s = first_codes(net, dtype)
    a = net.conv(net.dq(q, *s), 8, 4)
    b = net.conv(net.dq(q, s[0] * 1.5, s[1] - 4, dtype), 8, 4)
    net.output(net.qdq(net.op("Add", net.qdq(a, 0.02, 100, np.uint8), net.qdq(b, 0.025, 110, np.uint8)), 0.04, 120))


@case(*BYTES)
def shared_codes(net, dtype):
    q, s = first_codes(net, dtype)
    m = net.op("MaxPool", q, kernel_shape=[2, 2], strides=[2, 2])
    u = net.op("Resize", m, "", net.const(np.array([1, 1, 2, 2], np.float32)), mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    j = net.op("Concat", q, u, axis=1)
    net.output(net.dq(m, *s), net.qdq(net.conv(net.dq(j, *s), 16, 4), 0.02, 0, np.int8), net.dq(q, *s))


@case(*BYTES)
def concat_of_scales(net, dtype):
    """Real values of three scales, joined and quantized to a fourth."""
    q, s = first_codes(net, dtype)
    real = net.dq(q, *s)
    a = net.qdq(net.conv(real, 8, 4), 0.02, 3, np.int8)
    b = net.qdq(net.conv(real, 8, 4), 0.013, 120, np.uint8)
    net.output(net.qdq(net.op("Concat", real, a, b, axis=1), 0.021, 118, np.uint8))


@case(*BYTES)
def concat_of_codes(net, dtype):
    """Codes of two scales are joined as they stand."""
    q, s = first_codes(net, dtype)
    p = net.q(net.conv(net.dq(q, *s), 8, 8), 0.02, s[1] + 4, dtype)
    last(net, net.op("Concat", p, q, axis=1), (0.02, s[1] + 4, dtype), 16)


@case(*[(op, dtype) for op in ("Max", "Min") for dtype in BYTES])
def extreme(net, op, dtype):
    """Between DequantizeLinear and QuantizeLinear, for ONNX Runtime has none on codes."""
    q, s = first_codes(net, dtype)
    r = net.dq(q, *s)
    net.output(net.qdq(net.op(op, r, net.op("Transpose", r, perm=[0, 1, 3, 2])), *s))


@case(*[(axis, keep) for axis in (1, 2) for keep in (0, 1)])
def arg_max(net, axis, keep):
    q, s = first_codes(net, np.uint8)
    net.output(net.op("Cast", net.op("ArgMax", q, axis=axis, keepdims=keep), to=T.FLOAT))


@case(*[(low, high) for low, high in ((0, 127), (0, 255), (64, 127), (20, 90))])
def reduced_range(net, low, high):
    """As PyTorch exports a reduced range."""
    x = net.input((1, 3, 8, 8))
    clip = lambda q: net.op("Clip", q, net.const([low], np.uint8), net.const([high], np.uint8))
    a = net.dq(clip(net.q(x, 2 / 127, 64)), 2 / 127, 64)
    b = net.op("Relu", net.conv(a, 3, 8))
    b = net.dq(clip(net.q(b, 0.009, 0)), 0.009, 0)
    net.output(net.dq(clip(net.q(net.conv(b, 8, 4), 0.02, 70)), 0.02, 70))


@case("first", "inner", "weight", "last", "channel", "moved")
def scale_zero(net, where):
    x = net.input((1, 3, 8, 8))
    s = 0.0 if where == "first" else 1 / 127
    q = net.q(x, s, 0, np.int8)
    if where == "moved":
        q = net.op("MaxPool", net.q(x, 0.0, 0, np.int8), kernel_shape=[2, 2])
        s = 0.0
    r = net.dq(q, s, 0, np.int8)
    if where in ("weight", "channel"):
        scale = np.zeros(8, np.float32) if where == "weight" else np.array([0.01, 0, 0.006, 0.01, 0, 0.02, 0.01, 0.01], np.float32)
        w = net.op("DequantizeLinear", net.codes((8, 3, 3, 3)), net.const(scale), net.const(np.zeros(8), np.int8), axis=0)
        y = net.op("Conv", r, w, net.const(net.random.uniform(-0.5, 0.5, 8).astype(np.float32)), pads=[1] * 4)
    else:
        y = net.conv(r, 3, 8)
    if where == "inner":
        y = net.op("Add", net.qdq(net.conv(net.qdq(y, 0.0, 0, np.int8), 8, 8), 0.01, 0, np.int8), net.qdq(y, 0.02, 0, np.int8))
    net.output(net.qdq(y, 0.0 if where == "last" else 0.02, 0, np.int8))


@case(*BYTES)
def input_codes(net, dtype):
    x = net.input((1, 3, 8, 8), dtype)
    s = (1 / 127, 120 if dtype == np.uint8 else -5, dtype)
    net.read_as[x] = s[:2]
    net.output(net.qdq(net.conv(net.dq(x, *s), 3, 4), 0.02, 0, np.int8))


@case("nhwc_cast", "nhwc_cast_sub", "cast_transpose", "nhwc_dq", "slice_cast", "reshape_cast", "two", "cast_int")
def input_bytes(net, how):
    x = net.input((1, 8, 8, 3), np.uint8)
    turn = lambda v: net.op("Transpose", v, perm=[0, 3, 1, 2])
    real = lambda v: net.op("Cast", v, to=T.FLOAT)
    scaled = lambda v: net.op("Mul", v, net.const(np.float32([1 / 255])))
    if how == "nhwc_cast":
        r = scaled(real(turn(x)))
    elif how == "nhwc_cast_sub":
        r = net.op("Div", net.op("Sub", real(turn(x)), net.const(np.array([120, 110, 100], np.float32).reshape(1, 3, 1, 1))), net.const(np.float32(60)))
    elif how == "cast_transpose":
        r = scaled(turn(real(x)))
    elif how == "nhwc_dq":
        r = scaled(net.dq(turn(x), 1.0, 0))
    elif how == "slice_cast":
        i = lambda *v: net.const(np.array(v), np.int64)
        r = scaled(real(turn(net.op("Slice", x, i(-1), i(-4), i(3), i(-1)))))
    elif how == "reshape_cast":
        r = scaled(net.op("Reshape", real(net.op("Reshape", x, net.const(np.array([1, 192]), np.int64))), net.const(np.array([1, 3, 8, 8]), np.int64)))
    elif how == "two":
        net.read_as[x] = (1, 10)
        r = net.op("Add", scaled(real(turn(x))), scaled(net.dq(turn(x), 1.0, 10)))
    else:
        r = scaled(real(net.op("Sub", net.op("Cast", turn(x), to=T.INT32), net.const(100, np.int32))))
    net.output(net.qdq(net.conv(r, 3, 4), 0.02, 0, np.int8))


@case("to_float", "to_int32", "shift", "u8_to_i8", "i8_to_u8", "round_trip", "truncate")
def casts(net, how):
    q, s = first_codes(net, np.int8 if how == "i8_to_u8" else np.uint8)
    sub = lambda v, by: net.op("Sub", v, net.const(by, np.int32))
    if how == "to_float":
        net.output(net.op("Mul", net.op("Sub", net.op("Cast", q, to=T.FLOAT), net.const(np.float32(s[1]))), net.const(np.float32(s[0]))))
    elif how == "to_int32":
        net.output(net.op("Mul", net.op("Cast", sub(net.op("Cast", q, to=T.INT32), s[1]), to=T.FLOAT), net.const(np.float32(s[0]))))
    elif how == "shift":
        last(net, net.op("Cast", sub(net.op("Cast", q, to=T.INT32), 128), to=T.INT8), (s[0], s[1] - 128, np.int8))
    elif how == "u8_to_i8":
        net.plans = ("int8",)  # unrounded codes end at other turns
        last(net, net.op("Cast", q, to=T.INT8), (s[0], -11, np.int8))
    elif how == "i8_to_u8":
        net.plans = ("int8",)
        last(net, net.op("Cast", q, to=T.UINT8), (s[0], 120, np.uint8))
    elif how == "round_trip":
        real = net.op("Cast", q, to=T.FLOAT)
        last(net, net.op("Cast", net.op("Clip", net.op("Round", net.op("Mul", real, net.const(np.float32(0.7)))), net.const(np.float32(0)), net.const(np.float32(255))), to=T.UINT8), (0.02, 80, np.uint8))
    else:
        last(net, net.op("Cast", net.op("Mul", net.op("Cast", q, to=T.FLOAT), net.const(np.float32(0.5))), to=T.UINT8), (0.02, 60, np.uint8))


def between(net, kind, x):
    """One operator on real values in about [-1.4, 1.4], [1, 8, 8, 8]."""
    f = lambda v: net.const(np.asarray(v, np.float32))
    i64 = lambda *v: net.const(np.array(v), np.int64)
    positive = lambda: net.qdq(net.op("Add", net.op("Abs", x), f(0.3)), 1.9 / 255, -128, np.int8)
    other = lambda: net.op("Transpose", x, perm=[0, 1, 3, 2])
    random = lambda *shape: f(net.random.uniform(-1, 1, shape))
    table = {
        "Softmax": lambda: net.op("Softmax", x, axis=1), "LogSoftmax": lambda: net.op("LogSoftmax", x, axis=-1), "LeakyRelu": lambda: net.op("LeakyRelu", x, alpha=0.2),
        "PRelu": lambda: net.op("PRelu", x, random(8, 1, 1)), "Clip": lambda: net.op("Clip", x, f(-0.5), f(0.7)), "Relu6": lambda: net.op("Clip", x, f(0), f(6)),
        "Log": lambda: net.op("Log", positive()), "Sqrt": lambda: net.op("Sqrt", positive()), "Rsqrt": lambda: net.op("Reciprocal", net.op("Sqrt", positive())),
        "Pow": lambda: net.op("Pow", x, f(2)), "AddConst": lambda: net.op("Add", x, random(8, 1, 1)), "MulConst": lambda: net.op("Mul", x, random(8, 1, 1)),
        "DivConst": lambda: net.op("Div", x, f(1.7)), "SubConst": lambda: net.op("Sub", f(0.4), x), "Add": lambda: net.op("Add", x, other()), "Mul": lambda: net.op("Mul", x, other()),
        "Sub": lambda: net.op("Sub", x, other()), "Div": lambda: net.op("Div", x, net.op("Add", net.op("Abs", other()), f(0.5))), "Min": lambda: net.op("Min", x, other()),
        "Max": lambda: net.op("Max", x, other()), "MaxConst": lambda: net.op("Max", x, f(0.2)), "Where": lambda: net.op("Where", net.op("Greater", x, f(0.1)), x, other()),
        "Square": lambda: net.op("Mul", x, x), "MatMul": lambda: net.op("MatMul", x, other()), "MatMulConst": lambda: net.op("MatMul", x, random(8, 12)),
        "AveragePool": lambda: net.op("AveragePool", x, kernel_shape=[3, 3], pads=[1] * 4, strides=[2, 2]), "AverageIncluded": lambda: net.op("AveragePool", x, kernel_shape=[3, 3], pads=[1] * 4, count_include_pad=1),
        "MaxPool": lambda: net.op("MaxPool", x, kernel_shape=[3, 3], pads=[1] * 4), 
        "GlobalAveragePool": lambda: net.op("GlobalAveragePool", x), "GlobalMaxPool": lambda: net.op("GlobalMaxPool", x), "ReduceMean": lambda: net.op("ReduceMean", x, axes=[1], keepdims=1),
        "ReduceSum": lambda: net.op("ReduceSum", x, i64(2, 3), keepdims=0), "ReduceMax": lambda: net.op("ReduceMax", x, axes=[3], keepdims=0), "ReduceL2": lambda: net.op("ReduceL2", x, axes=[1], keepdims=1),
        "ReduceL1": lambda: net.op("ReduceL1", x, axes=[1], keepdims=1), "Instance": lambda: net.op("InstanceNormalization", x, random(8), random(8)),
        "Batch": lambda: net.op("BatchNormalization", x, random(8), random(8), random(8), f(net.random.uniform(0.5, 2, 8))), "LRN": lambda: net.op("LRN", x, size=3),
        "Layer": lambda: net.op("LayerNormalization", x, random(8), random(8), axis=-1), "Lp": lambda: net.op("LpNormalization", x, axis=1, p=2),
        "Nearest": lambda: net.op("Resize", x, "", f([1, 1, 2, 2]), mode="nearest"), "Linear": lambda: net.op("Resize", x, "", f([1, 1, 2, 2]), mode="linear"),
        "Cubic": lambda: net.op("Resize", x, "", f([1, 1, 2, 2]), mode="cubic"), "DepthToSpace": lambda: net.op("DepthToSpace", x, blocksize=2), "SpaceToDepth": lambda: net.op("SpaceToDepth", x, blocksize=2),
        "Transpose": lambda: net.op("Transpose", x, perm=[0, 2, 3, 1]), "Slice": lambda: net.op("Slice", x, i64(1), i64(8), i64(2), i64(2)), "Gather": lambda: net.op("Gather", x, i64(5, 0, 2), axis=1),
        "Expand": lambda: net.op("Expand", net.op("Slice", x, i64(0), i64(1), i64(1)), i64(1, 4, 8, 8)), "Tile": lambda: net.op("Tile", x, i64(1, 1, 2, 1)), "Pad": lambda: net.op("Pad", x, i64(0, 0, 1, 1, 0, 0, 1, 1)),
        "PadValue": lambda: net.op("Pad", x, i64(0, 0, 1, 1, 0, 0, 1, 1), f(0.6)), "PadReflect": lambda: net.op("Pad", x, i64(0, 0, 1, 1, 0, 0, 1, 1), mode="reflect"),
        "ConcatConst": lambda: net.op("Concat", x, random(1, 2, 8, 8), axis=1), "Concat": lambda: net.op("Concat", x, net.op("Mul", x, x), axis=1), "Split": lambda: net.op("Split", x, results=2, axis=1)[1],
        "CumSum": lambda: net.op("CumSum", x, net.const(np.array(2), np.int64)), "TopK": lambda: net.op("TopK", x, i64(3), results=2, axis=-1)[0], "Reshape": lambda: net.op("Reshape", x, i64(1, 64, 8)),
        "Flatten": lambda: net.op("Flatten", x), "Unsqueeze": lambda: net.op("Unsqueeze", x, i64(1)), "Einsum": lambda: net.op("Einsum", x, other(), equation="nchw,nchv->ncwv"),
        "ConvTranspose": lambda: net.op("ConvTranspose", x, random(8, 4, 2, 2), strides=[2, 2]), "Dilated": lambda: net.op("Conv", x, random(4, 8, 3, 3), dilations=[2, 2], pads=[2] * 4),
        "Grouped": lambda: net.op("Conv", x, random(8, 4, 3, 3), group=2, pads=[1] * 4), "GridSample": lambda: net.op("GridSample", x, random(1, 6, 6, 2)),
        "GatherElements": lambda: net.op("GatherElements", x, net.const(net.random.integers(0, 8, (1, 8, 8, 8)), np.int64), axis=2), "Swish": lambda: net.op("Mul", x, net.op("Sigmoid", x)),
        "ScatterND": lambda: net.op("ScatterND", x, net.const(np.array([[0, 1]]), np.int64), random(1, 8, 8)), "Celu": lambda: net.op("Celu", x), "Gemm": lambda: net.op("Gemm", net.op("Reshape", x, i64(8, 64)), random(64, 5), random(5)),
    }
    return table[kind]() if kind in table else net.op(kind, x)


BETWEEN = ["Abs", "Neg", "Exp", "Sigmoid", "Tanh", "HardSigmoid", "HardSwish", "Softplus", "Softsign", "Elu", "Selu", "Relu", "Floor", "Ceil", "Round", "Sin", "Cos", "Erf", "Sign",
           "Softmax", "LogSoftmax", "LeakyRelu", "PRelu", "Clip", "Relu6", "Log", "Sqrt", "Rsqrt", "Pow", "AddConst", "MulConst", "DivConst", "SubConst", "Add", "Mul", "Sub", "Div", "Min",
           "Max", "MaxConst", "Where", "Square", "MatMul", "MatMulConst", "AveragePool", "AverageIncluded", "MaxPool", "GlobalAveragePool", "GlobalMaxPool", "ReduceMean",
           "ReduceSum", "ReduceMax", "ReduceL2", "ReduceL1", "Instance", "Batch", "LRN", "Layer", "Lp", "Nearest", "Linear", "Cubic", "DepthToSpace", "SpaceToDepth", "Transpose", "Slice",
           "Gather", "Expand", "Tile", "Pad", "PadValue", "PadReflect", "ConcatConst", "Concat", "Split", "CumSum", "TopK", "Reshape", "Flatten", "Unsqueeze", "Einsum", "ConvTranspose",
           "Dilated", "Grouped", "GridSample", "GatherElements", "Swish", "ScatterND", "Celu", "Gemm"]


@case(*BETWEEN)
def quantized(net, kind):
    """One operator between DequantizeLinear and QuantizeLinear of another scheme."""
    if kind in ("Where", "Layer", "Log", "Rsqrt"):
        net.plans = ("int8",)  # they make much of half a step
    net.opset = 17 if kind in ("Layer", "GridSample", "HardSwish") else 13
    q, s = first_codes(net, np.int8)
    net.output(net.auto(between(net, kind, net.dq(q, *s))))


# QOperator form

def ql(net, kind, inputs, schemes, result, **attributes):
    """A layer on codes: each input with its scheme, then the scheme of the result."""
    flat = []
    for value, s in zip(inputs, schemes):
        flat += [value, *(net.scheme(*s) if s else ("", ""))]
    return net.op(kind, *flat, *net.scheme(*result), domain="com.microsoft", **attributes)


def qconv(net, q, s, c_in, c_out, result, k=3, groups=1, per_channel=True, **attributes):
    count = c_out if per_channel else 1
    scale = net.random.uniform(0.006, 0.012, count).astype(np.float32)
    w = net.codes((c_out, c_in // groups, k, k))
    bias = net.const(net.random.integers(-3000, 3000, c_out), np.int32)
    return net.op("QLinearConv", q, *net.scheme(*s), w, net.const(scale if per_channel else scale[0]), net.const(np.zeros(count) if per_channel else 0, np.int8),
                  *net.scheme(*result), bias, kernel_shape=[k, k], pads=[k // 2] * 4, group=groups, **attributes)


def q_first(net, dtype, c=8, size=8):
    s = (1 / 127, 128 if dtype == np.uint8 else 0, dtype)
    q = net.q(net.input((1, 3, size, size)), *s)
    r = (0.0155, 117 if dtype == np.uint8 else -11, dtype)
    return qconv(net, q, s, 3, c, r), r


@case(*[(kind, dtype) for kind in MOVES for dtype in BYTES])
def q_move(net, kind, dtype):
    q, s = q_first(net, dtype)
    codes, c = moves(net, kind, q, s)
    r = (0.02, 99 if dtype == np.uint8 else 3, dtype)
    net.output(net.dq(qconv(net, codes, s, c, 4, r), *r))


@case(*[(kind, dtype) for kind in ("maxpool", "transpose", "pad", "split", "nearest") for dtype in BYTES])
def q_move_end(net, kind, dtype):
    q, s = q_first(net, dtype)
    codes, _ = moves(net, kind, q, s)
    net.output(net.dq(codes, *s))


@case("add", "mul", "add_const", "mul_const", "sigmoid", "leaky", "global_average", "average", "concat", "softmax", "softmax_old", "mean", "where", "depthwise", "output_codes")
def q_layer(net, kind):
    q, s = q_first(net, np.uint8)
    r = (0.021, 131, np.uint8)
    if kind == "add":
        p = qconv(net, q, s, 8, 8, r)
        y, r = ql(net, "QLinearAdd", [q, p], [s, r], (0.03, 120, np.uint8)), (0.03, 120, np.uint8)
    elif kind == "mul":
        p = qconv(net, q, s, 8, 8, r)
        y, r = ql(net, "QLinearMul", [q, p], [s, r], (0.02, 120, np.uint8)), (0.02, 120, np.uint8)
    elif kind in ("add_const", "mul_const"):
        k = (0.01, 128, np.uint8)
        y = ql(net, "QLinearAdd" if kind == "add_const" else "QLinearMul", [q, net.codes((8, 1, 1), 100, 180, np.uint8)], [s, k], r)
    elif kind == "sigmoid":
        r = (1 / 256, 0, np.uint8)
        y = ql(net, "QLinearSigmoid", [q], [s], r)
    elif kind == "leaky":
        r = (0.012, 60, np.uint8)
        y = ql(net, "QLinearLeakyRelu", [q], [s], r, alpha=0.1)
    elif kind == "global_average":
        r = (0.006, 117, np.uint8)
        y = ql(net, "QLinearGlobalAveragePool", [q], [s], r, channels_last=0)
    elif kind == "average":
        r = (0.01, 117, np.uint8)
        y = ql(net, "QLinearAveragePool", [q], [s], r, kernel_shape=[3, 3], pads=[1] * 4, strides=[2, 2], count_include_pad=0)
    elif kind == "concat":
        p = qconv(net, q, s, 8, 4, r)
        o = (0.025, 125, np.uint8)
        y, r = net.op("QLinearConcat", *net.scheme(*o), q, *net.scheme(*s), p, *net.scheme(*r), domain="com.microsoft", axis=1), o
    elif kind in ("softmax", "softmax_old"):
        flat = net.op("Reshape", q, net.const(np.array([8, 64]), np.int64))
        r = (1 / 256, 0, np.uint8)
        y = ql(net, "QLinearSoftmax", [flat], [s], r, axis=-1 if kind == "softmax" else 1, opset=13 if kind == "softmax" else 11)
    elif kind == "mean":
        r = (0.008, 117, np.uint8)
        y = ql(net, "QLinearReduceMean", [q], [s], r, axes=[2, 3], keepdims=0)
    elif kind == "where":
        p = qconv(net, q, s, 8, 8, r)
        o = (0.022, 125, np.uint8)
        mask = net.const(net.random.integers(0, 2, (1, 8, 1, 1)).astype(bool), bool)
        y, r = net.op("QLinearWhere", mask, q, *net.scheme(*s), p, *net.scheme(*r), *net.scheme(*o), domain="com.microsoft"), o
    elif kind == "depthwise":
        y = qconv(net, q, s, 8, 8, r, groups=8)
    else:
        net.output(qconv(net, q, s, 8, 4, r))
        return
    net.output(net.dq(y, *r))


@case("matmul", "matmul_channel", "matmul_data", "gemm", "gemm_b", "gemm_float", "other_scale")
def q_matrix(net, kind):
    q, s = q_first(net, np.uint8)
    flat = net.op("Reshape", q, net.const(np.array([8, 64]), np.int64))
    r = (0.03, 131, np.uint8)
    w, ws = net.codes((64, 12)), 0.01
    if kind == "matmul":
        y = net.op("QLinearMatMul", flat, *net.scheme(*s), w, *net.scheme(ws, 0, np.int8), *net.scheme(*r))
    elif kind == "matmul_channel":
        scale = net.random.uniform(0.006, 0.012, 12).astype(np.float32)
        y = net.op("QLinearMatMul", flat, *net.scheme(*s), w, net.const(scale), net.const(np.zeros(12), np.int8), *net.scheme(*r))
    elif kind == "matmul_data":
        y = net.op("QLinearMatMul", flat, *net.scheme(*s), net.op("Transpose", flat, perm=[1, 0]), *net.scheme(*s), *net.scheme(0.05, 128))
        r = (0.05, 128, np.uint8)
    elif kind in ("gemm", "gemm_b", "gemm_float"):
        wt = net.codes((12, 64))
        bias = net.const(net.random.integers(-2000, 2000, 12), np.int32) if kind != "gemm" else ""
        tail = net.scheme(*r) if kind != "gemm_float" else ()
        y = net.op("QGemm", flat, *net.scheme(*s), wt, *net.scheme(ws, 0, np.int8), bias, *tail, domain="com.microsoft", transB=1, alpha=1.0)
        if kind == "gemm_float":
            net.output(net.qdq(y, *r))
            return
    else:
        t = (s[0] * 1.3, s[1] + 3, np.uint8)
        y = net.op("QLinearMatMul", flat, *net.scheme(*t), w, *net.scheme(ws, 0, np.int8), *net.scheme(*r))
    net.output(net.dq(y, *r))


@case("conv", "conv_two", "conv_bias", "conv_dq", "matmul", "matmul_bias", "moved", "zero_point", "input", "weights_zero", "dynamic")
def integer_layers(net, kind):
    real = lambda v: net.op("Cast", v, to=T.FLOAT)
    if kind == "input":
        q, s, c = net.input((1, 3, 8, 8), np.uint8), (1 / 64, 128, np.uint8), 3
        net.read_as[q] = (1, 128)
    else:
        (q, s), c = q_first(net, np.uint8), 8
    if kind == "moved":
        q = net.op("MaxPool", q, kernel_shape=[2, 2], strides=[2, 2])
    zero = net.const(s[1] + (5 if kind == "zero_point" else 0), np.uint8)
    ws = 0.008
    if kind.startswith("matmul"):
        y = net.op("MatMulInteger", net.op("Reshape", q, net.const(np.array([8, 64]), np.int64)), net.codes((64, 12)), zero)
        if kind == "matmul_bias":
            y = net.op("Add", y, net.const(net.random.integers(-3000, 3000, 12), np.int32))
        y = net.op("Mul", real(y), net.const(np.float32(s[0] * ws)))
    elif kind == "dynamic":
        codes, scale, point = net.op("DynamicQuantizeLinear", net.dq(q, *s), results=3)
        y = net.op("Mul", real(net.op("ConvInteger", codes, net.codes((4, c, 3, 3)), point, pads=[1] * 4)), net.op("Mul", scale, net.const(np.float32(ws))))
    else:
        w = net.codes((4, c, 3, 3), -25, 37) if kind == "weights_zero" else net.codes((4, c, 3, 3))
        more = [net.const(6, np.int8)] if kind == "weights_zero" else []
        y = net.op("ConvInteger", q, w, zero, *more, pads=[1] * 4)
        if kind == "conv_bias":
            y = net.op("Add", y, net.const(net.random.integers(-3000, 3000, (4, 1, 1)), np.int32))
        if kind == "conv_dq":
            y = net.op("DequantizeLinear", y, net.const(np.float32(s[0] * ws)))
        elif kind == "conv_two":
            y = net.op("Mul", net.op("Mul", real(y), net.const(np.float32(s[0]))), net.const(np.float32(ws)))
        else:
            y = net.op("Mul", real(y), net.const(np.float32(s[0] * ws)))
    net.output(net.qdq(y, 0.02, 0, np.int8))


# Refused, by the node that computes on codes

@case("Mod", "BitwiseAnd")
def refused(net, kind):
    net.opset = 18
    q, s = first_codes(net, np.uint8)
    y = net.op(kind, q, net.const(7, np.uint8), name="culprit")
    net.refused = "culprit"
    last(net, y, s)


@case("pad", "matmul_pad")
def constants_that_move(net, kind):
    """Codes of weights behind operators, and scales that nodes compute."""
    x = net.qdq(net.input((1, 3, 8, 8)), 1 / 127, 0, np.int8)
    codes = net.op("Transpose", net.codes((3, 3, 3, 8)), perm=[3, 2, 0, 1])
    scale = net.op("Squeeze", net.const(net.random.uniform(0.006, 0.012, (1, 8)).astype(np.float32)), net.const(np.array([0]), np.int64))
    w = net.op("DequantizeLinear", codes, scale, net.op("Cast", net.const(np.zeros(8), np.int32), to=T.INT8), axis=0)
    net.output(net.qdq(net.op("Conv", x, w, pads=[1] * 4), 0.02, 0, np.int8))


# An int8 SSD of TensorFlow Lite, every operator between DequantizeLinear and QuantizeLinear

class Lite:
    """int8 tensors with their schemes, each operator between DequantizeLinear and QuantizeLinear, as converters of .tflite files write them."""

    def __init__(self, net):
        self.net = net
        self.schemes = {}

    def real(self, q):
        return self.net.dq(q, *self.schemes[q])

    def quantized(self, real, scale, zero):
        q = self.net.q(real, scale, zero, np.int8)
        self.schemes[q] = (scale, zero, np.int8)
        return q

    def op(self, kind, inputs, scale=None, zero=None, more=(), **attributes):
        """Without a scale: that of the first input."""
        if scale is None:
            scale, zero, _ = self.schemes[inputs[0]]
        return self.quantized(self.net.op(kind, *[self.real(i) for i in inputs], *more, **attributes), scale, zero)

    def conv(self, q, c_in, c_out, k=1, stride=1, depthwise=False, scale=6 / 255, zero=-128, axis=0, pads=None):
        net = self.net
        groups = c_in if depthwise else 1
        shape = (c_out, c_in // groups, k, k)
        weight_scale = (net.random.uniform(0.5, 1.5, c_out) / 74 / np.sqrt(k * k * c_in / groups)).astype(np.float32)
        codes = net.random.integers(-127, 128, shape)
        if axis == 0:
            w = net.op("DequantizeLinear", net.const(codes, np.int8), net.const(weight_scale), net.const(np.zeros(c_out), np.int8), axis=0)
        else:  # as the file has them, [1, k, k, c], and turned to ONNX's order
            turned = net.const(np.ascontiguousarray(codes.transpose(1, 2, 3, 0)), np.int8)
            w = net.op("DequantizeLinear", turned, net.const(weight_scale), net.const(np.zeros(c_out), np.int8), axis=3)
            w = net.op("Transpose", w, perm=[3, 0, 1, 2])
        in_scale = self.schemes[q][0]
        bias_scale = (in_scale * weight_scale).astype(np.float32)
        bias = net.op("DequantizeLinear", net.const(np.round(net.random.uniform(-0.3, 0.6, c_out) / bias_scale), np.int32), net.const(bias_scale), net.const(np.zeros(c_out), np.int32), axis=0)
        y = net.op("Conv", self.real(q), w, bias, kernel_shape=[k, k], strides=[stride] * 2, group=groups, **({"pads": pads or [k // 2] * 4}))
        return self.quantized(y, scale, zero)


@case("all", "backbone", "heads", "pool", "fully", "resize", "pack", "uint8_input", "relu6")
def lite_ssd(net, part):
    t, i64 = Lite(net), lambda *v: net.const(np.array(v), np.int64)
    every = part == "all"
    if part == "uint8_input":
        x = net.input((1, 16, 16, 3), np.uint8)
        f = net.op("Transpose", net.dq(x, 1.0, 0), perm=[0, 3, 1, 2])
        q = t.quantized(net.op("Mul", net.op("Sub", f, net.const(np.float32(127.3))), net.const(np.float32(1 / 127.5))), 1 / 127.5, 0)
    else:
        x = net.input((1, 16, 16, 3))
        q = t.quantized(x, 1 / 127.5, -1)
        q = t.op("Transpose", [q], perm=[0, 3, 1, 2])
    if part == "relu6":
        r = net.op("Clip", net.conv(t.real(q), 3, 8), net.const(np.float32(0)), net.const(np.float32(6)))
        a = t.quantized(r, 6 / 255, -128)
    else:
        p = t.op("Pad", [q], more=(i64(0, 0, 0, 0, 0, 0, 1, 1),))
        a = t.conv(p, 3, 8, 3, 2, pads=[0] * 4)
    b = t.conv(t.conv(a, 8, 8, 3, depthwise=True, axis=1), 8, 16, scale=0.05, zero=7)
    c = t.conv(t.conv(b, 16, 16, 3, depthwise=True), 16, 16, scale=0.04, zero=-3)
    d = t.op("Add", [b, c], 0.07, 4)
    if part in ("backbone", "uint8_input", "relu6"):
        net.output(net.dq(d, *t.schemes[d]))
        return
    e = t.conv(t.conv(d, 16, 16, 3, 2, depthwise=True), 16, 24, scale=6 / 255, zero=-128)
    maps = [(d, 16, 8), (e, 24, 4)]
    if every or part == "heads":
        net.plans = ("int8",)  # a step of the scores is 4.5 of their probabilities, unrounded or not
        boxes, scores = [], []
        for m, c_in, size in maps:
            box = t.conv(m, c_in, 8, scale=0.06, zero=5)
            score = t.conv(m, c_in, 6, scale=0.07 if size == 8 else 0.0553, zero=-20)
            boxes.append(t.op("Reshape", [t.op("Transpose", [box], perm=[0, 2, 3, 1])], more=(i64(1, size * size * 2, 4),)))
            scores.append(t.op("Reshape", [t.op("Transpose", [score], perm=[0, 2, 3, 1])], more=(i64(1, size * size * 2, 3),)))
        b_all = t.op("Concat", boxes, 0.06, 5, axis=1)
        s_all = t.op("Concat", scores, 0.07, -20, axis=1)
        net.output(net.dq(b_all, *t.schemes[b_all]), net.dq(t.op("Sigmoid", [s_all], 1 / 256, -128), 1 / 256, -128, np.int8))
    if every or part == "pool":
        m = t.op("MaxPool", [d], kernel_shape=[2, 2], strides=[2, 2])
        v = t.op("AveragePool", [d], kernel_shape=[2, 2], strides=[2, 2])
        j = t.op("Concat", [m, v, e], 0.07, 4, axis=1)
        g = t.op("ReduceMean", [j], 0.03, -10, axes=[2, 3], keepdims=0)
        net.output(net.dq(g, *t.schemes[g]))
    if every or part == "fully":
        g = t.op("ReduceMean", [e], 0.015, -128, axes=[2, 3], keepdims=1)
        flat = t.op("Reshape", [t.op("Squeeze", [g], more=(i64(2, 3),))], more=(i64(1, 24),))
        w = net.op("DequantizeLinear", net.const(net.random.integers(-127, 128, (10, 24)), np.int8), net.const(np.float32(0.01)), net.const(0, np.int8))
        bias = net.op("DequantizeLinear", net.const(net.random.integers(-2000, 2000, 10), np.int32), net.const(np.float32(0.015 * 0.01)), net.const(0, np.int32))
        y = t.quantized(net.op("Add", net.op("MatMul", t.real(flat), net.op("Transpose", w, perm=[1, 0])), bias), 0.05, 6)
        p = t.op("Softmax", [y], 1 / 256, -128, axis=-1)
        net.output(net.dq(p, 1 / 256, -128, np.int8))
    if every or part == "resize":
        u = t.op("Resize", [e], more=("", "", i64(1, 24, 8, 8)), mode="linear", coordinate_transformation_mode="half_pixel")
        k = t.op("Concat", [u, d], 0.06, -10, axis=1)
        s = t.op("Slice", [k], more=(i64(0, 0, 1, 0), i64(1, 30, 8, 8), i64(0, 1, 2, 3), i64(1, 2, 2, 1)))
        net.output(net.dq(s, *t.schemes[s]))
    if every or part == "pack":
        halves = net.op("Split", t.real(d), results=2, axis=1)
        one, two = (t.quantized(h, *t.schemes[d][:2]) for h in halves)
        packed = t.quantized(net.op("Concat", net.op("Unsqueeze", t.real(one), i64(1)), net.op("Unsqueeze", t.real(two), i64(1)), axis=1), *t.schemes[d][:2])
        m = t.op("Mul", [packed, t.op("Relu", [packed])], 0.2, -90)
        last_part = t.op("Neg", [t.op("Squeeze", [t.op("Slice", [m], more=(i64(1), i64(2), i64(1)))], more=(i64(1),))], 0.2, 80)
        net.output(net.dq(last_part, *t.schemes[last_part]))


def grid(values):
    """The step of a quantized reference, or None."""
    unique = np.unique(values[np.isfinite(values)])
    if not 2 < unique.size <= 256:
        return None
    step = np.diff(unique).min()
    steps = np.diff(unique) / step
    return float(step) if step > 0 and np.abs(steps - np.round(steps)).max() < 0.02 * max(1, steps.max() / 50) and steps.sum() < 260 else None


def judge(plan, got, want):
    if got.size != want.size or not np.isfinite(got).all():
        return "wrong size, NaN or infinity", False
    error = np.abs(got - want)
    db = 10 * np.log10(max(((want - want.mean()) ** 2).sum(), 1e-300) / max((error ** 2).sum(), 1e-300))
    step = grid(want)
    if step is None:
        return f"{db:.1f} dB", bool(db >= 25 or error.max() < 1e-6)
    near, worst, rms = float((error <= 1.01 * step).mean()), float(error.max() / step), float(np.sqrt((error ** 2).mean()) / step)
    return f"{100 * near:.1f} % within a step, rms {rms:.2f}, worst {worst:.1f}", near >= 0.995 and worst <= 3.01 if plan == "int8" else rms <= 1 and worst <= 4.01


def run_case(name, net, programs, folder, reference):
    def run(*command):
        return subprocess.run(command, capture_output=True, text=True, check=False)

    inputs = ",".join(f"{folder}/{name}.{n}.npy" for n, _, _ in net.inputs)
    blob = f"{folder}/{name}.octet"
    done = run(f"{programs}/octet", "convert", f"{folder}/{name}.onnx", "-o", blob, "--calibrate", inputs, "--effort", "fast", "--json")
    message = (done.stderr.strip().split("\n") or [""])[-1]
    if net.refused:
        return done.returncode == 2 and f"'{net.refused}'" in message, f"{done.returncode}: {message}"
    if done.returncode:
        return False, f"convert {done.returncode}: {message}"
    if os.path.exists(reference + ".error"):
        with open(reference + ".error", encoding="utf-8") as file:
            why = file.read()
        return "Could not find an implementation" in why, "ONNX Runtime: " + why[:200]
    good, texts = True, []
    for plan in net.plans:
        out = f"{folder}/{name}.{plan}"
        ran = run(f"{programs}/octet-run", blob, "--plan", plan, "--output", out + ".npy", "--input", inputs)
        if ran.returncode:
            return False, f"{plan}: {ran.stderr.strip()[-200:]}"
        for i in range(len(net.outputs)):
            want = np.fromfile(f"{reference}.{i}", np.float32).astype(float)
            scheme = net.codes_at_end.get(net.outputs[i])
            if scheme:
                want = (want - scheme[1]) * scheme[0]
            got = np.load(f"{out}.npy" if os.path.exists(f"{out}.npy") else f"{out}.{i}.npy").ravel().astype(float)
            text, passed = judge(plan, got, want)
            good = good and passed
            texts.append(f"{plan} {text}")
    return good, "; ".join(texts)


def quantized_outputs(net):
    """Schemes of outputs that are codes: the blob gives their real values."""
    constants = {c.name: numpy_helper.to_array(c) for c in net.constants}
    result = {}
    for node in net.nodes:
        at = {"QuantizeLinear": (1, 2), "QLinearConv": (6, 7)}.get(node.op_type)
        if at and node.output[0] in net.outputs:
            result[node.output[0]] = tuple(float(constants[node.input[i]]) for i in at)
    return result


def run_reference(folder, ort, runs):
    with open(f"{folder}/request.json", "w", encoding="utf-8") as file:
        json.dump({"ort": ort, "runs": runs}, file)
    subprocess.run(["node", f"{folder}/run.cjs", f"{folder}/request.json"], check=True)


def main():
    programs, ort, wanted = sys.argv[1], sys.argv[2], sys.argv[3:]
    names = [n for n in CASES if not wanted or any(w in n for w in wanted)]
    with tempfile.TemporaryDirectory() as folder:
        folder = os.environ.get("KEEP", folder)
        os.makedirs(folder, exist_ok=True)
        nets, runs = {}, []
        for name in names:
            function, arguments = CASES[name]
            net = nets[name] = Net(seed=sum(map(ord, name)))
            function(net, *arguments)
            net.codes_at_end = quantized_outputs(net)
            onnx.save(net.model(), f"{folder}/{name}.onnx")
            for n, _, _ in net.inputs:
                scale, zero = net.read_as.get(n, (1, 0))
                np.save(f"{folder}/{name}.{n}.npy", (net.samples[n] - np.float32(zero)) * np.float32(scale))
                net.samples[n].tofile(f"{folder}/{name}.{n}.bin")
            runs.append({"model": f"{folder}/{name}.onnx", "samples": 4, "outputs": net.outputs, "result": f"{folder}/{name}.ort",
                         "inputs": [{"name": n, "file": f"{folder}/{name}.{n}.bin", "shape": list(s), "type": {T.FLOAT: "float32", T.UINT8: "uint8", T.INT8: "int8"}[t]} for n, t, s in net.inputs]})
        with open(f"{folder}/run.cjs", "w", encoding="utf-8") as file:
            file.write(NODE)
        measured = []
        for name, run in zip(names, runs):
            if nets[name].automatic:
                outputs, nets[name].outputs = nets[name].outputs, [nets[name].automatic[0]]
                onnx.save(nets[name].model(), f"{folder}/{name}.real.onnx")
                nets[name].outputs = outputs
                measured.append({**run, "model": f"{folder}/{name}.real.onnx", "outputs": [nets[name].automatic[0]], "result": f"{folder}/{name}.real"})
        run_reference(folder, ort, measured)
        for name in names:
            if nets[name].automatic and os.path.exists(f"{folder}/{name}.real.0"):
                nets[name].choose(np.fromfile(f"{folder}/{name}.real.0", np.float32))
                onnx.save(nets[name].model(), f"{folder}/{name}.onnx")
        run_reference(folder, ort, runs)
        failed = 0
        for name in names:
            passed, text = run_case(name, nets[name], programs, folder, f"{folder}/{name}.ort")
            failed += not passed
            print(("pass " if passed else "FAIL ") + name + ": " + text, flush=True)
    print(f"{failed} of {len(names)} fail")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
