#!/usr/bin/env python3
"""Whether the fuzzers would find anything: each target is built with one bug planted in a copy of a source, and has to end
with a finding; without a bug it has to end without one. planted.py [TARGET...] [--build build/dev] [--seconds 30]"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Sources that are built with sanitizers, libraries as the build folder has them, and (file, text, bug).
SERVE = "ports/linux/serve/"
SLOTS = ["record.cc", "slots.cc", "stage.cc", "store.cc"]
TARGETS = {
    "http": (["ports/linux/http/request.cc"], [], [
        ("ports/linux/http/request.cc", "HasControls(first) || ", ""),
        ("ports/linux/http/request.cc", "method_end == 0 || ", ""),
        ("ports/linux/http/request.cc", "port.size() <= 6 &&", ""),
    ]),
    "wav": (["ports/linux/run/wav.cc"], [], [
        ("ports/linux/run/wav.cc", "if (length > size - at) {", "if (length > size - at + 8) {"),
        ("ports/linux/run/wav.cc", "if (wav.count == 0)", "if (length == 0)"),
        ("ports/linux/run/wav.cc", "if (wav->rate == 0 || ", "if ("),
    ]),
    "settings": (["ports/linux/settings_file/settings_file.cc", "ports/linux/words/nearest.cc"], ["lib/liboctet_output.a", "-lyaml-cpp"], [
        ("ports/linux/settings_file/settings_file.cc", "if (!names.insert(name).second)", "if (name.empty() && !names.insert(name).second)"),
        ("ports/linux/settings_file/settings_file.cc", "value.IsSequence() && value.size() > 0", "value.IsSequence()"),
        ("ports/linux/settings_file/settings_file.cc", "std::max(line, 0) + 1", "line"),
    ]),
    "records": (["runtime/slots/" + name for name in SLOTS], ["lib/liboctet_runtime.a"], [
        ("runtime/slots/record.cc", "(record.pending == OCTET_SLOT_NONE || record.pending != record.active) &&", ""),
        ("runtime/slots/record.h", "return ahead != 0 && ahead < 0x80000000u;", "return ahead != 0 && sequence > than;"),
        ("runtime/slots/store.cc", "  if (storage.erase(storage.context, area) != 0 ||", "  store->state = next;\n  if (storage.erase(storage.context, area) != 0 ||"),
    ]),
    "list": (["ports/linux/whitelist.cc"], ["lib/liboctet_port_linux.a", "lib/liboctet_runtime.a", "-lpthread"], [
        ("ports/linux/whitelist.cc", 'if (bits != 0) Bad(where, number, name + " is listed twice");', ""),
        ("ports/linux/whitelist.cc", "word.size() < sizeof(octet_board::compatible)", "word.size() <= sizeof(octet_board::compatible)"),
        ("ports/linux/whitelist.cc", "bits |= known->bit;", "bits = known->bit;"),
    ]),
    "drift": (["runtime/drift/" + name for name in ("section.cc", "bank.cc", "rescale.cc", "rounds.cc")] + ["tests/runtime/drift/drift_blob.cc"],
              ["lib/liboctet_test_support.a", "lib/liboctet_runtime.a", "lib/liboctet_port_linux.a", "tests/libgtest.a", "-lpthread"], [
        ("runtime/drift/section.cc", "group.peak > -kMostLog && ", ""),
        ("runtime/drift/section.cc", "(group & ~blob::kGrowsOnly) >= (int32_t)r.group_count", "(group & ~blob::kGrowsOnly) > (int32_t)r.group_count"),
        ("runtime/drift/section.cc", "return listed == r.layer_count && BankBytes", "return BankBytes"),
    ]),
    "configuration": (["converter/quantize/read_config.cc"], ["-lyaml-cpp", "-lfmt"], [
        ("converter/quantize/read_config.cc", "config->percentile <= 50 || ", ""),
        ("converter/support/yaml_reader.h", "if (std::abs(value) > std::numeric_limits<float>::max())", "if (value != value)"),
        ("converter/quantize/read_config.cc", "if (layer.constraint && !layer.precision)", "if (layer.constraint && !layer.precision && !layer.weights)"),
    ]),
    "multipart": ([SERVE + name for name in ("deepstack/form.cc", "deepstack/multipart.cc", "engine/label_map.cc", "access/small_file.cc", "web/exchange.cc")] + ["ports/linux/http/request.cc"],
                  ["lib/liboctet_output.a"], [
        (SERVE + "deepstack/multipart.cc", "end > first ? end - first : 0", "end - first"),
        (SERVE + "deepstack/form.cc", "stop != end || !(form->min_confidence >= 0.0f)", "stop != end"),
    ]),
    "zmq": ([SERVE + "zmq/request.cc"], [], [
        (SERVE + "zmq/request.cc", "value(c * plane + p)", "value(p * header.channels + c)"),
        (SERVE + "zmq/request.cc", "(header.is_float ? sizeof(float) : 1)", "1"),
        (SERVE + "zmq/request.cc", "dims[i - (shape.size() - 3)] = dim", "dims[i - 1] = dim"),
    ]),
    "v2": ([SERVE + name for name in ("v2/request.cc", "v2/reply.cc", "web/exchange.cc")], [], [
        (SERVE + "v2/request.cc", "dims.back() != 0 && *count > kMostElements / dims.back()", "false"),
        (SERVE + "v2/request.cc", "++seen > count", "++seen >= count"),
        (SERVE + "v2/request.cc", " || length > body.size()", ""),
    ]),
}
FLAGS = ["-std=c++20", "-O1", "-g1", "-fsanitize=address,undefined,fuzzer", "-fno-sanitize=vptr,function", "-fno-sanitize-recover=all", "-ffp-contract=off",
         "-DOCTET_HAS_YAML", '-DOCTET_VERSION_TEXT="0"']


def build(target: str, build_folder: pathlib.Path, work: pathlib.Path, bug: "tuple[str, str, str] | None") -> pathlib.Path:
    sources, libraries, _ = TARGETS[target]
    overlay = work / "overlay"
    shutil.rmtree(overlay, ignore_errors=True)
    if bug is not None:
        file, text, planted = bug
        before = (ROOT / file).read_text()
        if before.count(text) != 1:
            sys.exit(f"planted.py: {file}: '{text}' is there {before.count(text)} times; name the bug anew")
        (overlay / file).parent.mkdir(parents=True)
        (overlay / file).write_text(before.replace(text, planted))
    program = work / "fuzzer"
    files = [overlay / name if (overlay / name).exists() else ROOT / name for name in sources]
    files += [ROOT / "tests/fuzz" / name for name in (f"{target}_target.cc", "fuzz.cc", "write_seeds.cc")]
    words = [build_folder / name if name.endswith(".a") else name for name in libraries]
    subprocess.run(["clang++", *FLAGS, f"-I{overlay}", f"-I{ROOT}", f"-I{ROOT}/runtime/include", *map(str, files), *map(str, words), "-o", str(program)], check=True)
    return program


def finding(program: pathlib.Path, work: pathlib.Path, seconds: int) -> "tuple[str, float]":
    """The line that names it, or "", and the seconds it took."""
    corpus = work / "corpus"
    shutil.rmtree(corpus, ignore_errors=True)
    subprocess.run([program, f"-write_seeds={corpus}"], check=True, stdout=subprocess.DEVNULL)
    begun = time.monotonic()
    done = subprocess.run([program, f"-max_total_time={seconds}", "-seed=1", "-timeout=20", "-rss_limit_mb=1024", corpus], cwd=work, capture_output=True,
                          text=True)
    lines = [line for line in done.stderr.splitlines() if "does not hold" in line or "ERROR:" in line or "runtime error" in line]
    found = (lines or [f"status {done.returncode}"])[0] if done.returncode != 0 else ""
    return found.replace(str(ROOT) + "/", ""), time.monotonic() - begun


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=" ".join(TARGETS))
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/dev")
    parser.add_argument("--seconds", type=int, default=30)
    options = parser.parse_args()
    if unknown := set(options.targets) - set(TARGETS):
        sys.exit(f"planted.py: {sorted(unknown)[0]}: no such target; the targets are {' '.join(TARGETS)}")
    if shutil.which("clang++") is None:
        print("skipped: clang++ is not installed (Debian's clang-14 with libclang-rt-14-dev)")
        return 77
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for target in options.targets or TARGETS:
            bugs = TARGETS[target][2]
            for number, bug in enumerate([None, *bugs]):
                found, took = finding(build(target, options.build.resolve(), work, bug), work, options.seconds)
                wrong = bool(found) != (bug is not None)
                failed += wrong
                what = "no bug" if bug is None else f"bug {number} in {bug[0]}"
                print(f"{'FAILED: ' if wrong else ''}{target}, {what}: {found or 'nothing found'} ({took:.1f} s)", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
