#!/usr/bin/env python3
"""ONNX's backend tests (Debian's libonnx-testdata) through `octet convert` and `octet-run --plan fp16`.

Of each model one float input stays live, the largest; the others become constants of test_data_set_0. Of a model with a
recurrent node it is that node's sequence X, because weights are constants. A model without a
float input gets one by a Cast before its largest integer input, and is counted apart. Where the first dimension is not 1
the model is tried as it is, and with a Squeeze before the live input and an Unsqueeze behind each output in place of the
batch; one of the two has to pass. The opset stays as it is. The stored input calibrates and is run, and the stored outputs
are what has to come out: within 1 % of an output's range, integers and truth values exactly. An output whose row count
depends on the data compares its valid rows. Of models with recurrence or control flow the INT8 plan has to reach 25 dB about
the mean of each output, and about zero where an output is one number in FP16.

A model passes, is refused (exit status 2 and one line within 2 s of processor time), or is a defect: wrong, crash,
status 3, long (a refusal after more than 2 s or of more than a line), hang. onnx_backend_pass.txt lists what passes; the
test fails where one of them no longer does, and on every defect that is not among KNOWN. --update writes the list anew.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

import numpy as np

from model_tests import SKIPPED, Report, arguments

DATA = pathlib.Path("/usr/share/libonnx-testdata/data")
LIST = pathlib.Path(__file__).with_name("onnx_backend_pass.txt")
# TensorProto.DataType
FLOATS = (1, 10, 11)  # FLOAT, FLOAT16, DOUBLE
INTEGERS = (2, 3, 4, 5, 6, 7, 9, 12, 13)  # (U)INT8 to (U)INT64, BOOL
TOLERANCE = 1e-2  # of an output's range: the FP16 plan rounds every tensor to 11 bits
REFUSAL_SECONDS = 2.0
HANG_SECONDS = 60
RECURRENT = ("LSTM", "GRU", "RNN")
FLOW = (*RECURRENT, "If", "Loop", "Scan")
INT8_DECIBELS = 25.0
DEFECTS = ("wrong", "crash", "status 3", "long", "hang")
# Models whose difference from the stored outputs is explained: name to reason.
FP16_STEPS = "inputs of 10,000 and more that differ by 1 are one number in FP16"
INFINITY = "constants of infinity are held as the largest FP16 number"
KNOWN = {
    "node/test_castlike_BFLOAT16_to_FLOAT": INFINITY,
    "node/test_castlike_BFLOAT16_to_FLOAT_expanded": INFINITY,
    "node/test_softmax_large_number": FP16_STEPS,
    "node/test_softmax_large_number_expanded": FP16_STEPS,
    "node/test_logsoftmax_large_number": FP16_STEPS,
    "node/test_logsoftmax_large_number_expanded": FP16_STEPS,
    "pytorch-operator/test_operator_add_size1_broadcast": "float64 numbers of 1e-309, which float32 does not hold",
    "node/test_resize_downsample_scales_cubic_align_corners": "align_corners counts scale x size pixels there, 2.4 of "
    "them; ONNX Runtime and the text of the specification count those of the result",
    "node/test_resize_downsample_scales_linear_align_corners": "the same",
    "node/test_quantizelinear": "an output of codes holds real values, as convert says: scale * (code - zero point)",
}


@dataclasses.dataclass
class Result:
    name: str
    kind: str  # pass, refused, no float input, or one of DEFECTS
    operators: tuple
    text: str = ""
    seconds: float = 0
    cast: bool = False  # its live input is one of ours, before a Cast


def read_tensor(path: pathlib.Path, info):
    """The stored value of an input or output; None for a sequence, an optional or strings."""
    import onnx
    if info.type.WhichOneof("value") != "tensor_type":
        return None
    tensor = onnx.TensorProto()
    try:
        tensor.ParseFromString(path.read_bytes())
    except Exception:  # what protobuf throws depends on its build
        return None
    return tensor if tensor.data_type not in (onnx.TensorProto.UNDEFINED, onnx.TensorProto.STRING) else None


def array_of(tensor, element_type: int) -> np.ndarray:
    """element_type: what the model says; bfloat16 is stored as its bits."""
    import onnx
    from onnx import numpy_helper
    array = numpy_helper.to_array(tensor)
    if element_type == onnx.TensorProto.BFLOAT16 and array.dtype == np.uint16:
        array = (array.astype(np.uint32) << 16).view(np.float32)
    return array


def size_of(tensor) -> int:
    return int(np.prod(tensor.dims, dtype=np.int64))


@dataclasses.dataclass
class Case:
    """A model whose one live input is float32 or another float type, with the array to feed and those to come out."""
    model: object
    live: object  # the ValueInfoProto of the graph's input
    value: np.ndarray
    expected: list  # None: no tensor of numbers
    cast: bool  # the live input stands before a Cast to an integer type


def prepare(folder: pathlib.Path):
    """The case of a folder; None where no input can be a float one."""
    import onnx
    from onnx import helper
    model = onnx.load(str(folder / "model.onnx"))
    graph, data = model.graph, folder / "test_data_set_0"
    given = {t.name for t in graph.initializer}
    inputs = [v for v in graph.input if v.name not in given]
    stored = [read_tensor(data / f"input_{i}.pb", info) for i, info in enumerate(inputs)]

    def usable(i: int, types) -> bool:
        return stored[i] is not None and inputs[i].type.tensor_type.elem_type in types and size_of(stored[i]) > 0

    candidates = [i for i in range(len(inputs)) if usable(i, FLOATS)]
    cast = not candidates
    if cast:
        candidates = [i for i in range(len(inputs)) if usable(i, INTEGERS)]
    if not candidates:
        return None
    sequences = {n.input[0] for n in graph.node if n.op_type in RECURRENT}
    chosen = max(candidates, key=lambda i: (inputs[i].name in sequences, size_of(stored[i]), -i))
    live = inputs[chosen]
    value = array_of(stored[chosen], live.type.tensor_type.elem_type)
    for i, (info, tensor) in enumerate(zip(inputs, stored)):
        if i == chosen or tensor is None:
            continue
        if info.type.tensor_type.elem_type == onnx.TensorProto.BFLOAT16 != tensor.data_type:
            bits = array_of(tensor, tensor.data_type).astype("<u2")  # stored as whole numbers
            tensor = onnx.TensorProto(dims=bits.shape, data_type=onnx.TensorProto.BFLOAT16, raw_data=bits.tobytes())
        tensor.name = info.name
        graph.initializer.append(tensor)
        graph.input.remove(info)
    if cast:
        if not np.array_equal(value.astype(np.float32).astype(np.float64), value.astype(np.float64)):
            return None  # float32 cannot hold these integers
        integer = live.type.tensor_type.elem_type
        old, live.name = live.name, "octet_float"
        live.type.tensor_type.elem_type = onnx.TensorProto.FLOAT
        graph.node.insert(0, helper.make_node("Cast", [live.name], [old], to=integer))
    live.type.tensor_type.ClearField("shape")
    live.type.tensor_type.shape.SetInParent()
    for dim in value.shape:
        live.type.tensor_type.shape.dim.add().dim_value = dim
    model.ir_version = max(model.ir_version, 4)  # initializers need not be inputs
    expected = []
    for i, info in enumerate(graph.output):
        tensor = read_tensor(data / f"output_{i}.pb", info)
        expected.append(None if tensor is None else array_of(tensor, info.type.tensor_type.elem_type))
    with np.errstate(over="ignore"):
        return Case(model, live, value.astype(np.float32), expected, cast)


def add_first_dimension(case: Case) -> None:
    """The live input becomes [1, ...] before a Squeeze, each output [1, ...] behind an Unsqueeze."""
    import onnx
    from onnx import helper
    graph, live = case.model.graph, case.live
    opset = max((o.version for o in case.model.opset_import if o.domain in ("", "ai.onnx")), default=1)

    def step(op: str, source: str, target: str):
        if opset >= 13:
            return helper.make_node(op, [source, "octet_axis"], [target])
        return helper.make_node(op, [source], [target], axes=[0])

    if opset >= 13:
        graph.initializer.append(helper.make_tensor("octet_axis", onnx.TensorProto.INT64, [1], [0]))
    name, live.name = live.name, "octet_live"
    graph.node.insert(0, step("Squeeze", live.name, name))
    live.type.tensor_type.shape.dim.insert(0, onnx.TensorShapeProto.Dimension(dim_value=1))
    for i, value in enumerate(graph.output):
        graph.node.append(step("Unsqueeze", value.name, f"octet_output_{i}"))
        value.name = f"octet_output_{i}"
        value.type.tensor_type.ClearField("shape")
    case.value = case.value[np.newaxis]


def call(command: list) -> tuple:
    """(status, stderr, processor seconds) of a program; status None where it hangs."""
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               text=True, errors="replace")
    # Not by preexec_fn, for which subprocess copies this whole process where it otherwise borrows its memory (vfork).
    resource.prlimit(process.pid, resource.RLIMIT_CPU, (HANG_SECONDS, HANG_SECONDS))
    with process.stderr:
        text = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = usage.ru_utime + usage.ru_stime
    return (None if seconds >= HANG_SECONDS - 1 else process.returncode), text.strip(), seconds


def difference(got: np.ndarray, wanted: np.ndarray) -> str:
    """Empty where they agree, else what differs."""
    flat = wanted.astype(np.float64).ravel()
    if got.size != flat.size:
        # Rows that depend on the data: the valid ones come first, and the file has only those.
        if wanted.ndim == 0 or got.size < flat.size:
            return f"{got.size} values where {flat.size} are stored"
    values = got.astype(np.float64).ravel()[:flat.size]
    special = ~np.isfinite(flat)
    same = (values == flat) | (np.isnan(values) & np.isnan(flat))
    if not same[special].all():
        return "an infinity or NaN differs"
    values, flat = values[~special], flat[~special]
    if flat.size == 0:
        return ""
    error = np.abs(values - flat)
    worst = int(np.argmax(error)) if np.isfinite(error).all() else int(np.argmax(~np.isfinite(error)))
    if wanted.dtype.kind in "iub":
        exact = error == 0
        return "" if exact.all() else f"integer {worst}: {values[worst]:g}, stored {flat[worst]:g}"
    span = max(float(flat.max() - flat.min()), float(np.abs(flat).max()))
    if np.isfinite(error).all() and error[worst] <= TOLERANCE * span:
        return ""
    return f"value {worst}: {values[worst]:g}, stored {flat[worst]:g}, range {span:g}"


def too_coarse(got: np.ndarray, wanted: np.ndarray) -> str:
    """Empty where an INT8 plan's numbers are near enough, else how near they are."""
    got, wanted = got.astype(np.float64).ravel(), wanted.astype(np.float64).ravel()
    if got.size != wanted.size or not np.isfinite(got).all():
        return f"{got.size} values where {wanted.size} are stored, or one that is not finite"
    about = wanted.mean() if np.ptp(wanted) > 2.0**-10 * np.abs(wanted).max() else 0.0  # FP16 has 11 bits
    error, signal = ((got - wanted) ** 2).sum(), ((wanted - about) ** 2).sum()
    if error == 0 or 10 * np.log10(max(signal, 1e-300) / error) >= INT8_DECIBELS:
        return ""
    return f"{10 * np.log10(max(signal, 1e-300) / error):.1f} dB in int8, {INT8_DECIBELS:g} are asked for"


