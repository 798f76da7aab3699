#!/usr/bin/env python3
"""Models from elsewhere (../shared/zoo), converted with default settings and held against ONNX Runtime's stored outputs.

  FP32 executor   within 1e-3 of an output's range (Q/DQ models: reported alone, their integers are the INT8 plan's)
  FP16 plan       within 1e-2
  INT8 plan       cosine >= 0.99 for each output, or a warning of the conversion; Q/DQ models within one output step,
                  where ONNX Runtime's two ways of computing such a file are themselves
  finished boxes  matched by class and overlap from score 0.05 on, for equal scores have no order
  plans           bytes of the arena <= 1.05 x the lower bound
  same bits       reference and the best instruction set here; AArch64 under QEMU where built, for the small ones
  time            conversion under 2 minutes of processor time, 4 for detectors of 640 x 640

Without --all only the models that convert in seconds: what ./test.sh has time for. Calibrates with the stored inputs,
detectors of COCO with ../shared/coco/calib. Prints a table; --json writes all figures.
"""
import argparse
import json
import pathlib
import resource
import shutil
import sys

import numpy as np

from model_tests import SKIPPED, SOURCE, Build, Report, arguments, run, save

SHARED = SOURCE.parent / "shared"
ZOO, COCO = SHARED / "zoo", SHARED / "coco"
# Converted, run and compared within about ten seconds each.
FAST = ("mnist_cntk", "hand_landmark", "ppocr_v2_cls", "cct2_transformer", "ultraface_rfb320_raw", "yunet_n_320",
        "blazeface_front")
FP32_BOUND, FP16_BOUND, COSINE = 1e-3, 1e-2, 0.99
BOX_SCORE = 0.05


def natural(path: pathlib.Path):
    return [int(part) if part.isdigit() else part for part in path.stem.split("_")]


class Entry:
    """A model of the zoo with its stored runs."""

    def __init__(self, name: str):
        import onnx
        self.name, self.onnx = name, ZOO / name / "model.onnx"
        self.model = onnx.load(str(self.onnx))
        given = {t.name for t in self.model.graph.initializer}
        self.inputs = [v for v in self.model.graph.input if v.name not in given]
        self.cases = [self.case(folder) for folder in sorted((ZOO / name / "ref").iterdir())]
        self.pictures = (ZOO / name / "ref" / "0" / "images_u8_nhwc.npy").exists()
        self.quantized = any(n.op_type == "QuantizeLinear" for n in self.model.graph.node)
        self.finished_boxes = len(self.cases[0][1]) == 1 and self.cases[0][1][0].shape[1:] == (300, 6)

    @staticmethod
    def case(folder: pathlib.Path) -> tuple:
        files = sorted(folder.glob("*.npy"), key=natural)
        inputs = [f for f in files if f.stem.startswith(("input_", "images_"))]
        outputs = [f for f in files if f not in inputs and not f.stem.endswith("_opt")]
        load = [np.load(f) for f in inputs]
        load = [a.astype(np.float32) if a.dtype.kind == "f" else a for a in load]
        return load[0], [np.load(f).astype(np.float64) for f in outputs]

    def shapes(self) -> list:
        """NAME:dims of every input with unknown dimensions, as the stored input has them."""
        options = []
        for value in self.inputs:
            dims = value.type.tensor_type.shape.dim
            if all(d.dim_value > 0 for d in dims[1:]):
                continue
            stored = self.cases[0][0].shape
            options.append(f"{value.name}:1," + ",".join(map(str, stored[1:])))
        return options

    def stacked(self) -> tuple:
        """(inputs of all cases, outputs of all cases)."""
        outputs = [np.concatenate([case[1][i].reshape(len(case[0]), -1) for case in self.cases])
                   for i in range(len(self.cases[0][1]))]
        return np.concatenate([case[0] for case in self.cases]), outputs

    def is_chaotic(self, step: float) -> bool:
        """Whether ONNX Runtime's two ways of computing a Q/DQ model differ by more than a step in 1 % of the first output."""
        folders = sorted((ZOO / self.name / "ref").iterdir())
        pairs = [(np.load(f / "output_0.npy"), np.load(f / "output_0_opt.npy")) for f in folders
                 if (f / "output_0_opt.npy").exists()]
        return bool(pairs) and np.mean([np.mean(np.abs(a - b) <= 1.001 * step) for a, b in pairs]) < 0.99

    def output_step(self) -> float:
        """Scale of the DequantizeLinear that the first output comes from; 0: none."""
        from onnx import numpy_helper
        constants = {t.name: t for t in self.model.graph.initializer}
        makers = {out: node for node in self.model.graph.node for out in node.output}
        node = makers.get(self.model.graph.output[0].name)
        while node is not None and node.op_type in ("Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze", "Identity"):
            node = makers.get(node.input[0])
        if node is None or node.op_type != "DequantizeLinear" or node.input[1] not in constants:
            return 0.0
        return float(numpy_helper.to_array(constants[node.input[1]]).max())


