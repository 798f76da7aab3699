"""Engines in child processes that stay loaded and take turns: Octet (bench-models), ONNX Runtime (ort_worker.js) and oneDNN."""
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
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


def add_options(parser):
    """The options that all comparisons have."""
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/native/bin", help="folder of bench-models")
    parser.add_argument("--packages", type=pathlib.Path, default=ROOT / "build/peers",
                        help="folder with node_modules/onnxruntime-node (filled when it is not there)")
    parser.add_argument("--cpumask", default=os.environ.get("OCTET_CPUMASK", ""),
                        help="shared object that hides CPU features by MASK=LEVEL (default: $OCTET_CPUMASK)")
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
            raise Failure("npm could not install onnxruntime-node; install node and npm, or give --packages")
    if options.cpumask:
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", str(HERE / "keep_sigsegv.c"), "-o",
                        str(options.packages / "keep_sigsegv.so")], check=True)
    models = options.packages / "models"
    models.mkdir(exist_ok=True)
    return models


def ort_version(options):
    return json.loads((options.packages / "node_modules/onnxruntime-node/package.json").read_text())["version"]


def ort(options, model, shape, level):
    """ONNX Runtime on an ONNX file, held to a level; at our highest level of all it has the whole CPU."""
    environment = dict(os.environ)
    if options.cpumask and level != "amx":
        preloads = [os.path.abspath(options.cpumask), str(options.packages.resolve() / "keep_sigsegv.so")]
        environment |= {"MASK": level, "LD_PRELOAD": ":".join(preloads)}
    return Contestant(Worker(["node", str(HERE / "ort_worker.js"), str(options.packages), str(model),
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
