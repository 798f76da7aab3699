"""Models with graphs inside nodes: If, Loop and Scan. newer_operators.py tries them; CASES as in newer_cases.py.

Names of graphs beside each other repeat on purpose: each graph has names of its own.
"""
import zlib

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper

import newer_cases

CASES = {}
case = newer_cases.case_for(CASES)
MOST = np.int64(2**63 - 1)  # the trip count that exporters write where the condition alone ends a loop


class Body(newer_cases.Net):
    """A graph inside a node, which reads values of the graph around it by name."""

    def __init__(self, name: str = "body"):
        super().__init__(name)
        self.random = np.random.default_rng(zlib.crc32(name.encode()))
        self.infos = []

    def fresh(self, base: str) -> str:
        """Names of a graph and of the graphs around it differ, as ONNX asks; those of other graphs may repeat."""
        return f"{self.name}_{super().fresh(base)}"

    def given(self, name: str, kind=T.FLOAT, shape=None) -> str:
        name = f"{self.name}_{name}"
        self.infos.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def loop(self) -> tuple:
        """Number of the step and condition."""
        return self.given("step", T.INT64, []), self.given("goes_on", T.BOOL, [])

    def graph(self, *outputs, kinds=None) -> onnx.GraphProto:
        kinds = kinds or [T.FLOAT] * len(outputs)
        infos = [helper.make_tensor_value_info(n, k, None) for n, k in zip(outputs, kinds)]
        return helper.make_graph(self.nodes, self.name, self.infos, infos, self.constants)


def one(net, name: str) -> str:
    """All of a result as one row: the first dimension of an output is the batch."""
    return net.op("Reshape", name, net.const(np.int64([1, -1])))


def is_positive(net, x: str) -> str:
    """A condition that depends on the sample."""
    return net.op("Greater", net.op("ReduceSum", x, keepdims=0), net.const(np.float32(0)))


def signed(net, *shape) -> str:
    """An input whose samples' sums are well above 0 and well below it by turns."""
    name = net.input(*shape)
    for i, sample in enumerate(net.inputs[name]):
        sample += 0.5 if i % 2 == 0 else -0.5
    return name


@case
def if_on_data(net):
    x = signed(net, 1, 3, 6)
    y = net.op("Mul", x, net.weights(3, 6))
    yes, no = Body(), Body()
    a = yes.op("Add", yes.op("Relu", y), yes.const(np.float32(0.25)))
    b = no.op("Mul", no.op("Tanh", x), no.weights(3, 6))
    net.out(*net.op("If", is_positive(net, x), results=2, then_branch=yes.graph(a, yes.op("Identity", y)), else_branch=no.graph(b, no.op("Identity", b))))


@case
def if_condition_of_one_element(net):
    """[1,1] in place of a scalar gives the result no dimensions."""
    x = signed(net, 1, 8)
    condition = net.op("Greater", net.op("ReduceSum", x, keepdims=1), net.const(np.float32(0)))
    yes, no = Body(), Body()
    yes, no = yes.graph(yes.op("Relu", x)), no.graph(no.op("Sigmoid", x))
    net.out(net.op("If", condition, then_branch=yes, else_branch=no))


@case
def if_nested(net):
    """The inner one reads values of both graphs around it; one of its branches is chosen by a shape."""
    x = signed(net, 1, 4, 5)
    yes, no, inner_yes, inner_no, deep_yes, deep_no = map(Body, ("body", "body", "inner", "inner", "deep", "deep"))
    scaled = yes.op("Mul", x, yes.const(np.float32(0.5)))
    large = yes.op("Greater", yes.op("ReduceMax", x, keepdims=0), yes.const(np.float32(-0.8)))
    rank = inner_yes.op("Size", inner_yes.op("Shape", scaled))
    three = inner_yes.op("Equal", rank, inner_yes.const(np.int64(3)))
    deep = inner_yes.op("If", three, then_branch=deep_yes.graph(deep_yes.op("Add", x, scaled)),
                        else_branch=deep_no.graph(deep_no.op("Flatten", x)))
    inner = yes.op("If", large, then_branch=inner_yes.graph(deep), else_branch=inner_no.graph(inner_no.op("Neg", scaled)))
    net.out(net.op("If", is_positive(net, x), then_branch=yes.graph(inner), else_branch=no.graph(no.op("Abs", x))))


@case
def loop_counts(net):
    """A fixed trip count; the step's number is read, one result is a row of each step."""
    x = net.input(1, 6)
    body = Body()
    step, goes_on = body.loop()
    state = body.given("state")
    number = body.op("Cast", step, to=T.FLOAT)
    new = body.op("Add", body.op("Mul", state, body.const(np.float32(0.75))), body.op("Mul", x, number))
    row = body.op("Tanh", new)
    last, rows = net.op("Loop", net.const(np.int64(5)), net.const(np.bool_(True)), x, results=2,
                        body=body.graph(body.op("Identity", goes_on), new, row, kinds=[T.BOOL, T.FLOAT, T.FLOAT]))
    net.out(last, one(net, rows))


