#!/usr/bin/env python3
"""Instructions of one inference by class, for every benchmark network and ARM level, counted under QEMU.

A count is half the difference between 3 and 1 inferences of the static octet-run, so that loading and the program's
start cancel out; the copy and quantization of the float input are part of an inference, the output file is not. Counts
have no noise. Needs a QEMU plugin that writes `ICOUNT total=N dot=N ...` into $ICOUNT_OUT at exit (--plugin).
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NETWORKS = "resnet18,resnet50,mobilenet_v1,mobilenet_v2,resnet8,vww,ds_cnn"
INPUTS = {"resnet8": (32, 32, 3), "vww": (96, 96, 3), "ds_cnn": (49, 10, 1)}
LARGE = (224, 224, 3)
# CPU model of QEMU, level it stands for. The last has neither SVE nor SME: their levels would be others.
CPUS = (("cortex-a53", "neon"), ("neoverse-n1", "dotprod"), ("max,sve=off,sme=off", "i8mm"))


class Failure(Exception):
    """Bad use: one line, exit status 2."""


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/aarch64/bin", help="folder of the ARM octet-run")
    parser.add_argument("--host-bin", type=pathlib.Path, default=ROOT / "build/native/bin",
                        help="folder of bench-models, which makes the blobs")
    parser.add_argument("--blobs", type=pathlib.Path, help="folder of NAME.octet, in place of those bench-models makes")
    parser.add_argument("--plugin", default=os.environ.get("OCTET_ICOUNT", ""),
                        help="QEMU plugin that counts instructions by class (default: $OCTET_ICOUNT)")
    parser.add_argument("--networks", default=NETWORKS)
    parser.add_argument("--levels", default=",".join(level for _, level in CPUS))
    parser.add_argument("--qemu", default="qemu-aarch64")
    parser.add_argument("--json", type=pathlib.Path, default=ROOT / "build/arm/instructions.json")
    return parser.parse_args()


def write_input(path, shape):
    """A float32 .npy of zeros and ones in turn."""
    count = math.prod(shape)
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * ((-len(header) - 11) % 64) + "\n"
    data = (b"\0\0\0\0" + b"\0\0\x80?") * ((count + 1) // 2)
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data[:4 * count])


def count(options, cpu, level, blob, inputs, repeat, folder):
    counts = folder / "counts"
    command = [options.qemu, "-cpu", cpu, "-plugin", str(pathlib.Path(options.plugin).resolve()),
               str(options.bin / "octet-run"), str(blob), "--input", str(inputs), "--isa", level, "--warmup", "0",
               "--no-verify", "--repeat", str(repeat), "--json"]
    done = subprocess.run(command, env=dict(os.environ) | {"ICOUNT_OUT": str(counts)}, capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)}: {done.stderr.strip()}")
    report = json.loads(done.stdout)
    if report["isa"] != level:
        raise Failure(f"{cpu}: asked for {level}, ran {report['isa']}")
    fields = (field.split("=") for field in counts.read_text().split()[1:])
    return {name: int(value) for name, value in fields}, report["macs"]


def main():
    options = parse_arguments()
    if not options.plugin or not os.path.exists(options.plugin):
        raise Failure("no plugin to count with: give --plugin FILE.so or set OCTET_ICOUNT")
    if not (options.bin / "octet-run").exists():
        raise Failure(f"{options.bin / 'octet-run'}: not there; build the aarch64 preset or give --bin")
    wanted = options.levels.split(",")
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        blobs = options.blobs or folder
        if options.blobs is None:
            subprocess.run([options.host_bin / "bench-models", "--save-blobs", blobs, "--network", options.networks],
                           check=True)
        print(f"{'network':<13} {'level':<8} {'millions':>9} {'MAC/instr':>9}  share of classes")
        for network in options.networks.split(","):
            height, width, channels = INPUTS.get(network, LARGE)
            inputs = folder / "input.npy"
            write_input(inputs, (1, channels, height, width))
            for cpu, level in CPUS:
                if level not in wanted:
                    continue
                blob = blobs / f"{network}.octet"
                once, macs = count(options, cpu, level, blob, inputs, 1, folder)
                thrice, _ = count(options, cpu, level, blob, inputs, 3, folder)
                each = {name: (thrice[name] - once[name]) // 2 for name in once}
                total = each["total"]
                shares = " ".join(f"{name} {100 * value / total:.0f}%" for name, value in each.items()
                                  if name != "total" and 200 * value >= total)
                print(f"{network:<13} {level:<8} {total / 1e6:>9.3f} {macs / total:>9.2f}  {shares}", flush=True)
                rows.append({"network": network, "level": level, "cpu": cpu, "macs": macs, "instructions": each})
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps({"rows": rows}, indent=2))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"instructions.py: {failure}", file=sys.stderr)
        sys.exit(2)
