"""Engines in child processes that stay loaded and take turns: Octet (bench-models), ONNX Runtime (ort_worker.c) and oneDNN."""
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LEVELS = "avx2,avxvnni,avx512vnni,amx"
ONEDNN_ISA = {"avx2": "AVX2", "avxvnni": "AVX2_VNNI", "avx512vnni": "AVX512_CORE_VNNI", "amx": "AVX512_CORE_AMX"}
TRAPPING = "libonnxruntime.trapping.so"
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
        if not self.process.stdout.readline().startswith("ready"):
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


def add_options(parser):
    """The options that all comparisons have."""
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/native/bin", help="folder of bench-models")
    parser.add_argument("--packages", type=pathlib.Path, default=ROOT / "build/peers",
                        help="folder with node_modules/onnxruntime-node (filled when it is not there)")
    parser.add_argument("--levels", default=LEVELS)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--core", type=int, default=0)


def prepare(options):
    """ONNX Runtime in place; the folder for models."""
    options.packages.mkdir(parents=True, exist_ok=True)
    if not (options.packages / "node_modules/onnxruntime-node").exists():
        # The install script would fetch GPU libraries; the CPU ones are in the package.
        command = ["npm", "install", "--ignore-scripts", "--no-fund", "--no-audit", "--prefix", str(options.packages),
                   "onnxruntime-node"]
        if subprocess.run(command, stdout=sys.stderr, check=False).returncode != 0:
            raise Failure("npm could not install onnxruntime-node; install npm, or give --packages")
    subprocess.run(["cc", "-O2", str(HERE / "ort_worker.c"), "-o", str(options.packages / "ort_worker"), "-ldl"], check=True)
    if not (options.packages / TRAPPING).exists():
        trap_cpuid(library_of(options.packages, "x64"), options.packages / TRAPPING)
    models = options.packages / "models"
    models.mkdir(exist_ok=True)
    return models


def library_of(folder, architecture):
    """ONNX Runtime's library for an architecture as node names it, or None."""
    return next(iter(sorted(folder.glob(f"**/onnxruntime-node/bin/*/linux/{architecture}/libonnxruntime.so*"))), None)


def trap_cpuid(library, copy):
    """A copy whose CPUID instructions are UD2, so that ort_worker answers them. Few virtual machines can make CPUID trap."""
    code = bytearray(library.read_bytes())
    headers = subprocess.run(["readelf", "-SW", library], capture_output=True, text=True, check=True).stdout
    address, offset = (int(word, 16) for word in re.search(r" \.text +PROGBITS +(\w+) (\w+)", headers).groups())
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "-j", ".text", library], capture_output=True, text=True,
                          check=True).stdout
    for found in re.finditer(r"^ *(\w+):\tcpuid", text, re.MULTILINE):
        at = int(found[1], 16) - address + offset
        code[at:at + 2] = b"\x0f\x0b"
    copy.write_bytes(code)


def ort_version(options):
    return json.loads((options.packages / "node_modules/onnxruntime-node/package.json").read_text())["version"]


def ort(options, model, shape, level):
    """ONNX Runtime on an ONNX file, limited to a level; at our highest level of all it has the whole CPU."""
    whole = level == "amx"
    library = library_of(options.packages, "x64") if whole else options.packages / TRAPPING
    environment = {name: value for name, value in os.environ.items() if name != "MASK"} | ({} if whole else {"MASK": level})
    return Contestant(Worker([str(options.packages / "ort_worker"), str(library), str(model), "1",
                              ",".join(map(str, shape))], environment))


def octet(options, level, plan, *which):
    """Ours; which: the words that name network or blob to bench-models."""
    return Contestant(Worker([str(options.bin / "bench-models"), "--worker", "--isa", level, "--plan", plan,
                              "--threads", "1", *map(str, which)], dict(os.environ)))


def onednn(options, network, level):
    """oneDNN's convolutions of a benchmark network, or None where its program was not built."""
    program = options.bin / "bench-onednn"
    if not program.exists():
        return None
    environment = dict(os.environ) | {"ONEDNN_MAX_CPU_ISA": ONEDNN_ISA[level], "OMP_NUM_THREADS": "1"}
    return Contestant(Worker([str(program), network], environment))


def levels_of(options):
    for program in ("bench-models", "octet-run"):
        if not (options.bin / program).exists():
            raise Failure(f"{options.bin / program}: not there; build the native preset or give --bin")
    listed = subprocess.run([options.bin / "octet-run", "--isa", "list"], capture_output=True, text=True, check=True)
    here = listed.stdout.split()
    wanted = [level for level in options.levels.split(",") if level in here]
    if not wanted:
        raise Failure(f"--levels {options.levels}: none of them on this machine")
    return wanted