def try_case(octet: pathlib.Path, octet_run: pathlib.Path, case: Case, there: pathlib.Path) -> tuple:
    """(kind, text, processor seconds of the conversion)."""
    (there / "model.onnx").write_bytes(case.model.SerializeToString())
    np.save(there / "in.npy", case.value)
    status, text, seconds = call([octet, "convert", there / "model.onnx", "-o", there / "model.octet", "--calibrate",
                                  there / "in.npy", "--scale", "1", "--threads", "1", "--keep-failing"])
    text = text.replace(f"{there}/", "")
    bad = "hang" if status is None else "crash" if status < 0 else "status 3" if status == 3 else ""
    if bad:
        return bad, text[-300:] or f"signal {-(status or 0)}", seconds
    if status != 0:
        # Warnings may stand before it; the refusal itself is one line.
        lines = [line for line in text.splitlines() if "warning:" not in line]
        long = len(lines) != 1 or seconds > REFUSAL_SECONDS
        return "long" if long else "refused", lines[-1] if lines else "", seconds
    for plan in ("int8", "fp16"):
        status, text, _ = call([octet_run, there / "model.octet", "--input", there / "in.npy", "--plan", plan,
                                "--output", there / f"{plan}.npy"])
        if status != 0:
            kind = "hang" if status is None else "crash" if status < 0 else "status 3" if status == 3 else "wrong"
            return kind, f"octet-run --plan {plan}: {text[-300:]}", seconds
    for i, wanted in enumerate(case.expected):
        if wanted is None:
            return "wrong", f"output {i} is no tensor of numbers", seconds
        end = ".npy" if len(case.expected) == 1 else f".{i}.npy"
        if not (there / f"fp16{end}").exists():
            return "wrong", f"output {i} was not written", seconds
        text = difference(np.load(there / f"fp16{end}"), wanted)
        if not text and any(node.op_type in FLOW for node in case.model.graph.node):
            text = too_coarse(np.load(there / f"int8{end}"), wanted)
        if text:
            return "wrong", f"output {i}: {text}", seconds
    return "pass", "", seconds