def relative_error(got: np.ndarray, wanted: np.ndarray) -> float:
    """The worst difference of an output, relative to its range over all samples, zero included: a few samples of one
    number alone have none."""
    span = max(float(wanted.max() - wanted.min()), float(np.abs(wanted).max()), 1e-12)
    error = np.abs(got - wanted)
    return float(error.max() / span) if np.isfinite(error).all() else float("inf")


def cosine(got: np.ndarray, wanted: np.ndarray) -> float:
    norm = np.linalg.norm(got) * np.linalg.norm(wanted)
    return float((got * wanted).sum() / norm) if norm > 0 else float(not got.any() and not wanted.any())


def match_boxes(got: np.ndarray, wanted: np.ndarray) -> tuple:
    """(boxes from BOX_SCORE on, of them found, worst coordinate in shares of 640, worst score)."""
    from coco_scores import box_iou
    total = found = 0
    coordinate = score = 0.0
    for mine, theirs in zip(got.reshape(-1, 300, 6), wanted.reshape(-1, 300, 6)):
        used = set()
        for box in theirs[theirs[:, 4] >= BOX_SCORE]:
            total += 1
            rivals = [i for i in range(300) if i not in used and round(mine[i, 5]) == round(box[5])]
            best = max(rivals, key=lambda i: box_iou(mine[i, :4], box[:4]) - abs(mine[i, 4] - box[4]), default=None)
            if best is None or box_iou(mine[best, :4], box[:4]) < 0.5:
                continue
            used.add(best)
            found += 1
            coordinate = max(coordinate, float(np.abs(mine[best, :4] - box[:4]).max()) / 640)
            score = max(score, abs(float(mine[best, 4] - box[4])))
    return total, found, coordinate, score


