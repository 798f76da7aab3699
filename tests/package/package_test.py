#!/usr/bin/env python3
"""The installed package as a user meets it: install, move, build programs against it, run them; archives by cpack.

Exit status 0 when everything holds; the first failure is printed with what the command said.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from presets import left_out  # noqa: E402

PROGRAMS = {"octet", "octet-run", "octet-camera"}
BOARDS = {"armv7": ("qemu-arm", "-cpu", "cortex-a15"), "aarch64": ("qemu-aarch64", "-cpu", "cortex-a53")}
SKIPPED = 77


OPENS = """
#include <octet/linux.h>
#include <stdio.h>

int main(int argc, char** argv) {
  char error[512];
  octet_linux* model = octet_linux_open(argc > 1 ? argv[1] : "", NULL, error, sizeof error);
  if (model == NULL) return fprintf(stderr, "%s\\n", error), 2;
  octet_tensor_info info = {.size = sizeof info};
  octet_output_info(octet_linux_session(model), 0, &info);
  printf("%u outputs\\n", (unsigned)info.element_count);
  octet_linux_close(model);
  return 0;
}
"""


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check(holds, what):
    if not holds:
        sys.exit(f"package: {what}")


def make_blob(build, source, work):
    """The demo's classifier, calibrated with noise: what it answers does not matter here. Beside it int8.octet, to its last layer."""
    pictures = numpy.random.default_rng(1).integers(0, 256, (16, 28, 28, 1), dtype=numpy.uint8)
    numpy.save(work / "noise.npy", pictures)
    blob = work / "model.octet"
    for path, options in ((blob, ()), (work / "int8.octet", ("--int8-everywhere",))):
        run(build / "bin/octet", "convert", source / "demo/fashion_mnist.onnx", "-o", path,
            "--calibrate", work / "noise.npy", "--task", "classify", *options)
    return blob


def check_consumers(prefix, source, work, blob):
    # Away from the tree, so that nothing is found there by accident.
    shutil.copytree(source / "examples", work / "examples")
    run("cmake", "-G", "Ninja", "-S", work / "examples/consumer", "-B", work / "consumer",
        f"-DCMAKE_PREFIX_PATH={prefix}", f"-DMODEL={blob}")
    run("cmake", "--build", work / "consumer")
    values = [float(line) for line in run(work / "consumer/minimal", blob).split()]
    check(len(values) == 10, f"minimal printed {len(values)} values")
    best = max(range(10), key=lambda i: values[i])
    check(run(work / "consumer/firmware") == f"largest output 0 {best}\n", "firmware and minimal disagree")

    check_on_linux([work / "consumer"], blob, values)

    config = next(prefix.glob("lib*/**/octet.pc")).parent
    packages = {"PKG_CONFIG_PATH": str(config), "PATH": "/usr/bin:/bin"}
    flags = run("pkg-config", "--cflags", "--libs", "octet", env=packages)
    run("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", work / "examples/minimal.c", "-o", work / "plain", *flags.split())
    again = [float(line) for line in run(work / "plain", blob).split()]
    check(again == values, "pkg-config's program and find_package's disagree")
    # The Linux archive by a C compiler: the C++ library behind it comes from the flags.
    flags = run("pkg-config", "--cflags", "--libs", "octet_port_linux", env=packages)
    run("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", work / "examples/fastest.c", "-o", work / "fast", *flags.split())
    check([float(line) for line in run(work / "fast", blob).split()] == values, "fastest by pkg-config disagrees with minimal")
    # The library alone, in C: nothing of C++ or of threads is named.
    (work / "opens.c").write_text(OPENS)
    library = next(prefix.glob("lib*/**/liboctet.so")).parent
    run("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", work / "opens.c", "-o", work / "opens", f"-I{prefix}/include",
        f"-L{library}", "-loctet", f"-Wl,-rpath,{library}")
    check(run(work / "opens", blob) == "10 outputs\n", "a program linked with liboctet.so")


def check_on_linux(starter, blob, values):
    """examples/fastest.c and deadline.cc, by `starter` + name: minimal's numbers."""
    *emulator, folder = starter
    for threads in (1, 3):
        said = subprocess.run([*map(str, emulator), str(folder / "fastest"), str(blob), str(threads)], text=True, capture_output=True)
        check(said.returncode == 0 and [float(line) for line in said.stdout.split()] == values,
              f"fastest with {threads} threads: {said.returncode} {said.stdout} {said.stderr}")
        check(f", {threads} threads, an arena of " in said.stderr, f"fastest: {said.stderr}")
    refused = subprocess.run([*map(str, emulator), str(folder / "fastest"), str(blob), "257"], text=True, capture_output=True)
    check(refused.returncode == 2 and "257 threads" in refused.stderr and "1 to 256" in refused.stderr, f"257 threads: {refused.stderr}")
    int8 = blob.with_name("int8.octet")
    said = subprocess.run([*map(str, emulator), str(folder / "deadline"), str(int8)], text=True, capture_output=True)
    check(said.returncode == 0 and said.stderr == "cancelled before layer 1\n", f"deadline: {said.returncode} {said.stderr}")
    check(said.stdout == run(*emulator, folder / "minimal", int8), f"deadline and minimal disagree: {said.stdout}")