@case
def loop_while(net):
    """The condition ends it after 3 steps: a counter is among the states."""
    x = net.input(1, 6)
    body = Body()
    body.loop()
    count, state = body.given("count", T.INT64, []), body.given("state")
    more = body.op("Add", count, body.const(np.int64(2)))
    less = body.op("Less", more, body.const(np.int64(6)))
    new = body.op("Sigmoid", body.op("MatMul", state, body.weights(6, 6, scale=1)))
    _, last = net.op("Loop", net.const(MOST), net.const(np.bool_(True)), net.const(np.int64(0)), x, results=2,
                     body=body.graph(less, more, new, kinds=[T.BOOL, T.INT64, T.FLOAT]))
    net.out(last)


@case
def loop_without_trip_count(net):
    x = net.input(1, 6)
    body = Body()
    step, _ = body.loop()
    state = body.given("state")
    less = body.op("Less", step, body.const(np.int64(3)))
    net.out(net.op("Loop", "", net.const(np.bool_(True)), x,
                   body=body.graph(less, body.op("Tanh", state), kinds=[T.BOOL, T.FLOAT])))


@case
def loop_of_no_step(net):
    x = net.input(1, 6)
    body = Body()
    _, goes_on = body.loop()
    state = body.given("state")
    same = body.op("Identity", goes_on)
    y = net.op("Loop", net.const(np.int64(0)), "", x, body=body.graph(same, body.op("Exp", state), kinds=[T.BOOL, T.FLOAT]))
    net.out(net.op("Relu", y))


@case
def loop_nested(net):
    """The inner trip count is the outer step's number; an If by that number, and one by the sample."""
    x = signed(net, 1, 4)
    outer, inner, odd, even, high, low = map(Body, ("body", "inner", "inner", "inner", "inner", "inner"))
    step, goes_on = outer.loop()
    state = outer.given("state")
    _, inner_goes_on = inner.loop()
    inner_state = inner.given("state")
    inner_graph = inner.graph(inner.op("Identity", inner_goes_on), inner.op("Add", inner_state, inner.op("Mul", x, inner.const(np.float32(0.5)))),
                              kinds=[T.BOOL, T.FLOAT])
    summed = outer.op("Loop", step, "", state, body=inner_graph)
    is_odd = outer.op("Equal", outer.op("Mod", step, outer.const(np.int64(2))), outer.const(np.int64(1)))
    turned = outer.op("If", is_odd, then_branch=odd.graph(odd.op("Neg", summed)), else_branch=even.graph(even.op("Identity", summed)))
    chosen = outer.op("If", is_positive(outer, x), then_branch=high.graph(high.op("Tanh", turned)),
                      else_branch=low.graph(low.op("Mul", turned, low.const(np.float32(0.5)))))
    net.out(net.op("Loop", net.const(np.int64(3)), "", x,
                   body=outer.graph(outer.op("Identity", goes_on), chosen, kinds=[T.BOOL, T.FLOAT])))


@case
def scan_cell(net):
    """A recurrent cell as exporters write it: sequences of 7, time first."""
    x = net.input(1, 7, 5)
    sequence = net.op("Transpose", x, perm=[1, 0, 2])
    body = Body()
    state, slice_ = body.given("state"), body.given("slice")
    new = body.op("Tanh", body.op("Add", body.op("MatMul", slice_, body.weights(5, 4)), body.op("MatMul", state, body.weights(4, 4))))
    last, rows = net.op("Scan", net.const(np.zeros((1, 4), np.float32)), sequence, results=2, num_scan_inputs=1,
                        body=body.graph(new, body.op("Identity", new)))
    net.out(last, one(net, rows))


@case
def scan_axes_and_directions(net):
    x, y = net.input(1, 6, 3), net.input(1, 3, 6)
    body = Body()
    total, a, b = body.given("total"), body.given("a"), body.given("b")
    new = body.op("Add", total, body.op("Mul", a, b))
    first, second = body.op("Sigmoid", new), body.op("Sub", a, b)
    net.out(*net.op("Scan", net.const(np.zeros((1, 3), np.float32)), x, y, results=3, num_scan_inputs=2, scan_input_axes=[1, -1],
                    scan_input_directions=[0, 1], scan_output_axes=[-1, 1], scan_output_directions=[1, 0],
                    body=body.graph(new, first, second)))


@case
def scan_of_opset_8(net):
    """A batch in each input, two samples of one picture."""
    net.opset = 8
    x = net.input(1, 2, 4, 3)
    sequences = net.op("Reshape", x, net.const(np.int64([2, 4, 3])))
    body = Body()
    state, slice_ = body.given("state", shape=[3]), body.given("slice", shape=[3])
    new = body.op("Tanh", body.op("Add", state, slice_))
    last, rows = net.op("Scan", "", net.const(np.zeros((2, 3), np.float32)), sequences, results=2, num_scan_inputs=1, directions=[1],
                        body=body.graph(new, body.op("Mul", new, slice_)))
    net.out(one(net, last), one(net, rows))


@case
def scan_of_300_steps(net):
    """Its rows are 300 inputs of one Concat."""
    flat = net.op("Reshape", net.input(1, 300, 4), net.const(np.int64([300, 4])))
    body = Body()
    state, slice_ = body.given("state"), body.given("slice")
    new = body.op("Add", body.op("Mul", state, body.const(np.float32(0.9))), slice_)
    _, rows = net.op("Scan", net.const(np.zeros(4, np.float32)), flat, results=2, num_scan_inputs=1,
                     body=body.graph(new, body.op("Tanh", new)))
    net.out(one(net, rows))
