"""Random models with local functions, and the same graphs written flat.

A function has attributes with and without defaults, calls that give them or leave them out, references that go through two
nested calls, overloads that share domain and name, and an opset of its own. The flat graph is written by this file's own
expansion, at the opset of the model.

onnx of Debian 12 does not know FunctionProto.attribute_proto and the overloads: both are written as bytes.
"""
import dataclasses
import random

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

MODEL_OPSET, OLD_OPSET = 17, 11
DEFAULTS_FIELD, FUNCTION_OVERLOAD_FIELD, NODE_OVERLOAD_FIELD = 11, 13, 8
SHAPE = (1, 4, 6, 6)
ABSENT = object()


def field(number: int, payload: bytes) -> bytes:
    """A protobuf field of bytes."""
    out = bytearray()
    for value in (number << 3 | 2, len(payload)):
        while value > 127:
            out.append(value & 127 | 128)
            value >>= 7
        out.append(value)
    return bytes(out) + payload


@dataclasses.dataclass
class Ref:
    """The value of the function's own attribute."""
    name: str


@dataclasses.dataclass
class Op:
    """A node: an operator, or a call where `function` is set."""
    kind: str
    inputs: list
    output: str
    attributes: dict
    function: "Function | None" = None


@dataclasses.dataclass
class Function:
    name: str
    domain: str
    overload: str
    opset: int
    inputs: list
    required: list
    defaults: dict
    body: list = dataclasses.field(default_factory=list)
    output: str = "o"


# By kind: attributes and what may be given. Every operator keeps the shape. `axis` of Softmax: -1 is one meaning in all opsets.
KINDS = {
    "LeakyRelu": {"alpha": lambda r: round(r.uniform(0.02, 0.7), 3)},
    "Elu": {"alpha": lambda r: round(r.uniform(0.3, 1.5), 3)},
    "HardSigmoid": {"alpha": lambda r: round(r.uniform(0.1, 0.4), 3), "beta": lambda r: round(r.uniform(0.3, 0.6), 3)},
    "Selu": {"alpha": lambda r: round(r.uniform(0.5, 1.8), 3), "gamma": lambda r: round(r.uniform(0.5, 1.2), 3)},
    "ThresholdedRelu": {"alpha": lambda r: round(r.uniform(0.1, 0.8), 3)},
    "LRN": {"size": lambda r: r.choice([1, 3, 5]), "alpha": lambda r: round(r.uniform(0.01, 0.3), 3),
            "beta": lambda r: round(r.uniform(0.4, 0.9), 3), "bias": lambda r: round(r.uniform(0.8, 2), 3)},
    "MaxPool": {"kernel_shape": lambda r: [3, 3], "pads": lambda r: r.choice([[1, 1, 1, 1], [2, 2, 0, 0]])},
    "Softmax": {"axis": lambda r: -1},
    "Transpose": {"perm": lambda r: r.choice([[0, 1, 3, 2], [0, 1, 2, 3]])},
    "Constant": {"value_float": lambda r: round(r.uniform(-1, 1), 3)},
    # Attributes in the old opset, inputs in the model's.
    "Sum": {"axes": lambda r: r.choice([[1], [2], [3], [2, 3]])},
}
REQUIRED = {"LRN": ["size"], "MaxPool": ["kernel_shape", "pads"], "Transpose": ["perm"], "Constant": ["value_float"],
            "Softmax": ["axis"], "Sum": ["axes"]}


