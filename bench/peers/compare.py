#!/usr/bin/env python3
"""Octet, ONNX Runtime and oneDNN's convolutions side by side on the benchmark networks, one thread, one core, interleaved round by round.

Both engines live in child processes that stay loaded and take turns; what a call into ONNX Runtime costs without work
(an Identity model) is subtracted from its times. Ours are from float input to float output as well. oneDNN (where
bench-onednn was built) runs the convolutions and nothing else, in the memory layouts it likes best: a ceiling.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NETWORKS = "resnet18,resnet50,mobilenet_v1,mobilenet_v2,resnet8,vww,ds_cnn"
LEVELS = "avx2,avxvnni,avx512vnni,amx"
ONEDNN_ISA = {"avx2": "AVX2", "avxvnni": "AVX2_VNNI", "avx512vnni": "AVX512_CORE_VNNI", "amx": "AVX512_CORE_AMX"}
WARMUPS = 3
TURN_MS = 60.0


class Failure(Exception):
    """Bad use: one line, exit status 2."""


class Worker:
    """A child that answers a count with the milliseconds of so many inferences."""

    def __init__(self, command, environment):
        self.command = command
        self.process = subprocess.Popen(command, env=environment, text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if self.process.stdout.readline().strip() != "ready":
            raise Failure(f"{' '.join(command)}: did not start")

    def run(self, count):
        self.process.stdin.write(f"{count}\n")
        self.process.stdin.flush()
        times = [float(word) for word in self.process.stdout.readline().split()]
        if len(times) != count:
            raise Failure(f"{' '.join(self.command)}: stopped")
        return times

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Contestant:
    """One engine at one level: its worker and all its times."""

    def __init__(self, worker):
        self.worker = worker
        self.times = []
        worker.run(WARMUPS)
        once = min(worker.run(2))
        self.repeat = max(2, min(300, int(TURN_MS / once)))

    def turn(self):
        self.worker.run(1)  # its data are out of the cache: the other engine has just run
        self.times += self.worker.run(self.repeat)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/native/bin", help="folder of bench-models")
    parser.add_argument("--packages", type=pathlib.Path, default=ROOT / "build/peers",
                        help="folder with node_modules/onnxruntime-node (filled when it is not there)")
    parser.add_argument("--cpumask", default=os.environ.get("OCTET_CPUMASK", ""),
                        help="shared object that hides CPU features by MASK=LEVEL (default: $OCTET_CPUMASK)")
    parser.add_argument("--networks", default=NETWORKS)
    parser.add_argument("--levels", default=LEVELS)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--core", type=int, default=0)
    parser.add_argument("--winograd", action="store_true", help="our blobs bring transformed weights as well")
    parser.add_argument("--json", type=pathlib.Path, default=ROOT / "build/peers/compare.json")
    return parser.parse_args()


def prepare(options):
    """Packages and models in place."""
    options.packages.mkdir(parents=True, exist_ok=True)
    if not (options.packages / "node_modules/onnxruntime-node").exists():
        # The install script would fetch GPU libraries; the CPU ones are in the package.
        command = ["npm", "install", "--ignore-scripts", "--no-fund", "--no-audit", "--prefix", str(options.packages),
                   "onnxruntime-node"]
        if subprocess.run(command, stdout=sys.stderr, check=False).returncode != 0:
            raise Failure("npm could not install onnxruntime-node; install node and npm, or give --packages")
    if options.cpumask:
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", str(HERE / "keep_sigsegv.c"), "-o",
                        str(options.packages / "keep_sigsegv.so")], check=True)
    models = options.packages / "models"
    models.mkdir(exist_ok=True)
    subprocess.run([options.bin / "bench-models", "--export-onnx", models, "--network", options.networks], check=True)
    return models


def compare(options, models, network, levels):
    shapes = json.loads((models / f"{network}.json").read_text())

    def ort(model, shape, level):
        environment = dict(os.environ)
        # At our highest level of all ONNX Runtime has the whole CPU.
        if options.cpumask and level != "amx":
            preloads = [os.path.abspath(options.cpumask), str(options.packages.resolve() / "keep_sigsegv.so")]
            environment |= {"MASK": level, "LD_PRELOAD": ":".join(preloads)}
        return Worker(["node", str(HERE / "ort_worker.js"), str(options.packages), str(models / model),
                       ",".join(map(str, shape))], environment)

    def ours(level):
        return Worker([str(options.bin / "bench-models"), "--worker", "--network", network, "--isa", level,
                       "--plan", "int8", "--threads", "1"] + ["--winograd"] * options.winograd, dict(os.environ))

    def onednn(level):
        program = options.bin / "bench-onednn"
        if not program.exists():
            return None
        environment = dict(os.environ) | {"ONEDNN_MAX_CPU_ISA": ONEDNN_ISA[level], "OMP_NUM_THREADS": "1"}
        return Contestant(Worker([str(program), network], environment))

    engines = {level: (Contestant(ours(level)), Contestant(ort(f"{network}.onnx", shapes["input"], level)),
                       onednn(level)) for level in levels}
    call = Contestant(ort(f"{network}.identity.onnx", shapes["output"], levels[-1]))
    for _ in range(options.rounds):
        call.turn()
        for contestants in engines.values():
            for contestant in filter(None, contestants):
                contestant.turn()
    overhead = statistics.median(call.times)
    rows = []
    for level, (octet, peer, ceiling) in engines.items():
        octet_ms = statistics.median(octet.times)
        peer_ms = statistics.median(peer.times) - overhead
        best = (min(octet.times), min(peer.times) - min(call.times))
        rows.append({"network": network, "level": level, "macs": shapes["macs"], "octet_ms": octet_ms,
                     "ort_ms": peer_ms, "ratio": octet_ms / peer_ms, "octet_min_ms": best[0], "ort_min_ms": best[1],
                     "min_ratio": best[0] / best[1], "call_overhead_ms": overhead,
                     "onednn_convolutions_ms": statistics.median(ceiling.times) if ceiling else None,
                     "onednn_convolutions_min_ms": min(ceiling.times) if ceiling else None,
                     "samples": [len(octet.times), len(peer.times)]})
        for contestant in filter(None, (octet, peer, ceiling)):
            contestant.worker.close()
    call.worker.close()
    return rows


def ceiling_of(row):
    """oneDNN's convolutions in a row of the table, and our whole network against them."""
    if row["onednn_convolutions_ms"] is None:
        return f"{'-':>13} {'-':>9}"
    return f"{row['onednn_convolutions_ms']:>13.3f} {row['octet_min_ms'] / row['onednn_convolutions_min_ms']:>9.2f}"


