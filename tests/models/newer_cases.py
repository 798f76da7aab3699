"""Models of one operator or a few, of what opsets 18 to 24 brought: what newer_operators.py tries.

CASES maps a name to a function that fills a Net. A name begins with the operator's. Live inputs are float32 with SAMPLES samples,
and differ from sample to sample. Everything is seeded by the name.
"""
import zlib

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper, numpy_helper

SAMPLES = 4
CASES = {}


class Net:
    """A graph under construction; methods return names of values."""

    def __init__(self, name: str):
        self.random = np.random.default_rng(zlib.crc32(name.encode()))
        self.name, self.opset, self.nodes, self.constants, self.inputs, self.outputs = name, 23, [], [], {}, []
        self.count = 0

    def fresh(self, base: str) -> str:
        self.count += 1
        return f"{base}{self.count}"

    def const(self, value, dtype=None) -> str:
        array = np.asarray(value)
        if dtype is None:
            dtype = {"f": np.float32, "b": np.bool_}.get(array.dtype.kind, np.int64)
        name = self.fresh("c")
        self.constants.append(numpy_helper.from_array(array.astype(dtype), name))
        return name

    def weights(self, *shape, scale=None) -> str:
        size = shape[-2] if len(shape) > 1 else 4
        return self.const(self.random.normal(0, scale or size ** -0.5, shape).astype(np.float32))

    def input(self, *shape, low=-1.0, high=1.0) -> str:
        name = self.fresh("x")
        self.inputs[name] = self.random.uniform(low, high, (SAMPLES, *shape[1:])).astype(np.float32)
        return name

    def op(self, kind: str, *inputs, results=1, **attributes):
        names = [self.fresh("t") for _ in range(results)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=self.fresh(kind), **attributes))
        return names[0] if results == 1 else names

    def out(self, *names) -> None:
        self.outputs += names

    def model(self) -> onnx.ModelProto:
        info = [helper.make_tensor_value_info(n, T.FLOAT, [1, *a.shape[1:]]) for n, a in self.inputs.items()]
        outputs = [helper.make_empty_tensor_value_info(n) for n in self.outputs]
        for value in outputs:
            value.type.tensor_type.elem_type = T.FLOAT
        graph = helper.make_graph(self.nodes, self.name, info, outputs, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)])
        model.ir_version = 10
        return model


def case_for(into: dict):
    def case(function):
        into[function.__name__] = function
        return function
    return case


def cases_for(into: dict):
    def cases(prefix: str, **variants):
        """One case for each keyword, PREFIX_KEYWORD, with its value as arguments of the function."""
        def add(function):
            for name, words in variants.items():
                into[f"{prefix}_{name}"] = lambda net, words=words: function(net, **words)
            return function
        return add
    return cases


case, cases = case_for(CASES), cases_for(CASES)


# Attention-23 and -24

def heads(net: Net, batch_heads: int, length: int, size: int) -> str:
    return net.input(1, batch_heads, length, size, low=-2, high=2)


@cases("attention", four={}, scale=dict(scale=0.7), causal=dict(is_causal=1), softcap=dict(softcap=1.5),
       causal_wide=dict(is_causal=1, keys=11), causal_tall=dict(is_causal=1, keys=5), other_values=dict(value_size=12),
       precise=dict(softmax_precision=1), cross=dict(keys=13), shared_keys=dict(kv_heads=2), one_key=dict(kv_heads=1),
       shared_causal=dict(kv_heads=2, is_causal=1), opset24=dict(opset=24), opset24_causal=dict(opset=24, is_causal=1),
       opset24_shared=dict(opset=24, kv_heads=2, softcap=2.0))
def attention(net, keys=8, value_size=8, kv_heads=4, opset=23, **attributes):
    net.opset = opset
    net.out(net.op("Attention", heads(net, 4, 8, 8), heads(net, kv_heads, keys, 8), heads(net, kv_heads, keys, value_size),
                   **attributes))


