#!/usr/bin/env python3
"""Holds the blobs of convert_models.py against what is promised about sizes and memory, recomputed from
`octet inspect --json`, `octet-run --json` and the ONNX file: nothing here trusts a total the converter reports."""
import argparse
import pathlib

import onnx_weights
from model_tests import MODELS, Build, Report, arguments, require

IN_PLACE = {"Unary", "Reshape", "Add", "Mul", "Div"}
RECORD_BYTES = 128  # of bind records a layer
SESSION_BYTES = 2048  # what does not grow with the model
ALIGNMENT = 64
# runtime/kernels/conv/scratch.h
TILE_ROWS = {"int8": 32, "fp16": 16}  # of other_levels
X86_ROWS, PAIRED_ROWS, PAIRED_DEEP = 57, 67, 512  # int8 of avx2, which x86_levels are
WIDE_BLOCKS_ROWS, WIDE_TILE_ROWS, WIDE_TILE_BYTES = 32, 208, 100 * 1024 * 4  # fp16 of x86_levels
REFERENCE_TILE = 1024
TILE_ELEMENT = {"int8": 1, "fp16": 4}


def check_blob_size(model, described: dict) -> str:
    weights, channels = onnx_weights.count(model.onnx)
    sections = described["sections"]
    stored = weights * (1 + 2)  # int8 and FP16 plan
    # Tables: those of functions, and the plans' tables of layers and tensors with their names.
    tables = sum(s["bytes"] for s in sections if s["kind"] in ("tables", "labels", "strings", "plan", "model"))
    bar = 1.01 * stored + 16 * channels * 2 + tables + described["section_alignment"] * len(sections)
    assert described["blob_bytes"] <= bar, f"{described['blob_bytes']} bytes, the bar is {bar:.0f}"
    return f"blob {described['blob_bytes']} of {bar:.0f} bytes, weights {stored}"


def alive(tensor: dict, layer: int) -> bool:
    return tensor["first"] <= layer <= tensor["last"]


def in_place_pairs(plan: dict) -> set:
    """(input, output) tensor numbers that may share bytes: an elementwise layer whose first input dies there."""
    tensors, pairs = plan["tensors"], set()
    for number, layer in enumerate(plan["layers"]):
        outputs = [i for i, t in enumerate(tensors) if t["first"] == number]
        assert len(outputs) == 1, f"layer {number} writes {len(outputs)} tensors"
        out = outputs[0]
        if layer["op"] not in IN_PLACE:
            continue
        dying = [i for i, t in enumerate(tensors) if t["last"] == number and i != out
                 and t["name"] == layer["inputs"][0] and t["bytes"] == tensors[out]["bytes"]]
        pairs |= {(i, out) for i in dying}
    return pairs


def check_no_overlap(plan: dict) -> str:
    tensors, pairs = plan["tensors"], in_place_pairs(plan)
    for i, a in enumerate(tensors):
        assert a["offset"] + a["bytes"] <= plan["arena_bytes"], f"tensor {i} ends behind the arena"
        for j, b in enumerate(tensors[:i]):
            if a["offset"] >= b["offset"] + b["bytes"] or b["offset"] >= a["offset"] + a["bytes"]:
                continue
            if a["first"] > b["last"] or b["first"] > a["last"]:
                continue
            shared = a["offset"] == b["offset"] and (((j, i) in pairs and b["last"] == a["first"]) or
                                                     ((i, j) in pairs and a["last"] == b["first"]))
            assert shared, f"tensors {j} '{b['name']}' and {i} '{a['name']}' are alive at once and share bytes"
    return f"{len(tensors)} tensors"