def levels_of(options):
    """Without a mask ONNX Runtime uses all the CPU has, so that only our best level can be set against it."""
    for program in ("bench-models", "octet-run"):
        if not (options.bin / program).exists():
            raise Failure(f"{options.bin / program}: not there; build the native preset or give --bin")
    listed = subprocess.run([options.bin / "octet-run", "--isa", "list"], capture_output=True, text=True, check=True)
    here = listed.stdout.split()
    wanted = [level for level in options.levels.split(",") if level in here]
    if not wanted:
        raise Failure(f"--levels {options.levels}: none of them on this machine")
    if not options.cpumask:
        print("no --cpumask: ONNX Runtime is not held to a level; only the highest is compared", file=sys.stderr)
        return wanted[-1:]
    if not os.path.exists(options.cpumask):
        raise Failure(f"{options.cpumask}: no such file")
    return wanted


def main():
    options = parse_arguments()
    os.sched_setaffinity(0, {options.core})
    levels = levels_of(options)
    models = prepare(options)
    version = json.loads((options.packages / "node_modules/onnxruntime-node/package.json").read_text())["version"]
    print(f"one thread on core {options.core}, int8, medians of {options.rounds} interleaved rounds, "
          f"ONNX Runtime {version}")
    print(f"{'network':<13} {'level':<10} {'octet ms':>10} {'ORT ms':>10} {'ratio':>6} {'of minima':>10} "
          f"{'oneDNN convs':>13} {'octet/it':>9}")
    rows = []
    for network in options.networks.split(","):
        for row in compare(options, models, network, levels):
            print(f"{network:<13} {row['level']:<10} {row['octet_ms']:>10.3f} {row['ort_ms']:>10.3f} "
                  f"{row['ratio']:>6.2f} {row['min_ratio']:>10.2f} {ceiling_of(row)}", flush=True)
            rows.append(row)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps({"onnxruntime": version, "rounds": options.rounds, "rows": rows}, indent=2))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"compare.py: {failure}", file=sys.stderr)
        sys.exit(2)