@cases("attention_three", plain={}, causal=dict(is_causal=1), shared=dict(kv=2), shared_causal=dict(kv=1, is_causal=1))
def attention_three(net, kv=4, **attributes):
    x = net.input(1, 10, 32)
    q, k, v = (net.op("MatMul", x, net.weights(32, n)) for n in (32, 8 * kv, 8 * kv))
    y = net.op("Attention", q, k, v, q_num_heads=4, kv_num_heads=kv, **attributes)
    net.out(net.op("MatMul", y, net.weights(32, 32)))


def lower(rows, columns):
    return np.tril(np.ones((rows, columns), bool))


MASKS = {
    "bools": lambda r: r.random((6, 9)) > 0.4, "bools_four": lambda r: r.random((1, 4, 6, 9)) > 0.4,
    "bools_heads": lambda r: r.random((4, 6, 9)) > 0.3, "causal": lambda r: lower(6, 9),
    "row": lambda r: np.arange(6)[:, None].repeat(9, 1) != 2,
    "floats": lambda r: r.normal(0, 2, (6, 9)), "infinity": lambda r: np.where(lower(6, 9), 0.0, -np.inf),
    "lowest": lambda r: np.where(lower(6, 9), 0.0, np.finfo(np.float32).min),
    "thousands": lambda r: np.where(r.random((1, 1, 6, 9)) > 0.4, 0.0, -1e4),
    "thousands_row": lambda r: np.where(np.arange(6)[:, None].repeat(9, 1) != 2, 0.0, -1e4),
    "infinity_row": lambda r: np.where(np.arange(6)[:, None].repeat(9, 1) != 2, 0.0, -np.inf),
}


@cases("attention_mask", **{name: dict(mask=mask) for name, mask in MASKS.items()})
def attention_mask(net, mask):
    net.out(net.op("Attention", heads(net, 4, 6, 8), heads(net, 4, 9, 8), heads(net, 4, 9, 8), net.const(mask(net.random))))


@case
def attention_mask_and_causal(net):
    mask = net.random.random((6, 9)) > 0.3
    mask[:, 0] = True
    net.out(net.op("Attention", heads(net, 4, 6, 8), heads(net, 4, 9, 8), heads(net, 4, 9, 8), net.const(mask), is_causal=1))


@cases("attention_sample", bools=dict(kind="bool"), floats=dict(kind="float"), thousands=dict(kind="where"),
       last=dict(kind="bool", opset=24),
       rows=dict(kind="bool", high=0.1), rows_causal=dict(kind="bool", high=0.4, is_causal=1))
def attention_sample(net, kind, opset=23, high=2, **attributes):
    """The mask comes with the sample."""
    net.opset = opset
    q, k, v, m = heads(net, 2, 6, 8), heads(net, 2, 9, 8), heads(net, 2, 9, 8), net.input(1, 1, 6, 9, low=-1, high=high)
    if kind == "float":
        mask = net.op("Mul", m, net.const(3.0))
    else:
        mask = net.op("Greater", m, net.const(0.0))
        if kind == "where":
            mask = net.op("Where", mask, net.const(0.0), net.const(-1e4))
    net.out(net.op("Attention", q, k, v, mask, **attributes))


@cases("attention_past", plain={}, causal=dict(is_causal=1), opset24=dict(opset=24, is_causal=1))
def attention_past(net, opset=23, **attributes):
    net.opset = opset
    q, k, v = heads(net, 2, 3, 8), heads(net, 2, 3, 8), heads(net, 2, 3, 8)
    net.out(*net.op("Attention", q, k, v, "", heads(net, 2, 5, 8), heads(net, 2, 5, 8), results=3, **attributes))


@cases("attention_scores", raw=dict(mode=0), masked=dict(mode=1), capped=dict(mode=2), softmax=dict(mode=3))
def attention_scores(net, mode):
    y, _, _, scores = net.op("Attention", heads(net, 2, 6, 8), heads(net, 2, 9, 8), heads(net, 2, 9, 8),
                             net.const(net.random.normal(0, 1, (6, 9))), results=4, softcap=2.5, qk_matmul_output_mode=mode)
    net.out(y, scores)