def judge(octet: pathlib.Path, octet_run: pathlib.Path, folder: pathlib.Path, work: pathlib.Path) -> Result:
    name = f"{folder.parent.name}/{folder.name}"
    try:
        case = prepare(folder)
    except Exception as error:  # a file that this version of onnx cannot read is no fault of ours
        return Result(name, "unreadable", (), f"{type(error).__name__}: {error}")
    if case is None:
        return Result(name, "no float input", ())
    operators = {n.op_type for n in case.model.graph.node}
    operators = tuple(sorted(operators - ({"Constant"} if len(operators) > 1 else set())))
    with tempfile.TemporaryDirectory(dir=work) as there:
        kind, text, seconds = try_case(octet, octet_run, case, pathlib.Path(there))
        if (case.value.ndim == 0 or case.value.shape[0] != 1) and kind in ("pass", "refused"):
            add_first_dimension(case)
            second = try_case(octet, octet_run, case, pathlib.Path(there))
            if second[0] in DEFECTS or kind == "refused":
                kind, text, seconds = second
    return Result(name, kind, operators, text, seconds, case.cast)


def reason(text: str) -> str:
    """A refusal without what differs from model to model."""
    text = re.sub(r"^octet: (model\.onnx: )?", "", text)
    text = re.sub(r"'[^']*'", "'...'", text)
    return re.sub(r"\[[^\]]*\]|-?\d+(\.\d+)?", "N", text)[:150]