def lower_bound(plan: dict) -> int:
    """The largest sum of live tensors over the schedule; what can be computed in place is counted once."""
    tensors, pairs = plan["tensors"], in_place_pairs(plan)
    rounded = [-(-t["bytes"] // ALIGNMENT) * ALIGNMENT for t in tensors]
    largest = 0
    for number in range(-1, len(plan["layers"]) + 1):
        live = sum(rounded[i] for i, t in enumerate(tensors) if alive(t, number))
        once = sum(rounded[out] for _, out in pairs if tensors[out]["first"] == number)
        largest = max(largest, live - once)
    return largest


def check_arena(plan: dict) -> str:
    bound = lower_bound(plan)
    assert bound <= plan["arena_bytes"] <= 1.05 * bound, f"{plan['arena_bytes']} bytes, lower bound {bound}"
    return f"arena {plan['arena_bytes']}, lower bound {bound}"


def rows_of(level: str, precision: str, row_bytes: int) -> int:
    if level == "other_levels":
        return TILE_ROWS[precision]
    if precision == "int8":
        return PAIRED_ROWS if row_bytes <= PAIRED_DEEP else X86_ROWS
    return WIDE_BLOCKS_ROWS + min(WIDE_TILE_ROWS, max(TILE_ROWS["fp16"], WIDE_TILE_BYTES // row_bytes))


def check_scratch(plan: dict) -> str:
    by_output = {t["first"]: t for t in plan["tensors"]}
    tiles, row = {"other_levels": 0, "x86_levels": 0}, 0
    for number, layer in enumerate(plan["layers"]):
        if layer["op"] != "Conv":
            continue
        elements = 1
        for dim in by_output[number]["dims"]:
            elements *= dim
        values = -(-(layer["macs"] // elements) // 16) * 16 * TILE_ELEMENT[layer["precision"]]
        row = max(row, values)
        for level in tiles:
            tiles[level] = max(tiles[level], rows_of(level, layer["precision"], values) * values)
    scratch = plan["scratch_bytes"]
    for level, tile in tiles.items():
        assert scratch[level] <= 16384 + tile, f"{scratch} bytes, a tile of {level} takes {tile}"
    assert scratch["reference"] <= max(REFERENCE_TILE, row), f"{scratch} bytes, a row takes {row}"
    return f"scratch {scratch}, of which a tile {tiles}"


def check_session(build: Build, model, work: pathlib.Path, described: dict) -> str:
    blob, images, out = work / f"{model.name}.octet", work / f"{model.name}.images.npy", work / f"{model.name}.out.npy"
    texts = []
    for threads in (1, 2, 4):
        report = build.infer(blob, images, out, "--threads", threads)
        # That of the plan that runs, the first.
        plan = described["plans"][0]
        bar = (plan["arena_bytes"] + plan["scratch_bytes"]["x86_levels"] * threads
               + RECORD_BYTES * len(plan["layers"]) + SESSION_BYTES)
        assert report["arena_bytes"] <= bar, f"{report['arena_bytes']} bytes for {threads} threads, the bar is {bar}"
        texts.append(f"{report['arena_bytes']} of {bar}")
    out.unlink()
    return "arena of 1, 2, 4 threads: " + ", ".join(texts)


def figures(build: Build, model, work: pathlib.Path, described: dict) -> str:
    """Load time and resident memory; reported, not judged, on a machine that others use."""
    blob, images, out = work / f"{model.name}.octet", work / f"{model.name}.images.npy", work / f"{model.name}.out.npy"
    reports = [build.infer(blob, images, out, "--no-verify", "--plan", "int8") for _ in range(5)]
    out.unlink()
    sections = sum(s["bytes"] for s in described["sections"] if s["kind"] != "weights-fp16")
    promised = sections + reports[0]["arena_bytes"] + images.stat().st_size + (3 << 20)
    rss = min(report["rss_bytes"] for report in reports)
    return (f"load {min(r['load_ms'] for r in reports):.3f} ms without hashing; resident {rss} bytes, "
            f"sections + arena + input + 3 MiB = {promised}")


def main() -> int:
    options = arguments(argparse.ArgumentParser(description=__doc__))
    build, report = Build(options.build), Report("ModelContract", options.report)
    for model in MODELS:
        described = None
        with report.case(f"{model.name}.BlobSize"):
            require(model)
            described = build.inspect(options.work / f"{model.name}.octet")
            print(f"{model.name}: {check_blob_size(model, described)}")
        if described is None:
            continue
        for plan in described["plans"]:
            for name, check in (("NoOverlap", check_no_overlap), ("Arena", check_arena), ("Scratch", check_scratch)):
                with report.case(f"{model.name}.{plan['name']}.{name}"):
                    print(f"{model.name} {plan['name']}: {check(plan)}")
        with report.case(f"{model.name}.Session"):
            print(f"{model.name}: {check_session(build, model, options.work, described)}")
        print(f"{model.name}: {figures(build, model, options.work, described)}")
    return report.finish()


if __name__ == "__main__":
    raise SystemExit(main())