class Maker:
    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.functions = []
        self.names = 0

    def fresh(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def function(self, depth: int, twin: "Function | None" = None) -> Function:
        r = self.random
        made = Function(twin.name if twin else self.fresh("F"), twin.domain if twin else r.choice(["pkg.a", "pkg.b"]),
                        self.fresh("v") if twin or r.random() < 0.2 else "", r.choice([MODEL_OPSET, MODEL_OPSET, OLD_OPSET]),
                        list(twin.inputs) if twin else ["a", "b"][:r.choice([1, 2])], [], {})
        values = list(made.inputs)
        for _ in range(r.randint(1, 3)):
            if depth > 0 and r.random() < 0.6:
                inner = self.function(depth - 1)
                op = self.call(inner, values, made)
            else:
                op = self.operator(values, made)
            made.body.append(op)
            values.append(op.output)
        made.output = made.body[-1].output
        self.functions.append(made)
        return made

    def value_of(self, make, function: "Function | None", must: bool):
        """A literal, a reference to an attribute of the function, or none."""
        r = self.random
        if not must and r.random() < 0.3:
            return ABSENT
        if function is None or r.random() < 0.3:
            return make(r)
        name = self.fresh("p")
        if must or r.random() < 0.6:
            function.defaults[name] = make(r)
        else:
            function.required.append(name)
        function.makers = getattr(function, "makers", {})
        function.makers[name] = make
        return Ref(name)

    def operator(self, values: list, function: "Function | None") -> Op:
        r = self.random
        kind = r.choice(list(KINDS))
        attributes = {}
        for name, make in KINDS[kind].items():
            value = self.value_of(make, function, name in REQUIRED.get(kind, ()))
            if value is not ABSENT:
                attributes[name] = value
        return Op(kind, [r.choice(values)], self.fresh("t"), attributes)

    def call(self, inner: Function, values: list, function: "Function | None") -> Op:
        r = self.random
        attributes = {}
        for name, make in getattr(inner, "makers", {}).items():
            value = self.value_of(make, function, False)
            if value is not ABSENT:
                attributes[name] = value
        inputs = [r.choice(values) for _ in inner.inputs]
        return Op(inner.name, inputs, self.fresh("t"), attributes, inner)

    def graph(self) -> list:
        first = self.function(self.random.choice([0, 1, 2]))
        called = [first]
        if self.random.random() < 0.5:
            first.overload = first.overload or "one"
            called.append(self.function(1, first))
        body, values = [], ["x"]
        for _ in range(self.random.randint(1, 3)):
            op = self.call(self.random.choice(called), values, None)
            body.append(op)
            values.append(op.output)
        return body


def written(op: Op, opset: int, name: str, constants: list) -> list:
    """The nodes of an operator at an opset; its numbers in `constants` where they are inputs there."""
    literal = {key: value for key, value in op.attributes.items() if not isinstance(value, Ref)}
    if op.kind == "Constant":
        number = helper.make_node("Constant", [], [f"{name}_c"], **literal)
        nodes, last = [number], helper.make_node("Add", [op.inputs[0], f"{name}_c"], [op.output])
    elif op.kind == "Sum":
        if opset < 13:
            total = helper.make_node("ReduceSum", op.inputs, [f"{name}_s"], keepdims=1, **literal)
        else:
            axes = literal.pop("axes", None)
            total = helper.make_node("ReduceSum", [op.inputs[0], f"{name}_axes"], [f"{name}_s"], keepdims=1)
            constants.append((f"{name}_axes", axes))
        nodes, last = [total], helper.make_node("Add", [op.inputs[0], f"{name}_s"], [op.output])
    else:
        nodes, last = [], helper.make_node(op.kind, op.inputs, [op.output], **literal)
    target = nodes[0] if nodes else last
    for key, value in op.attributes.items():
        if isinstance(value, Ref):
            attribute = target.attribute.add(name=key, ref_attr_name=value.name)
            attribute.type = helper.make_attribute(key, KINDS[op.kind][key](random.Random(0))).type
    return [*nodes, last]


def call_node(op: Op) -> onnx.NodeProto:
    node = helper.make_node(op.kind, op.inputs, [op.output], name=op.output, domain=op.function.domain)
    for key, value in op.attributes.items():
        sample = op.function.makers[key](random.Random(0)) if isinstance(value, Ref) else value
        attribute = helper.make_attribute(key, sample)
        if isinstance(value, Ref):
            attribute = onnx.AttributeProto(name=key, ref_attr_name=value.name, type=attribute.type)
        node.attribute.append(attribute)
    if op.function.overload:
        node.MergeFromString(field(NODE_OVERLOAD_FIELD, op.function.overload.encode()))
    return node


def function_proto(function: Function) -> onnx.FunctionProto:
    nodes = []
    for op in function.body:
        if op.function:
            nodes.append(call_node(op))
            continue
        constants = []
        made = written(op, function.opset, op.output, constants)
        for name, axes in constants:
            ref = op.attributes["axes"]
            node = helper.make_node("Constant", [], [name])
            if isinstance(ref, Ref):
                node.attribute.add(name="value_ints", ref_attr_name=ref.name, type=onnx.AttributeProto.INTS)
                # The reference stands with the constant, not with the sum.
                del made[0].attribute[:]
                made[0].attribute.append(helper.make_attribute("keepdims", 1))
            else:
                node.attribute.append(helper.make_attribute("value_ints", axes))
            nodes.append(node)
        nodes += made
    proto = helper.make_function(function.domain, function.name, function.inputs, [function.output], nodes,
                                 [helper.make_opsetid("", function.opset), helper.make_opsetid("pkg.a", 1),
                                  helper.make_opsetid("pkg.b", 1)], function.required)
    extra = b"".join(field(DEFAULTS_FIELD, helper.make_attribute(name, value).SerializeToString())
                     for name, value in function.defaults.items())
    if function.overload:
        extra += field(FUNCTION_OVERLOAD_FIELD, function.overload.encode())
    proto.MergeFromString(extra)
    return proto


class Flat:
    """The expansion: calls become operators with literal attributes."""

    def __init__(self):
        self.nodes, self.constants, self.names = [], [], 0

    def expand(self, body: list, values: dict, given: dict, opset: int) -> None:
        for op in body:
            attributes = {}
            for key, value in op.attributes.items():
                value = given.get(value.name, ABSENT) if isinstance(value, Ref) else value
                if value is not ABSENT:
                    attributes[key] = value
            self.names += 1
            output = f"f{self.names}"
            inputs = [values[name] for name in op.inputs]
            if op.function:
                inside = dict(zip(op.function.inputs, inputs))
                self.expand(op.function.body, inside, {**op.function.defaults, **attributes}, op.function.opset)
                values[op.output] = inside[op.function.output]
                continue
            values[op.output] = output
            self.nodes += written(Op(op.kind, inputs, output, attributes), MODEL_OPSET, output, self.constants)


def model_of(nodes: list, constants: list, functions: list, output: str) -> onnx.ModelProto:
    rng = np.random.default_rng(7)
    weights = numpy_helper.from_array((rng.standard_normal((SHAPE[1], SHAPE[1], 1, 1)) * 0.5).astype(np.float32), "w")
    nodes = [helper.make_node("Conv", ["input", "w"], ["x"], name="first"), *nodes,
             helper.make_node("Conv", [output, "w"], ["y"], name="last")]
    tensors = [numpy_helper.from_array(np.array(axes, np.int64), name) for name, axes in constants]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("input", TensorProto.FLOAT, SHAPE)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, SHAPE)], [weights, *tensors])
    return helper.make_model(graph, functions=functions, ir_version=8,
                             opset_imports=[helper.make_opsetid("", MODEL_OPSET), helper.make_opsetid("pkg.a", 1),
                                            helper.make_opsetid("pkg.b", 1)])


def pair(seed: int) -> tuple:
    """A model with functions, and the same graph flat."""
    maker = Maker(seed)
    body = maker.graph()
    flat = Flat()
    values = {"x": "x"}
    flat.expand(body, values, {}, MODEL_OPSET)
    calls = model_of([call_node(op) for op in body], [], [function_proto(f) for f in maker.functions], body[-1].output)
    return calls, model_of(flat.nodes, flat.constants, [], values[body[-1].output])