@case
def attention_padded(net):
    net.opset = 24
    net.out(net.op("Attention", heads(net, 2, 6, 8), heads(net, 2, 9, 8), heads(net, 2, 9, 8), "", "", "", net.const([7])))


# Attention in parts, as exporters wrote it before opset 23

@cases("sdpa", bools=dict(kind="bool"), guarded=dict(kind="guard"), sample=dict(kind="sample"), causal=dict(kind="causal"))
def sdpa(net, kind):
    net.opset = 18
    q, k, v = heads(net, 2, 7, 8), heads(net, 2, 7, 8), heads(net, 2, 7, 8)
    scores = net.op("Mul", net.op("MatMul", q, net.op("Transpose", k, perm=[0, 1, 3, 2])), net.const(0.35))
    infinity = net.const(-np.inf)
    if kind == "sample":
        keep = net.op("Greater", net.input(1, 1, 7, 7, low=-1, high=3), net.const(0.0))
    else:
        mask = lower(7, 7) if kind == "causal" else net.random.random((7, 7)) > 0.3
        mask[:, 0] = True
        if kind == "guard":
            mask[3] = False
        keep = net.const(mask)
    p = net.op("Softmax", net.op("Where", keep, scores, infinity), axis=-1)
    if kind == "guard":  # torch writes this: a row that is masked whole gives zeros
        p = net.op("Where", net.op("IsNaN", p), net.const(0.0), p)
    net.out(net.op("MatMul", p, v))


# RotaryEmbedding-23

def angles(shape):
    half = np.arange(shape[-1]) / shape[-1]
    positions = np.arange(shape[-2])[:, None] * 100.0 ** -half
    return np.broadcast_to(positions, shape)


@cases("rotary", plain={}, interleaved=dict(interleaved=1), partial=dict(rotary=4),
       partial_interleaved=dict(rotary=4, interleaved=1), positions=dict(positions=True), opset24=dict(opset=24),
       positions_interleaved=dict(positions=True, interleaved=1))
def rotary(net, rotary=0, positions=False, interleaved=0, opset=23):
    net.opset = opset
    half = (rotary or 8) // 2
    a = angles((16, half) if positions else (1, 6, half))
    more = [net.const([[3, 4, 5, 9, 1, 0]])] if positions else []
    net.out(net.op("RotaryEmbedding", net.input(1, 3, 6, 8), net.const(np.cos(a)), net.const(np.sin(a)), *more,
                   interleaved=interleaved, rotary_embedding_dim=rotary))