class Zoo:
    def __init__(self, options, report):
        self.options, self.report, self.build = options, report, Build(options.build)
        self.work = options.work

    def outputs(self, path: pathlib.Path, count: int, samples: int) -> list:
        """Outputs that a program wrote, one row a sample; the files go away."""
        files = [path] if count == 1 else [path.with_suffix(f".{i}.npy") for i in range(count)]
        loaded = [np.load(file).astype(np.float64).reshape(samples, -1) for file in files]
        for file in files:
            file.unlink()
        return loaded

    def convert(self, entry: Entry, data: pathlib.Path) -> dict:
        blob = self.work / f"zoo.{entry.name}.octet"
        calibration = [str(data), "--scale", "1"]
        if entry.pictures:
            calibration = [str(data)]
            if COCO.exists():
                calibration = [str(COCO / "calib"), "--resize", "letterbox"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        described = json.loads(run([self.build.octet, "convert", entry.onnx, "-o", blob, "--calibrate", *calibration, "--json",
                                    *[word for shape in entry.shapes() for word in ("--input-shape", shape)]]))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        described["processor_s"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return described

    def model(self, name: str) -> dict:
        figures = {"model": name}
        case = lambda what: self.report.case(f"{name}.{what}")  # noqa: E731
        entry = described = None
        with case("Converts"):
            entry = Entry(name)
            values, wanted = entry.stacked()
            data = save(self.work / f"zoo.{name}.input.npy", values)
            described = self.convert(entry, data)
            figures.update(convert_s=round(described["processor_s"], 1), warnings=described["warnings"],
                           blob_bytes=described["blob_bytes"])
            limit = 240 if 640 in values.shape[1:3] and entry.pictures else 120
            assert described["processor_s"] <= limit, f"{described['processor_s']:.0f} s of processor time"
        if described is None:
            return figures
        blob, out = self.work / f"zoo.{name}.octet", self.work / f"zoo.{name}.out.npy"
        with case("PlanBytes"):
            for plan in described["plans"]:
                ratio = plan["arena_bytes"] / plan["arena_lower_bound_bytes"]
                figures[f"{plan['name']}_arena"] = round(ratio, 4)
                assert ratio <= 1.05, f"{plan['name']}: {ratio:.3f} x the lower bound"
        fp32 = self.build.folder / "tests" / "fp32_outputs"
        if fp32.exists():
            with case("Fp32"):
                run([fp32, entry.onnx, out, data, *entry.shapes()])
                self.compare(figures, "fp32", entry, self.outputs(out, len(wanted), len(values)), wanted, FP32_BOUND)
        for plan in ("fp16", "int8"):
            with case(plan.capitalize()):
                self.build.infer(blob, data, out, "--plan", plan, "--threads", 2)
                got = self.outputs(out, len(wanted), len(values))
                if plan == "fp16":
                    self.compare(figures, plan, entry, got, wanted, FP16_BOUND)
                else:
                    self.compare_int8(figures, entry, got, wanted, described)
        with case("SameBits"):
            self.same_bits(figures, entry, blob, save(self.work / f"zoo.{name}.one.npy", values[:1]), out, len(wanted))
        return figures

    def compare(self, figures: dict, plan: str, entry: Entry, got: list, wanted: list, bound: float) -> None:
        if entry.finished_boxes:
            total, found, coordinate, score = match_boxes(got[0], wanted[0])
            figures[plan] = max(coordinate, score)
            figures[f"{plan}_boxes"] = f"{found} of {total}"
            assert found == total, f"{found} of {total} boxes found"
            assert max(coordinate, score) <= bound, f"coordinates {coordinate:.2e}, scores {score:.2e}"
            return
        errors = [relative_error(g, w) for g, w in zip(got, wanted)]
        figures[plan] = max(errors)
        if entry.quantized:
            return  # the file's numbers are integers, these are not
        assert max(errors) <= bound, f"output {int(np.argmax(errors))}: {max(errors):.2e} of its range"

    def compare_int8(self, figures: dict, entry: Entry, got: list, wanted: list, described: dict) -> None:
        if entry.finished_boxes:
            confident = [w[np.repeat(w.reshape(len(w), -1, 6)[:, :, 4] >= 0.25, 6, axis=1)] for w in wanted]
            total, found, _, _ = match_boxes(got[0], wanted[0])
            figures["int8_boxes"] = f"{found} of {total}"
            assert found >= 0.5 * total or described["warnings"] or not len(confident), f"{found} of {total} boxes found"
            return
        step = entry.output_step()
        if entry.quantized and step > 0:
            within = float(np.mean(np.abs(got[0] - wanted[0]) <= 1.001 * step))
            figures["int8_within_step"] = round(within, 5)
            if not entry.is_chaotic(step):
                assert within >= 0.99, f"{100 * within:.2f} % of the elements within one step"
                return
        cosines = [cosine(g, w) for g, w in zip(got, wanted)]
        figures["int8_cosine"] = round(min(cosines), 5)
        worst = int(np.argmin(cosines))
        # A warning that names a layer says what is not good, and where.
        named = any("'" in warning for warning in described["warnings"])
        assert cosines[worst] >= COSINE or named, f"output {worst}: cosine {cosines[worst]:.4f} and no warning"

    def same_bits(self, figures: dict, entry: Entry, blob, data, out, count: int) -> None:
        runs = [(self.build, ("--isa", "reference")), (self.build, ())]
        emulator = shutil.which("qemu-aarch64")
        cross = self.build.folder.parent / "aarch64"
        if entry.name in FAST and emulator and (cross / "bin" / "octet-run").exists():
            runs.append((Build(cross, (emulator, "-cpu", "cortex-a76")), ()))
        results = []
        for build, options in runs:
            build.infer(blob, data, out, "--plan", "int8", *options)
            results.append(b"".join(a.tobytes() for a in self.outputs(out, count, 1)))
        figures["same_bits"] = len(results)
        assert all(r == results[0] for r in results), "instruction sets differ"


def table(rows: list) -> str:
    head = ("model", "convert_s", "fp32", "fp16", "int8_cosine", "int8_within_step", "int8_boxes", "int8_arena", "same_bits")
    lines = ["".join(f"{word:>{24 if i == 0 else 17}}" for i, word in enumerate(head))]
    for row in rows:
        words = [row.get(word, "-") for word in head]
        words = [f"{w:.2e}" if isinstance(w, float) and head[i] in ("fp32", "fp16") else w for i, w in enumerate(words)]
        lines.append("".join(f"{word!s:>{24 if i == 0 else 17}}" for i, word in enumerate(words)))
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="every model; takes an hour")
    parser.add_argument("--models", default="", help="these alone, joined by commas")
    parser.add_argument("--json", type=pathlib.Path, help="file for all figures")
    options = arguments(parser)
    if not ZOO.exists():
        print("skipped: ../shared/zoo is not there")
        return SKIPPED
    try:
        import onnx  # noqa: F401
    except ImportError:
        print("skipped: Debian's python3-onnx is not installed")
        return SKIPPED
    names = [path.parent.name for path in sorted(ZOO.glob("*/model.onnx"))]
    if options.models:
        names = options.models.split(",")
    elif not options.all:
        names = [name for name in names if name in FAST]
    report = Report("Zoo", options.report)
    rows = [Zoo(options, report).model(name) for name in names]
    print(table(rows))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