def summary(results: list) -> str:
    kinds = collections.Counter(r.kind for r in results)
    cast = sum(r.kind == "pass" and r.cast for r in results)
    return ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()) + f"; {cast} of those that pass by a Cast"


def write_table(path: pathlib.Path, results: list) -> None:
    """Results by operator and reasons by number, for those who work on what does not pass yet."""
    lines = [summary(results), ""]
    lines += ["== defects"]
    lines += [f"{r.kind:9} {r.name} ({', '.join(r.operators[:4])}): {r.text.splitlines()[-1] if r.text else ''}"
              for r in sorted(results, key=lambda r: (r.kind, r.name)) if r.kind in DEFECTS]
    groups = collections.defaultdict(list)
    for r in results:
        if r.kind == "refused":
            groups[reason(r.text)].append(r.name.split("/")[1].removeprefix("test_"))
    lines += ["", "== reasons of refusals"]
    for text, names in sorted(groups.items(), key=lambda item: -len(item[1])):
        lines += [f"{len(names):4} {text}", f"       {' '.join(names[:12])}{' ...' if len(names) > 12 else ''}"]
    table = collections.defaultdict(collections.Counter)
    for r in results:
        table[" ".join(r.operators) if len(r.operators) <= 2 else f"{r.operators[0]} and {len(r.operators) - 1} more"][
            "pass" if r.kind == "pass" else "defect" if r.kind in DEFECTS else r.kind] += 1
    lines += ["", "== operators: pass, refused, defect, no float input"]
    lines += [f"{name:40} {c['pass']:4} {c['refused']:4} {c['defect']:4} {c['no float input']:4}"
              for name, c in sorted(table.items())]
    path.write_text("\n".join(lines) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write the list of what passes")
    parser.add_argument("--only", default="", help="models whose name holds this")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--table", type=pathlib.Path, help="text file for results by operator and reason")
    options = arguments(parser)
    report = Report("OnnxBackend", options.report)
    try:
        import onnx  # noqa: F401
    except ImportError:
        print("skipped: Debian's python3-onnx is not installed")
        return SKIPPED
    folders = sorted(path.parent for path in DATA.glob("*/*/model.onnx") if options.only in path.parent.name)
    if not folders:
        print("skipped: Debian's libonnx-testdata is not installed")
        return SKIPPED
    octet, octet_run = (options.build / "bin" / name for name in ("octet", "octet-run"))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda folder: judge(octet, octet_run, folder, options.work), folders))
    print(summary(results))
    if options.table:
        write_table(options.table, results)
    passing = {r.name for r in results if r.kind == "pass"}
    if options.update and not options.only:
        LIST.write_text("".join(f"{name}\n" for name in sorted(passing)))
    listed = {line for line in LIST.read_text().splitlines() if options.only in line} if LIST.exists() else set()
    by_name = {r.name: r for r in results}
    for name in sorted(listed):
        with report.case(name):
            r = by_name.get(name)
            assert r is not None, "is listed, but not in the package"
            assert r.kind == "pass", f"passed before, now {r.kind}: {r.text}"
    for r in results:
        if r.kind in DEFECTS and r.name not in listed and r.name not in KNOWN:
            with report.case(r.name):
                raise AssertionError(f"{r.kind}: {r.text}")
    more = sorted(passing - listed)
    if more:
        print(f"{len(more)} more pass than {LIST.name} lists ({', '.join(more[:5])}{', ...' if len(more) > 5 else ''}); --update adds them")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
