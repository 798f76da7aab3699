#!/usr/bin/env python3
"""Cycles of one inference on ARM cores, estimated: how often every block of code runs under QEMU, times what llvm-mca says
that the block takes on the core when it is repeated, plus what loads from beyond the first level of cache cost.

  blocks    what ran in 3 inferences less what ran in 1, halved. Each is taken by itself, its branch as taken and foreseen
  memory    a simulated cache (bench/arm/blocks.c); a line from the second level, or from memory, costs the cycles of the
            table CORES: the width of the path, as if all were fetched ahead in time. `memory` is added, as if nothing of it
            went on beside the arithmetic: an upper bound of what that model says, for cores that execute in order
  llvm-mca  knows no caches and no front end; of Debian's llvm-19 the models of cortex-a53, cortex-a55 and neoverse-n1 (which
            stands for the Cortex-A76) are of those cores; neoverse-n2 informs

Instructions mislead where cores differ: orders of loads that save instructions can cost cycles on those that execute in
order. What is estimated here is no measurement either: quote ratios, with the name of the model.

--assert-kernels asks something else of the same counts: which share of the instructions runs in reference code
(reference_code.py). No llvm-mca is needed for it.

MODEL.onnx goes through the same mill in ONNX Runtime's library for AArch64 (--ort: a folder where `npm install --ignore-scripts
onnxruntime-node` ran), one thread, on a processor whose /proc/cpuinfo says the name of the core.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from instructions import ROOT, Failure, write_input
from reference_code import Units, shares

HERE = pathlib.Path(__file__).resolve().parent
# QEMU's CPU; caches as bytes:ways; cycles of a line of 64 bytes from the second level and from memory: 16 and 32 bytes a
# cycle, 4 and 12 GB/s at 1.8 and 2.4 GHz.
# The number by which libraries know the core, and what of it they look for, as /proc/cpuinfo shows them.
Core = collections.namedtuple("Core", "cpu l1 l2 near far part features")
DOT = "fp asimd aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop asimddp"
CORES = {
    "cortex-a53": Core("cortex-a53", "32768:4", "524288:16", 4, 29, 0xd03, "fp asimd aes pmull sha1 sha2 crc32 cpuid"),
    "cortex-a55": Core("cortex-a76", "32768:4", "524288:16", 4, 29, 0xd05, DOT),
    "neoverse-n1": Core("neoverse-n1", "65536:4", "524288:8", 2, 13, 0xd0c, DOT),
    "neoverse-n2": Core("max,sve=off,sme=off", "65536:4", "524288:8", 2, 13, 0xd49, DOT + " i8mm bf16"),
}
FEATURES = "+v8.2a,+dotprod,+i8mm,+fullfp16,+lse,+rcpc,+crc,+crypto"
REPEATED = 100  # times that llvm-mca repeats a block
COVERED = 0.998  # of all instructions; blocks that run more rarely take as many cycles an instruction as the others
Block = collections.namedtuple("Block", "address code")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", type=pathlib.Path, nargs="+", metavar="BLOB|MODEL.onnx")
    parser.add_argument("--ort", type=pathlib.Path, default=os.environ.get("OCTET_ORT"),
                        help="ONNX Runtime's folder (default: $OCTET_ORT)")
    parser.add_argument("--sysroot", type=pathlib.Path, default="/usr/aarch64-linux-gnu", help="of ARM's C library")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/aarch64/bin", help="folder of the ARM octet-run")
    parser.add_argument("--host-bin", type=pathlib.Path, default=ROOT / "build/native/bin", help="folder of octet")
    parser.add_argument("--plan", default="int8")
    parser.add_argument("--isa", help="level (default: the best of the core)")
    parser.add_argument("--cores", default="cortex-a55,neoverse-n1", help=f"among {', '.join(CORES)}")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="the N blocks with most cycles, and their functions")
    parser.add_argument("--assert-kernels", type=float, nargs="?", const=2.0, metavar="PERCENT",
                        help="print the share of instructions that run in reference code on neoverse-n1 instead; exit status 1 "
                        "where it is above PERCENT (default 2) of a blob")
    parser.add_argument("--json", type=pathlib.Path, default=ROOT / "build/arm/cycles.json")
    return parser.parse_args()


class Octet:
    """Our program; what it prints says the level and the products of an inference."""

    def __init__(self, options, blob, core, folder):
        described = json.loads(subprocess.run([options.host_bin / "octet", "inspect", blob, "--json"], capture_output=True,
                                              text=True, check=True).stdout)["inputs"]
        inputs = [folder / f"input.{i}.npy" for i in range(len(described))]
        for file, entry in zip(inputs, described):
            write_input(file, entry["shape"])
        self.command = [options.bin / "octet-run", blob, "--input", *inputs, "--plan", options.plan, "--warmup", "0",
                        "--no-verify", "--json", *(["--isa", options.isa] if options.isa else [])]
        self.program, self.plan, self.emulator = options.bin / "octet-run", options.plan, []

    def asked(self, repeat):
        """Arguments and standard input that ask for so many inferences."""
        return ["--repeat", str(repeat)], ""

    def about(self, text):
        report = json.loads(text)
        return report["isa"], report["macs"]


class OnnxRuntime:
    """The peer. It looks at /proc and /sys of the machine, so QEMU shows it those of the core."""

    def __init__(self, options, model, core, folder):
        library = next(iter(sorted((options.ort or pathlib.Path()).glob(
            "**/onnxruntime-node/bin/*/linux/arm64/libonnxruntime.so*"))), None)
        if options.ort is None or library is None:
            raise Failure(f"{model}: needs ONNX Runtime; run `npm install --ignore-scripts onnxruntime-node` in a folder and "
                          "give it as --ort")
        root, processors = folder / "root", folder / "root/sys/devices/system/cpu"
        if not root.exists():
            processors.mkdir(parents=True)
            (root / "proc").mkdir()
            (root / "lib").symlink_to(options.sysroot / "lib")
            for name in ("possible", "present", "online", "kernel_max"):
                (processors / name).write_text("0\n")
            subprocess.run(["aarch64-linux-gnu-gcc", "-O2", ROOT / "bench/peers/ort_worker.c", "-o",
                            folder / "ort_worker", "-ldl"], check=True)
        (root / "proc/cpuinfo").write_text(
            f"processor\t: 0\nFeatures\t: {core.features}\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
            f"CPU variant\t: 0x1\nCPU part\t: {core.part:#x}\nCPU revision\t: 1\n\n")
        self.command = [folder / "ort_worker", library.resolve(), model, "1"]
        self.program, self.plan, self.emulator = None, "-", ["-L", root]

    def asked(self, repeat):
        return [], f"{repeat}\n"

    def about(self, text):
        return f"ort{text.split()[1]}", None  # ready VERSION


def count(engine, plugin, core, repeat, folder):
    """Runs of every block, and lines fetched into both levels of cache."""
    out = folder / "blocks"
    arguments, text = engine.asked(repeat)
    # setarch: libraries lie at the same addresses in both runs.
    command = ["setarch", "-R", "qemu-aarch64", *engine.emulator, "-cpu", core.cpu, "-plugin",
               f"{plugin},out={out},l1={core.l1},l2={core.l2}", *engine.command, *arguments]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    head, *rows = out.read_text().splitlines()
    runs = collections.Counter()
    for row in rows:
        address, times, code = row.split()
        runs[Block(int(address, 16), code)] += int(times)
    _, _, near, _, far = head.split()
    return runs, int(near), int(far), done.stdout


def assembly_of(code):
    """Instructions of a block as text; what LLVM does not know is left out."""
    words = [code[i:i + 8] for i in range(0, len(code), 8)]
    text = "\n".join(" ".join(f"0x{word[i:i + 2]}" for i in range(0, 8, 2)) for word in words)
    done = subprocess.run(["llvm-mc-19", "--disassemble", "-triple=aarch64", f"-mattr={FEATURES}"], input=text,
                          capture_output=True, text=True, check=False)
    lines = [line.strip() for line in done.stdout.splitlines() if line.startswith("\t") and not line.startswith("\t.")]
    # A call is a jump that writes a register, which the models of A53 and A55 let everything wait for: 99 cycles.
    return [re.sub(r"^(bl|blr)\s.*$", "b #4", line) for line in lines]


def cycles_of(name, blocks):
    """Cycles of one run of each block when it is repeated."""
    if not blocks:
        return {}
    text = ""
    for index, block in enumerate(blocks):
        text += f"# LLVM-MCA-BEGIN b{index}\n" + "\n".join(assembly_of(block.code)) + "\n# LLVM-MCA-END\n"
    done = subprocess.run(["llvm-mca-19", "-mtriple=aarch64", f"-mcpu={name}", f"-mattr={FEATURES}", f"-iterations={REPEATED}",
                           "-skip-unsupported-instructions=any", "-json"], input=text, capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise Failure(f"llvm-mca-19 -mcpu={name}: {done.stderr.strip().splitlines()[0]}")
    regions = json.loads(done.stdout)["CodeRegions"]
    return {blocks[int(region["Name"][1:])]: region["SummaryView"]["TotalCycles"] / REPEATED for region in regions}


def functions_of(program):
    """Addresses and names of the program's functions, sorted."""
    text = subprocess.run(["aarch64-linux-gnu-nm", "-C", "-n", program], capture_output=True, text=True, check=True).stdout
    rows = (line.split(maxsplit=2) for line in text.splitlines())
    return [(int(row[0], 16), row[2]) for row in rows if len(row) == 3 and row[1] in "tTwW"]