def hard_swish_squared(x):
    return (x * numpy.clip(x / 6 + 0.5, 0, 1)) ** 2


def make_plugin_model(work):
    """A convolution and an operator of domain com.example, with data to calibrate it."""
    onnx_python = work / "make_model.py"
    onnx_python.write_text("""
import sys, numpy, onnx
from onnx import helper, numpy_helper
weights = numpy.random.default_rng(2).normal(0, 0.5, (16, 3, 3, 3)).astype(numpy.float32)
nodes = [helper.make_node("Conv", ["x", "w"], ["c"], name="conv", pads=[1, 1, 1, 1]),
         helper.make_node("HardSwishSquared", ["c"], ["y"], name="own", domain="com.example")]
value = lambda name, shape: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
graph = helper.make_graph(nodes, "plugin", [value("x", [1, 3, 8, 8])], [value("y", [1, 16, 8, 8])],
                          [numpy_helper.from_array(weights, "w")])
opsets = [helper.make_opsetid("", 13), helper.make_opsetid("com.example", 1)]
onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), sys.argv[1])
""")
    run("/usr/bin/python3", onnx_python, work / "plugin.onnx")
    numpy.save(work / "plugin.npy", numpy.random.default_rng(3).normal(0, 1, (8, 3, 8, 8)).astype(numpy.float32))


def check_plugin(build, prefix, source, work):
    """examples/plugin, away from the tree: both plans near FP32, other programs refuse model and blob."""
    shutil.copytree(source / "examples/plugin", work / "plugin")
    run("cmake", "-G", "Ninja", "-S", work / "plugin", "-B", work / "plugin/build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", work / "plugin/build")
    programs, model, blob, data = work / "plugin/build", work / "plugin.onnx", work / "plugin.octet", work / "plugin.npy"
    make_plugin_model(work)
    # FP16 in the layers of so small a network costs next to nothing; here the int8 kernels are tried.
    run(programs / "octet", "convert", model, "-o", blob, "--calibrate", data, "--fp16-budget", "0")
    run(programs / "octet", "verify", model, blob, "--data", data)
    check("Op8001" in run(programs / "octet", "inspect", blob), "inspect does not show the operator")
    outputs = {}
    for plan in ("int8", "fp16"):
        run(programs / "octet-run", blob, "--input", data, "--output", work / f"{plan}.npy", "--plan", plan)
        outputs[plan] = numpy.load(work / f"{plan}.npy")
    error = numpy.abs(outputs["int8"] - outputs["fp16"]).max() / outputs["fp16"].max()
    check(0 < error < 0.05, f"int8 is {error:.3f} of the range from FP16")
    check(outputs["fp16"].min() >= 0, "a square below 0")
    for command in ((build / "bin/octet", "convert", model, "-o", work / "no.octet", "--calibrate", data),
                    (build / "bin/octet-run", blob, "--input", data)):
        done = subprocess.run([str(word) for word in command], text=True, capture_output=True)
        check(done.returncode == 2 and done.stderr.count("\n") == 1, f"{command[0].name}: {done.returncode} {done.stderr}")


def check_archives(build, work):
    run("cpack", "--config", build / "CPackConfig.cmake", "-B", work / "packages", cwd=work)
    archives = sorted((work / "packages").glob("octet-*.tar.gz"))
    check(len(archives) == 2, f"cpack made {[a.name for a in archives]}")
    names = {}
    for archive in archives:
        with tarfile.open(archive) as tar:
            names[archive.name.rsplit("-", 1)[1]] = {pathlib.PurePath(*pathlib.PurePath(m.name).parts[1:]) for m in tar}
    programs = {path.name for path in names["programs.tar.gz"] if path.parent.name == "bin"}
    check(PROGRAMS <= programs, f"programs in the archive: {programs}")
    pages = {path.stem for path in names["programs.tar.gz"] if path.parent.as_posix() == "share/man/man1"}
    declared = json.loads(run(build / "bin/octet", "--help-json"))["commands"]
    wanted = programs | {command["name"].replace(" ", "-") for command in declared}
    check(pages == wanted, f"man pages {sorted(pages)}, programs and commands {sorted(wanted)}")
    data = {path.as_posix() for path in names["programs.tar.gz"]}
    check({"share/octet/labels/coco.txt", "share/octet/boards/raspberry-pi-4.yaml", "share/octet/monitoring/dashboard.json",
           "share/octet/monitoring/alerts.yml", "share/octet/scene/detector.octet", "share/octet/scene/LICENSE",
           "share/octet/roll-out/roll_out.py", "share/octet/updates/octet-update"} <= data, f"data: {sorted(data)}")
    with tarfile.open(next(archive for archive in archives if "programs" in archive.name)) as tar:
        tar.extractall(work / "archive")
    (octet,) = (work / "archive").glob("*/bin/octet")
    listed = json.loads(run(octet, "boards", "--json"))["boards"]
    check({f"share/octet/boards/{board['compatible']}.yaml" for board in listed} ==
          {name for name in data if name.startswith("share/octet/boards/") and name.endswith(".yaml")},
          f"octet boards of the archive lists {[board['file'] for board in listed]}")
    sdk = {path.name for path in names["sdk.tar.gz"]}
    check({"octet.h", "octet.hpp", "linux.h", "liboctet.so", "liboctet.so.1", "liboctet_runtime.a", "liboctet_port_linux.a",
           "octetConfig.cmake", "octet.pc", "octet_port_linux.pc", "LICENSE"} <= sdk,
          f"in the SDK: {sorted(sdk)}")


