#!/usr/bin/env python3
"""Models of kinds that Octet does not run: one line within 2 s of processor time, and a way out that works when it is followed.

A row: the model, words of its refusal, and the way: options for the same model, or the model as the line says to export it.
"""
import argparse
import pathlib
import resource
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper, numpy_helper

from model_tests import Report, arguments

SECONDS = 2.0
OPTIONS = ["--random-calibration", "--samples", "4", "--scale", "1", "--task", "none", "--effort", "fast", "--threads", "1"]
node = helper.make_node


def value(name: str, shape=None, kind=T.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def model(nodes, inputs=None, outputs=("y",), domain=(), **constants) -> onnx.ModelProto:
    """Relu of the input x is h."""
    tensors = [numpy_helper.from_array(np.asarray(v), name) for name, v in constants.items()]
    graph = helper.make_graph([node("Relu", ["x"], ["h"]), *nodes], "g", inputs or [value("x", [1, 4])],
                              [value(name) for name in outputs], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), *([helper.make_opsetid(*domain)] if domain else [])])


def body(*nodes, result="w", goes_on="c", **constants) -> onnx.GraphProto:
    """Of a Loop: step i, condition c, state v."""
    tensors = [numpy_helper.from_array(np.asarray(v), name) for name, v in constants.items()]
    inputs = [value("i", [], T.INT64), value("c", [], T.BOOL), value("v", [1, 4])]
    return helper.make_graph([node("Tanh", ["v"], ["w"]), *nodes, node("Identity", [goes_on], ["again"])], "body", inputs,
                             [value("again", [], T.BOOL), value(result, [1, 4])], tensors)


def branch(kind: str, name: str) -> onnx.GraphProto:
    return helper.make_graph([node(kind, ["h"], [name])], name, [], [value(name)])


TREE = dict(domain="ai.onnx.ml", n_targets=1, nodes_treeids=[0], nodes_nodeids=[0], nodes_featureids=[0], nodes_modes=["LEAF"],
            nodes_values=[0.0], nodes_truenodeids=[0], nodes_falsenodeids=[0], target_treeids=[0], target_nodeids=[0], target_ids=[0],
            target_weights=[1.0])
TEXT = dict(max_gram_length=1, max_skip_count=0, min_gram_length=1, mode="TF", ngram_counts=[0], ngram_indexes=[0], pool_int64s=[1])
ML, TRAINING = ("ai.onnx.ml", 3), ("ai.onnx.preview.training", 1)
SUM = [node("ReduceSum", ["h"], ["sum"], keepdims=0)]
CUT = ["--cut-at", "h"]
ONES = np.ones(4, np.float32)


def loop(nodes=(), **more) -> onnx.ModelProto:
    return model([*nodes, node("Loop", ["count", "", "h"], ["y"], body=body(), name="steps")], **more)


def counted() -> list:
    return [node("ReduceMax", ["h"], ["most"], keepdims=0), node("Cast", ["most"], ["count"], to=T.INT64)]


def norm(training: int) -> onnx.ModelProto:
    outputs = ["y", "mean", "variance"] if training else ["y"]
    return model([node("BatchNormalization", ["h", "s", "s", "s", "s"], outputs, training_mode=training)], s=ONES)


def dropout(training: bool) -> onnx.ModelProto:
    return model([node("Dropout", ["h", "ratio", "mode"], ["y"])], ratio=np.float32(0.5), mode=np.bool_(training))


def choice(other: str) -> onnx.ModelProto:
    return model([*SUM, node("Cast", ["sum"], ["is"], to=T.BOOL),
                  node("If", ["is"], ["y"], name="choice", then_branch=branch("Sigmoid", "a"), else_branch=branch(other, "b"))])


