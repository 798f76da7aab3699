#!/usr/bin/env python3
"""Hashes of what `octet convert` makes of a set of models: blob_hashes.py OCTET [--shared FOLDER] [--only WORD]

A change of structure may change no byte of a blob and no character of what is printed. Run it before the change and
after, and compare the two lists with diff. A line holds the case, the exit status, and one hash each of the blob, of
the JSON without its times, of the text for people without its times, of the standard error, and of what `octet inspect`
prints, as text and as JSON. Cases are the demo's models, and models of the shared folder where there is one.
"""
import argparse
import hashlib
import json
import pathlib
import re
import struct
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEMO = ROOT / "demo"


def write_npy(path, shape, seed):
    """Random bytes, the same on every machine: what is calibrated with where a model has no data of its own."""
    count = 1
    for size in shape:
        count *= size
    state, values = seed, bytearray()
    while len(values) < count:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2 ** 64
        values += struct.pack("<I", state >> 32)
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {tuple(shape)}, }}".encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(values[:count]))


def demo_cases(work):
    write_npy(work / "mnist.npy", (40, 28, 28, 1), 1)
    write_npy(work / "scene.npy", (24, 96, 96, 3), 2)
    mnist = [DEMO / "fashion_mnist.onnx", "--calibrate", work / "mnist.npy", "--mean", "0.2860", "--std", "0.3530",
             "--task", "classify", "--labels", DEMO / "labels.txt"]
    scene = [DEMO / "scene_detector.onnx", "--calibrate", work / "scene.npy", "--mean", "0,0,0", "--std", "1,1,1",
             "--task", "detect", "--decode", DEMO / "scene_decode.yaml", "--labels", DEMO / "labels.txt"]
    pi = ["--board", ROOT / "boards/raspberry-pi-4.yaml"]
    (work / "partial.yaml").write_text("whitelist:\n  activation_schemes: [symmetric]\n  weight_schemes: [per_tensor]\n")
    (work / "wrong.yaml").write_text("guard: {trip_score: 0.9, dwell_s: never}\n")
    return {
        "mnist/plain": mnist,
        "mnist/golden": [*mnist, "--golden", "3", "--effort", "fast", "--section-align", "64", "--verbosity", "none"],
        "mnist/board": [*mnist, *pi, "--effort", "fast", "--winograd-fp16"],
        "mnist/everything": [*mnist, *pi, "--effort", "fast", "--drift", "--temporal", "filter", "--golden", "2", "--mixed"],
        "mnist/temporal mean": [*mnist, "--effort", "fast", "--temporal", "mean"],
        "mnist/partial board": [*mnist, "--effort", "fast", "--board", work / "partial.yaml"],
        "mnist/wrong board": [*mnist, "--effort", "fast", "--board", work / "wrong.yaml"],
        "mnist/no board": [*mnist, "--board", "nowhere.yaml"],
        "mnist/require": [*mnist, "--effort", "fast", "--require", "90dB"],
        "scene/drift": [*scene, "--effort", "fast", "--drift", "--golden", "1"],
        "scene/mixed": [*scene, "--effort", "fast", *pi, "--mixed", "--temporal", "gated"],
        "scene/select": [*scene, "--effort", "fast", "--select", "12", "--int8-everywhere"],
    }


def shared_cases(shared, work):
    cases = {}
    for model in sorted((shared / "repro").glob("k*/*/m.onnx")):
        data = sorted(model.parent.glob("x?.npy"))
        if data:
            name = model.parent.relative_to(shared).as_posix()
            cases[name] = [model, "--calibrate", ",".join(map(str, data)), "--effort", "fast"]
    for name in ("fp16_overflow", "inner_batch", "pad_value", "dead_channel", "resize_third"):
        model = shared / "repro" / (name + ".onnx")
        if model.exists():
            cases["repro/" + name] = [model, "--calibrate", model.with_suffix(".npy"), "--effort", "fast", "--golden", "1"]
    lab = shared / "lab"
    if lab.exists():
        cifar = ["--calibrate", lab / "cifar_calib_x.npy", "--mean", "0.4914,0.4822,0.4465", "--std",
                 "0.2470,0.2435,0.2616", "--task", "classify", "--effort", "fast", "--samples", "24"]
        cases["lab/mobilenet_v2_cifar10"] = [lab / "mobilenet_v2_cifar10.onnx", *cifar, "--drift", "--temporal", "filter",
                                             "--golden", "2", "--board", ROOT / "boards/raspberry-pi-5.yaml"]
        cases["lab/mobilenet_v2_qat"] = [lab / "mobilenet_v2_qat.onnx", *cifar]
    zoo = shared / "zoo"
    for name, shape in (("mnist_cntk", (6, 28, 28, 1)), ("yunet_n_320", (4, 320, 320, 3))):
        if (zoo / name).exists():
            data = work / (name + ".npy")
            write_npy(data, shape, 3)
            cases["zoo/" + name] = [zoo / name / "model.onnx", "--calibrate", data, "--effort", "fast"]
    return cases


def without_times(value):
    """The JSON without what differs from run to run."""
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if key not in ("seconds",)}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def digest(data):
    return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()[:12]


def run(octet, arguments, folder):
    ran = subprocess.run([octet, *map(str, arguments)], capture_output=True, text=True, cwd=folder)
    times = re.sub(r" in \d+\.\d s\n", " in T s\n", ran.stdout)
    # A line of progress every half a minute: not on every machine.
    errors = re.sub(r"(?m)^octet: \[?.*: \d+ %(, \d+ s left)?\n", "", ran.stderr)
    return ran.returncode, times.replace(str(folder), "WORK"), errors.replace(str(folder), "WORK")


def hashes_of(octet, arguments, work):
    blob = work / "m.octet"
    blob.unlink(missing_ok=True)
    status, text, errors = run(octet, ["convert", *arguments, "-o", blob, "--json"], work)
    facts = json.dumps(without_times(json.loads(text)), sort_keys=True) if text else ""
    first = blob.read_bytes() if blob.exists() else b""
    _, words, _ = run(octet, ["convert", *arguments, "-o", blob, "--details"], work)
    parts = [status, digest(first), digest(facts), digest(words), digest(errors)]
    if first:
        parts += [digest(run(octet, ["inspect", blob], work)[1]), digest(run(octet, ["inspect", blob, "--json"], work)[1])]
    return " ".join(map(str, parts))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("octet", type=pathlib.Path)
    parser.add_argument("--shared", type=pathlib.Path, default=ROOT.parent / "shared")
    parser.add_argument("--only", default="", help="cases whose name holds this")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        cases = demo_cases(work)
        cases.update(shared_cases(options.shared, work))
        octet = options.octet.resolve()
        for command in ("convert", "inspect", "boards", "assign", "analyze"):
            print(f"octet {command} --help-all: {digest(run(octet, [command, '--help-all'], work)[1])}", flush=True)
        print(f"octet boards: {digest(run(octet, ['boards', ROOT / 'boards', '--json'], work)[1])}", flush=True)
        for name, arguments in cases.items():
            if options.only in name:
                print(f"{name}: {hashes_of(octet, arguments, work)}", flush=True)


if __name__ == "__main__":
    main()