@cases("rotary_three", plain={}, partial=dict(rotary=4), interleaved=dict(interleaved=1))
def rotary_three(net, rotary=0, interleaved=0):
    a = angles((1, 6, (rotary or 8) // 2))
    net.out(net.op("RotaryEmbedding", net.input(1, 6, 24), net.const(np.cos(a)), net.const(np.sin(a)), num_heads=3,
                   interleaved=interleaved, rotary_embedding_dim=rotary))


@case
def rotary_block(net):
    """A decoder's block: RMSNormalization, projections, rotated queries and keys, causal attention, a gated layer."""
    x = net.input(1, 8, 32)
    n = net.op("RMSNormalization", x, net.const(net.random.uniform(0.5, 1.5, 32)))
    a = angles((1, 8, 4))
    cos, sin = net.const(np.cos(a)), net.const(np.sin(a))
    q, k, v = (net.op("MatMul", n, net.weights(32, size)) for size in (32, 16, 16))
    q = net.op("RotaryEmbedding", q, cos, sin, num_heads=4)
    k = net.op("RotaryEmbedding", k, cos, sin, num_heads=2)
    y = net.op("Attention", q, k, v, q_num_heads=4, kv_num_heads=2, is_causal=1)
    x = net.op("Add", x, net.op("MatMul", y, net.weights(32, 32)))
    n = net.op("RMSNormalization", x, net.const(net.random.uniform(0.5, 1.5, 32)))
    gate = net.op("MatMul", n, net.weights(32, 64))
    gate = net.op("Mul", gate, net.op("Sigmoid", gate))
    net.out(net.op("Add", x, net.op("MatMul", net.op("Mul", gate, net.op("MatMul", n, net.weights(32, 64))), net.weights(64, 32))))


# Normalizations

@cases("rms", last=dict(axis=-1), two=dict(axis=-2), all=dict(axis=1), epsilon=dict(axis=-1, epsilon=0.1),
       opset24=dict(axis=-1, opset=24))
def rms(net, axis, epsilon=1e-5, opset=23):
    net.opset = opset
    shape = (1, 5, 6, 8)
    net.out(net.op("RMSNormalization", net.input(*shape), net.const(net.random.uniform(0.5, 1.5, shape[axis:])), axis=axis,
                   epsilon=epsilon))


@cases("group_norm", two=dict(groups=2), one=dict(groups=1), each=dict(groups=8), line=dict(groups=4, rest=(10,)),
       epsilon=dict(groups=2, epsilon=0.2), opset24=dict(groups=2, opset=24))
def group_norm(net, groups, rest=(5, 6), epsilon=1e-5, opset=21):
    net.opset = opset
    x = net.op("Mul", net.input(1, 8, *rest), net.const(net.random.uniform(0.5, 3, (8, *[1] * len(rest)))))
    net.out(net.op("GroupNormalization", x, net.const(net.random.uniform(0.5, 1.5, 8)), net.const(net.random.normal(0, 1, 8)),
                   num_groups=groups, epsilon=epsilon))


# Recurrence. Opset 14 and 22 differ in types alone.

@cases("recurrent", lstm=dict(op="LSTM"), lstm_both=dict(op="LSTM", direction="bidirectional", lengths=(7, 3), batch=2, state=True),
       lstm_peepholes=dict(op="LSTM", peepholes=True, clip=1.5, input_forget=1), gru=dict(op="GRU", direction="reverse", state=True),
       gru_both=dict(op="GRU", direction="bidirectional", linear_before_reset=1, lengths=(5,)),
       rnn=dict(op="RNN", direction="bidirectional", activations=["HardSigmoid", "ScaledTanh"], activation_alpha=[0.3, 0.8],
                activation_beta=[0.4, 1.2]))
def recurrent(net, op, direction="forward", batch=1, lengths=None, state=False, peepholes=False, opset=22, **attributes):
    net.opset = opset
    steps, size, hidden, d = 9, 11, 21, 2 if direction == "bidirectional" else 1
    rows = {"RNN": 1, "GRU": 3, "LSTM": 4}[op] * hidden
    x = net.op("Reshape", net.input(1, steps * batch * size), net.const([steps, batch, size]))
    inputs = [net.weights(d, rows, size, scale=0.3), net.weights(d, rows, hidden, scale=0.2), net.weights(d, 2 * rows, scale=0.3),
              net.const(np.array(lengths[:batch]), np.int32) if lengths else ""]
    states = [net.op("Reshape", net.input(1, d * batch * hidden), net.const([d, batch, hidden]))
              for _ in range((2 if op == "LSTM" else 1) if state else 0)]
    if peepholes:
        states = ["", "", net.weights(d, 3 * hidden, scale=0.3)]
    results = net.op(op, x, *inputs, *states, results=3 if op == "LSTM" else 2, hidden_size=hidden, direction=direction, **attributes)
    net.out(*(net.op("Reshape", result, net.const([1, -1])) for result in results))


# Sampling

@cases("affine_grid", edges={}, centres=dict(align_corners=1), grid=dict(sample=False), grid_centres=dict(sample=False, align_corners=1),
       wide=dict(size=(1, 2, 3, 17)))
def affine_grid(net, size=(1, 2, 7, 9), sample=True, align_corners=0):
    theta = net.op("Reshape", net.op("Add", net.input(1, 6, low=-0.3, high=0.3), net.const([[1, 0.2, 0, -0.2, 1, 0.0]])),
                   net.const([1, 2, 3]))
    grid = net.op("AffineGrid", theta, net.const(list(size)), align_corners=align_corners)
    net.opset = 20
    if sample:
        grid = net.op("GridSample", net.input(1, 2, 8, 8), grid, align_corners=align_corners, mode="linear")
    net.out(grid)


@case
def affine_grid_volume(net):
    net.opset = 20
    theta = net.op("Reshape", net.input(1, 12), net.const([1, 3, 4]))
    net.out(net.op("AffineGrid", theta, net.const([1, 2, 3, 4, 5]), align_corners=0))


@cases("deform_conv", plain={}, mask=dict(mask=True), bias=dict(bias=True), strides=dict(strides=[2, 2]),
       dilations=dict(dilations=[2, 1], pads=[2, 1, 2, 1]), groups=dict(group=2), offset_groups=dict(offset_group=2),
       far=dict(reach=6.0), point=dict(kernel=(1, 1), pads=[0, 0, 0, 0]), all=dict(mask=True, bias=True, group=2, offset_group=4,
                                                                                 strides=[2, 1], kernel=(3, 2)))
def deform_conv(net, mask=False, bias=False, strides=(1, 1), dilations=(1, 1), pads=(1, 1, 1, 1), group=1, offset_group=1, reach=1.5,
                kernel=(3, 3)):
    net.opset = 19
    size = [(9 + pads[i] + pads[i + 2] - dilations[i] * (kernel[i] - 1) - 1) // strides[i] + 1 for i in (0, 1)]
    taps = kernel[0] * kernel[1]
    x = net.input(1, 8, 9, 9)
    offsets = net.input(1, 2 * offset_group * taps, *size, low=-reach, high=reach)
    more = [net.const(net.random.normal(0, 0.5, 6))] if bias else [""] if mask else []
    more += [net.input(1, offset_group * taps, *size, low=0, high=1)] if mask else []
    net.out(net.op("DeformConv", x, net.weights(6, 8 // group, *kernel, scale=0.2), offsets, *more, strides=list(strides),
                   dilations=list(dilations), pads=list(pads), group=group, offset_group=offset_group, kernel_shape=list(kernel)))


@cases("col2im", blocks=dict(strides=[2, 2]), overlap={}, pads=dict(pads=[1, 0, 1, 2]), dilations=dict(dilations=[2, 1]),
       line=dict(image=(11,), block=(3,), strides=[2]), volume=dict(image=(4, 4, 6), block=(2, 2, 2), strides=[2, 2, 2]),
       rest=dict(image=(7, 9), strides=[2, 2]))
def col2im(net, image=(6, 8), block=(2, 2), strides=None, pads=None, dilations=None):
    net.opset = 18
    rank = len(image)
    strides, dilations, pads = strides or [1] * rank, dilations or [1] * rank, pads or [0] * 2 * rank
    columns = 1
    for i in range(rank):
        columns *= (image[i] + pads[i] + pads[i + rank] - dilations[i] * (block[i] - 1) - 1) // strides[i] + 1
    net.out(net.op("Col2Im", net.input(1, 3 * int(np.prod(block)), columns), net.const(list(image)), net.const(list(block)),
                   strides=strides, pads=pads, dilations=dilations))


# Small operators and newer forms

@cases("swish", one={}, half=dict(alpha=0.5))
def swish(net, **attributes):
    net.opset = 24
    net.out(net.op("Swish", net.input(1, 4, 6, low=-6, high=6), **attributes))


@cases("center_crop_pad", both=dict(shape=[4, 10], axes=[2, 3]), odd=dict(shape=[1, 2, 9, 4]), negative=dict(shape=[3], axes=[-1]))
def center_crop_pad(net, shape, **attributes):
    net.opset = 18
    net.out(net.op("CenterCropPad", net.input(1, 3, 7, 7, low=0.1), net.const(shape), **attributes))


@cases("tensor_scatter", linear=dict(index=[2]), first={}, circular=dict(index=[5], mode="circular"))
def tensor_scatter(net, index=None, **attributes):
    net.opset = 24
    past, update = net.input(1, 2, 7, 4), net.input(1, 2, 3, 4)
    net.out(net.op("TensorScatter", past, update, *([net.const(index)] if index else []), axis=-2, **attributes))


@case
def opset24_forms(net):
    net.opset = 24
    x = net.input(1, 4, 6, 6)
    y = net.op("Reshape", net.op("Transpose", x, perm=[0, 2, 3, 1]), net.const([0, -1, 4]), allowzero=0)
    y = net.op("Squeeze", net.op("Unsqueeze", net.op("Identity", y), net.const([1])), net.const([1]))
    y = net.op("Pad", y, net.const([1, 2]), "", net.const([1]))
    net.out(net.op("TopK", y, net.const([3]), axis=1, results=2)[0], net.op("Flatten", y), net.op("Cast", y, to=T.FLOAT))


@cases("average_pool", dilations=dict(dilations=[2, 1]), ceil=dict(ceil_mode=1, strides=[2, 2]),
       counted=dict(count_include_pad=1, pads=[1, 1, 1, 1]))
def average_pool(net, **attributes):
    net.opset = 22
    net.out(net.op("AveragePool", net.input(1, 3, 8, 9), kernel_shape=[2, 3], **attributes))


@cases("resize", larger=dict(policy="not_larger"), smaller=dict(policy="not_smaller"))
def resize(net, policy):
    net.opset = 19
    net.out(net.op("Resize", net.input(1, 2, 6, 8), "", "", net.const([9, 16]), axes=[2, 3], keep_aspect_ratio_policy=policy,
                   mode="linear", coordinate_transformation_mode="half_pixel"))


@cases("gelu", erf={}, tanh=dict(approximate="tanh"))
def gelu(net, **attributes):
    net.opset = 20
    net.out(net.op("Gelu", net.input(1, 40, low=-4, high=4), **attributes))


@case
def layer_norm_opset24(net):
    net.opset = 24
    net.out(net.op("LayerNormalization", net.input(1, 5, 16), net.const(net.random.uniform(0.5, 1.5, 16)),
                   net.const(net.random.normal(0, 1, 16)), axis=-1))


# Finished boxes, as Ultralytics' exporter writes them with nms=True: weak rows are dropped by a mask before overlaps are suppressed,
# and the rest is filled with zeros. Scores stand 0.02 apart and overlaps far from the limit, so that rounding chooses the same boxes.

def predictions(net: Net, classes: int, anchors: int, clusters: int):
    """Boxes [SAMPLES, 4, anchors], centre and size; scores [SAMPLES, classes, anchors]. Each place has boxes of two classes."""
    boxes, scores = np.zeros((SAMPLES, 4, anchors), np.float32), np.zeros((SAMPLES, classes, anchors), np.float32)
    for sample, score in zip(boxes, scores):
        cluster = net.random.integers(0, clusters, anchors)
        label = net.random.permutation(classes)[2 * cluster + net.random.integers(0, 2, anchors)]
        sample[0] = 40 + 60 * (cluster % 5) + net.random.uniform(-2, 2, anchors)
        sample[1] = 40 + 60 * (cluster // 5) + net.random.uniform(-2, 2, anchors)
        sample[2:4] = net.random.uniform(38, 42, (2, anchors))
        best = net.random.permutation(anchors) * 0.02 + 0.1
        score[:] = net.random.uniform(0, 0.5, (classes, anchors)) * best
        score[label, np.arange(anchors)] = best
    names = [net.fresh("x"), net.fresh("x")]
    net.inputs.update(zip(names, (boxes, scores)))
    return names


@cases("finished_boxes", few=dict(most=6), all=dict(most=60), agnostic=dict(most=12, by_class=False), opset13=dict(most=12, opset=13),
       masks=dict(most=12, extra=3))
def finished_boxes(net, most, by_class=True, opset=18, extra=0):
    net.opset = opset
    classes, anchors = 40, 44
    boxes, scores = (net.op("Squeeze", net.op("Transpose", x, perm=[0, 2, 1]), net.const([0]))
                     for x in predictions(net, classes, anchors, 10))
    extras = [net.op("Squeeze", net.op("Transpose", net.input(1, extra, anchors), perm=[0, 2, 1]), net.const([0]))] if extra else []
    center, size = net.op("Split", boxes, net.const([2, 2]), results=2, axis=1)
    half = net.op("Mul", size, net.const(0.5))
    boxes = net.op("Concat", net.op("Sub", center, half), net.op("Add", center, half), axis=1)
    best = (net.op("ReduceMax", scores, net.const([1]), keepdims=0) if opset >= 18 else
            net.op("ReduceMax", scores, axes=[1], keepdims=0))
    label = net.op("ArgMax", scores, axis=1, keepdims=0)
    keep = net.op("Transpose", net.op("NonZero", net.op("Greater", best, net.const(0.25))), perm=[1, 0])
    boxes, best, label, *extras = [net.op("GatherND", v, keep) for v in (boxes, best, label, *extras)]
    shifted = net.op("Mul", net.op("Div", boxes, net.const(320.0)), net.const(1 / classes))
    if by_class:
        column = net.op("Expand", net.op("Unsqueeze", label, net.const([1])), net.op("Concat", net.op("Shape", best), net.const([4]), axis=0))
        corners, rest = (net.op("Slice", shifted, net.const([start]), net.const([end]), net.const([1]))
                         for start, end in ((0, 4), (4, np.iinfo(np.int64).max)))
        corners = net.op("Add", corners, net.op("Mul", net.op("Cast", column, to=T.FLOAT), net.const(1 / classes)))
        shifted = net.op("Concat", corners, rest, axis=-1)
    kept = net.op("NonMaxSuppression", net.op("Unsqueeze", shifted, net.const([0])),
                  net.op("Unsqueeze", net.op("Unsqueeze", best, net.const([0])), net.const([0])),
                  net.const([np.iinfo(np.int64).max]), net.const([0.45]))
    kept = net.op("Squeeze", net.op("Gather", kept, net.const([2]), axis=1), net.const([1]))
    kept = net.op("Slice", kept, net.const([0]), net.const([most]), net.const([0]))
    rows = [net.op("Gather", boxes, kept), net.op("Unsqueeze", net.op("Gather", best, kept), net.const([1])),
            net.op("Cast", net.op("Unsqueeze", net.op("Gather", label, kept), net.const([1])), to=T.FLOAT),
            *[net.op("Gather", v, kept) for v in extras]]
    rows = net.op("Concat", *rows, axis=1)
    count = net.op("Gather", net.op("Shape", rows), net.const(0))
    missing = net.op("Unsqueeze", net.op("Sub", net.const(most), count), net.const([0]))
    pads = net.op("Concat", net.const([0, 0]), missing, net.const([0]), axis=0)
    net.out(net.op("Unsqueeze", net.op("Pad", rows, pads), net.const([0])))


@cases("ties", largest={}, smallest=dict(largest=0), first=dict(axis=1), opset11=dict(opset=11))
def ties(net, axis=-1, opset=24, **attributes):
    """Few different numbers: of equal ones the earlier is the better, in every plan."""
    net.opset = opset
    name = net.input(1, 12, 12)
    net.inputs[name] = net.random.integers(-2, 3, net.inputs[name].shape).astype(np.float32) / 2
    _, places = net.op("TopK", name, net.const([7]), axis=axis, results=2, **attributes)
    net.out(net.op("Cast", places, to=T.FLOAT))