# Name to model, words, way.
CASES = {
    "trees": (lambda: model([node("TreeEnsembleRegressor", ["h"], ["y"], **TREE)], domain=ML), ["TreeEnsembleRegressor", "--cut-at 'h'"], CUT),
    "linear_classifier": (lambda: model([node("LinearClassifier", ["h"], ["label", "y"], domain="ai.onnx.ml", coefficients=[0.0] * 4,
                                              intercepts=[0.0], classlabels_ints=[0, 1])], domain=ML), ["LinearClassifier", "--cut-at 'h'"], CUT),
    "sequence": (lambda: model([node("SequenceConstruct", ["h", "x"], ["s"]), node("ConcatFromSequence", ["s"], ["y"], axis=1)]),
                 ["SequenceConstruct", "in place of sequences (Split, Concat)"], lambda: model([node("Concat", ["h", "x"], ["y"], axis=1)])),
    "split_to_sequence": (lambda: model([node("SplitToSequence", ["h", "two"], ["s"], axis=1), node("SequenceAt", ["s", "one"], ["y"])],
                                        one=np.int64(1), two=np.int64(2)), ["SplitToSequence", "(Split, Concat)"],
                          lambda: model([node("Split", ["h"], ["first", "y"], axis=1)])),
    "strings": (lambda: model([node("StringNormalizer", ["text"], ["t"])], [value("x", [1, 4]), value("text", [3], T.STRING)], ["h", "t"]),
                ["input 'text': element type string", "export the model from there"], lambda: model([], outputs=["h"])),
    "text_counts": (lambda: model([node("Cast", ["h"], ["n"], to=T.INT32), node("TfIdfVectorizer", ["n"], ["y"], **TEXT)]),
                    ["TfIdfVectorizer", "process text before the model"], lambda: model([], outputs=["h"])),
    "loop_of_an_input": (lambda: loop(inputs=[value("x", [1, 4]), value("count", [], T.INT64)]),
                         ["node 'steps' (Loop)", "--bind count=NUMBER"], ["--bind", "count=3"]),
    "loop_of_data": (lambda: loop(nodes=counted()), ["node 'steps' (Loop)", "trip count 'count'", "--cut-at 'h'"], CUT),
    "loop_until": (lambda: model([node("Loop", ["", "true", "h"], ["y"], name="steps", body=body(
        node("ReduceSum", ["w"], ["s"], keepdims=0), node("Less", ["s", "ten"], ["less"]), goes_on="less", ten=np.float32(10)))],
        true=np.bool_(True)), ["node 'steps' (Loop)", "its condition", "--cut-at 'h'"], CUT),
    "loop_of_a_million": (lambda: loop(count=np.int64(10 ** 6)), ["more than 16384 nodes", "fewer steps"], lambda: loop(count=np.int64(5))),
    "optional": (lambda: model([node("Optional", ["h"], ["o"]), node("OptionalGetElement", ["o"], ["y"])]),
                 ["Optional", "read the tensor itself"], lambda: model([node("Identity", ["h"], ["y"])])),
    "dropout": (lambda: dropout(True), ["Dropout", "inference mode"], lambda: dropout(False)),
    "batch_norm": (lambda: norm(1), ["BatchNormalization", "inference mode"], lambda: norm(0)),
    "gradient": (lambda: model([node("Gradient", ["x"], ["y"], domain=TRAINING[0], xs=["x"], y="h"), node("Exp", ["h"], ["e"])],
                               outputs=["e", "y"], domain=TRAINING), ["Gradient", TRAINING[0], "standard operators"],
                 lambda: model([node("Exp", ["h"], ["e"])], outputs=["e"])),
    "random": (lambda: model([node("RandomNormal", [], ["r"], shape=[1, 4]), node("Add", ["h", "r"], ["y"])]),
               ["RandomNormal", "replace it by a constant"], lambda: model([node("Add", ["h", "r"], ["y"])], r=ONES)),
    "branches_of_two_shapes": (lambda: choice("Squeeze"), ["choice", "different shapes", "branches of one shape"], lambda: choice("Tanh")),
    "unique": (lambda: model([node("Unique", ["h"], ["y"])]), ["Unique", "without its post-processing"], CUT),
    "window_of_an_input": (lambda: model([node("STFT", ["signal", "step", "w"], ["y"])], [value("x", [1, 4]), value("signal", [1, 64, 1]),
                                                                                      value("w", [16])], ["h", "y"], step=np.int64(8)),
                           ["STFT", "--bind"], ["--bind", "w=0.5"]),
}


def convert(octet: pathlib.Path, made: onnx.ModelProto, work: pathlib.Path, *more) -> tuple:
    path = work / "refusals.onnx"
    path.write_bytes(made.SerializeToString())
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([octet, "convert", path, "-o", work / "refusals.octet", *OPTIONS, *more], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.returncode, done.stderr.strip(), seconds


def check(octet: pathlib.Path, work: pathlib.Path, build, words: list, way) -> None:
    status, text, seconds = convert(octet, build(), work)
    assert status == 2, f"status {status}: {text[-300:]}"
    assert len(text.splitlines()) == 1, f"more than a line: {text}"
    assert seconds <= SECONDS, f"{seconds:.1f} s"
    for word in words:
        assert word in text, f"'{word}' is missing: {text}"
    status, text, _ = convert(octet, build(), work, *way) if isinstance(way, list) else convert(octet, way(), work)
    assert status == 0, f"the way out ends with status {status}: {text[-300:]}"


def main() -> int:
    options = arguments(argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter))
    report = Report("Refusals", options.report)
    options.work.mkdir(parents=True, exist_ok=True)
    for name, (build, words, way) in CASES.items():
        with report.case(name):
            check(options.build.resolve() / "bin/octet", options.work, build, words, way)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