def check_board(board, build, source, work, blob):
    """The archives for a board, unpacked where nothing else is: the native programs' bytes, and programs against the SDK."""
    emulator = BOARDS[board]
    run("cpack", "--config", source / f"build/{board}/CPackConfig.cmake", "-B", work / board, cwd=work)
    unpacked = {}
    for archive in (work / board).glob("*.tar.gz"):
        component = archive.name.removesuffix(".tar.gz").rsplit("-", 1)[1]
        with tarfile.open(archive) as tar:
            tar.extractall(work / board / component)
        (unpacked[component],) = (work / board / component).iterdir()
    programs, sdk = unpacked["programs"], unpacked["sdk"]
    for program in (programs / "bin").iterdir():
        check("INTERP" not in run("readelf", "-lW", program), f"{board}: {program.name} is not static")
    pictures = work / "noise.npy"
    frames = b"YUV4MPEG2 W28 H28 Cmono\n" + b"".join(b"FRAME\n" + bytes(784 * [grey]) for grey in (0, 90, 255))
    lines = {}
    for name, prefix in (("here", (build / "bin",)), (board, (*emulator, "-L", work / "empty", programs / "bin"))):
        *starter, folder = prefix
        run(*starter, folder / "octet-run", blob, "--input", pictures, "--output", work / f"{name}.npy")
        seen = subprocess.run([*map(str, starter), str(folder / "octet-camera"), str(blob), "--source", "-", "--json",
                               "--every-frame"], input=frames, capture_output=True, check=True).stdout
        lines[name] = [json.loads(line).get("classes") for line in seen.splitlines()]
    check((work / "here.npy").read_bytes() == (work / f"{board}.npy").read_bytes(), f"{board}: other outputs")
    check(len(lines["here"]) == 4 and all(lines["here"][:3]), f"octet-camera printed {lines['here']}")
    check(lines["here"] == lines[board], f"{board}: other classes: {lines}")
    shutil.copytree(source / "examples", work / board / "examples")
    run("cmake", "-G", "Ninja", "-S", work / board / "examples/consumer", "-B", work / board / "consumer",
        "--toolchain", source / f"toolchains/{board}.cmake", f"-DCMAKE_PREFIX_PATH={sdk}", f"-DMODEL={blob}",
        f"-DOCTET_PROGRAM={build}/bin/octet")
    run("cmake", "--build", work / board / "consumer")
    values = [float(line) for line in run(*emulator, work / board / "consumer/minimal", blob).split()]
    check_on_linux([*emulator, work / board / "consumer"], blob, values)
    best = max(range(10), key=lambda i: values[i])
    check(run(*emulator, work / board / "consumer/firmware") == f"largest output 0 {best}\n",
          f"{board}: firmware and minimal disagree")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--boards", action="store_true", help="the archives of the presets for boards that are built")
    options = parser.parse_args()
    options.build, options.source = options.build.resolve(), options.source.resolve()
    with tempfile.TemporaryDirectory(prefix="octet-package-") as folder:
        work = pathlib.Path(folder)
        if options.boards:
            wanted = [name for name in BOARDS if not left_out(name)]
            built = [name for name in wanted if (options.source / f"build/{name}/bin/octet-camera").exists()]
            if not built:
                print("package: neither aarch64 nor armv7 is built" if wanted else f"package: {left_out('aarch64')}")
                return SKIPPED
            blob = make_blob(options.build, options.source, work)
            for board in built:
                check_board(board, options.build, options.source, work, blob)
            print(f"package: unpacked, run and built against for {' and '.join(built)}")
            return 0
        run("cmake", "--install", options.build, "--prefix", work / "first")
        prefix = work / "moved"
        (work / "first").rename(prefix)
        blob = make_blob(prefix, options.source, work)
        check_consumers(prefix, options.source, work, blob)
        check_plugin(options.build, prefix, options.source, work)
        check_archives(options.build, work)
    print("package: installed, moved, built against by find_package and pkg-config, extended by an operator, packed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