def function_at(functions, address):
    below = [name for start, name in functions if start <= address]
    return re.sub(r"\(anonymous namespace\)::|octet::|\(.*", "", below[-1]) if below else "?"


def runs_of_one(once, thrice):
    """How often each block runs in one inference, and its instructions times that."""
    runs = {block: (times - once[block]) / 2 for block, times in thrice.items() if times > once[block]}
    return runs, {block: len(block.code) // 8 * times for block, times in runs.items()}


def reference_share(options, plugin, units, model, folder):
    core = CORES["neoverse-n1"]
    engine = Octet(options, model, core, folder)
    once, _, _, text = count(engine, plugin, core, 1, folder)
    thrice, _, _, _ = count(engine, plugin, core, 3, folder)
    _, size = runs_of_one(once, thrice)
    files = shares(units, size)
    share = 100 * sum(files.values())
    most = ", ".join(f"{name} {100 * part:.1f} %" for name, part in list(files.items())[:3])
    print(f"{model.stem:<28} {engine.plan:<5} {engine.about(text)[0]:<9} {sum(size.values()) / 1e6:>9.2f} {share:>6.1f} %  {most}",
          flush=True)
    return {"blob": model.stem, "plan": engine.plan, "instructions": sum(size.values()), "reference_percent": share, "files": files}


def estimate(options, plugin, name, model, folder):
    core = CORES[name]
    engine = (OnnxRuntime if model.suffix == ".onnx" else Octet)(options, model, core, folder)
    once, near1, far1, text = count(engine, plugin, core, 1, folder)
    thrice, near3, far3, _ = count(engine, plugin, core, 3, folder)
    level, macs = engine.about(text)
    runs, size = runs_of_one(once, thrice)
    total, covered, hot = sum(size.values()), 0, []
    for block in sorted(size, key=size.get, reverse=True):
        if covered >= COVERED * total:
            break
        hot.append(block)
        covered += size[block]
    each = cycles_of(name, hot)
    cycles = {block: each[block] * runs[block] for block in each}
    known = sum(size[block] for block in cycles)
    core_cycles = sum(cycles.values()) * total / known
    near, far = (near3 - near1) / 2, (far3 - far1) / 2
    memory = (near - far) * core.near + far * core.far
    row = {"blob": model.stem, "plan": engine.plan, "isa": level, "core": name, "macs": macs,
           "instructions": total, "core_cycles": core_cycles, "memory_cycles": memory, "cycles": core_cycles + memory,
           "lines_l2": near, "lines_memory": far}
    rate = f"{macs / row['cycles']:.2f}" if macs else "-"
    print(f"{row['blob']:<22} {row['plan']:<5} {row['isa']:<9} {name:<12} {total / 1e6:>9.2f} {core_cycles / 1e6:>9.2f} "
          f"{memory / 1e6:>8.2f} {row['cycles'] / 1e6:>9.2f} {row['cycles'] / total:>6.2f} "
          f"{rate:>7}", flush=True)
    if options.show:
        functions = functions_of(engine.program) if engine.program else []
        for block in sorted(cycles, key=cycles.get, reverse=True)[:options.show]:
            print(f"  {100 * cycles[block] / core_cycles:5.1f} %  {block.address:8x}  {len(block.code) // 8:4} instructions "
                  f"{each[block]:8.2f} cycles  {function_at(functions, block.address)[:80]}")
    return row


def make_plugin(folder):
    plugin = folder / "blocks.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", HERE / "blocks.c", "-o", plugin], check=True)
    return plugin


def assert_kernels(options):
    units = Units(options.bin / "octet-run")
    print(f"{'blob':<28} {'plan':<5} {'level':<9} {'M instr':>9} {'reference':>8}  in files of runtime/kernels")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        plugin = make_plugin(folder)
        rows = [reference_share(options, plugin, units, model, folder) for model in options.models]
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps({"rows": rows}, indent=2))
    above = [row["blob"] for row in rows if row["reference_percent"] > options.assert_kernels]
    if above:
        print(f"more than {options.assert_kernels:g} % in reference code: {', '.join(above)}")
    return int(bool(above))


def main():
    options = parse_arguments()
    unknown = [name for name in options.cores.split(",") if name not in CORES]
    if unknown:
        raise Failure(f"--cores {unknown[0]}: not among {', '.join(CORES)}")
    if not (options.bin / "octet-run").exists():
        raise Failure(f"{options.bin / 'octet-run'}: no such program; build the aarch64 preset, or give --bin")
    for model in options.models:
        if not model.exists():
            raise Failure(f"{model}: not there; give the path of an ONNX model")
    if options.assert_kernels is not None:
        return assert_kernels(options)
    print(f"{'blob':<22} {'plan':<5} {'level':<9} {'core':<12} {'M instr':>9} {'M core':>9} {'M mem':>8} {'M cycles':>9} "
          f"{'CPI':>6} {'MAC/cyc':>7}")
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        plugin = make_plugin(folder)
        for model in options.models:
            rows += [estimate(options, plugin, name, model, folder) for name in options.cores.split(",")]
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps({"rows": rows}, indent=2))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, FileNotFoundError) as failure:
        print(f"cycles.py: {failure}", file=sys.stderr)
        sys.exit(2)
