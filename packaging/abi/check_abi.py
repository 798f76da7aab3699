#!/usr/bin/env python3
"""Whether liboctet.so.1 still fits programs that were built against it: check_abi.py [--library FILE] [--update]

Compares with packaging/abi/TRIPLET.abi, by abidiff. Types and functions come from the headers in octet/, which a compiler for the
library's processor turns into a library of empty functions with all debug information; the library itself, which has no types, has
to show the same functions in the same versions. Functions and types may be added.

Exit status: 0 it fits, 1 it does not (the lines of abidiff say where), 2 bad use, 77 abidw, abidiff or the compiler is missing.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "packaging"))
from artefact import triplet_of  # noqa: E402

ABI = pathlib.Path(__file__).resolve().parent
HEADERS = SOURCE / "runtime/include"
MAP = SOURCE / "ports/linux/library/liboctet.map"
SONAME = "liboctet.so.1"
# "OCTET_API TYPE NAME(PARAMETERS);"
DECLARATION = re.compile(r"OCTET_API\s+([^;{}]*?\b(octet_\w+)\s*\([^;{}]*\))\s*;")
# Neither paths nor places in the source are part of it, nor what other libraries it needs.
ABIDW = ["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--no-elf-needed", "--type-id-style", "hash"]
INCOMPATIBLE, CHANGED = 8, 4  # bits of abidiff's exit status


def fail(line: str):
    sys.exit(f"check_abi.py: {line}")


def run(*command, **more) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if done.returncode != 0:
        fail(f"{command[0]} failed: {done.stderr.strip()}")
    return done.stdout


def empty_library(compiler: str, headers: pathlib.Path, work: pathlib.Path) -> pathlib.Path:
    """The functions of the headers, all of them empty."""
    names = sorted(path.name for path in (headers / "octet").glob("*.h"))
    text = "".join(f'#include "octet/{name}"\n' for name in names)
    for name in names:
        body = re.sub(r"/\*.*?\*/", "", (headers / "octet" / name).read_text(), flags=re.S)
        for declaration, _ in DECLARATION.findall(body):
            text += f"{declaration} {{ __builtin_trap(); }}\n"
    (work / "abi.c").write_text(text)
    library = work / SONAME
    run(compiler, "-std=c11", "-g", "-O0", "-w", "-shared", "-fPIC", "-nostdlib", f"-I{headers}", f"-ffile-prefix-map={work}=.", f"-Wl,-soname,{SONAME}",
        f"-Wl,--version-script={MAP}", "abi.c", "-o", library, cwd=work)
    return library


def shown(library: pathlib.Path) -> set:
    """NAME@VERSION of every function."""
    return {line.split()[-1].replace("@@", "@") for line in run("nm", "-D", "--defined-only", library).splitlines()
            if line.split()[-2] in ("T", "W")}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=pathlib.Path, help="the library that was built (default: the headers alone, for this machine)")
    parser.add_argument("--headers", type=pathlib.Path, default=HEADERS, help="the folder with octet/octet.h")
    parser.add_argument("--update", action="store_true", help="write the baseline instead: with a new SONAME, or after an addition")
    options = parser.parse_args()
    options.headers = options.headers.resolve()
    if options.library is None:
        triplet = run("cc", "-dumpmachine").strip()
    else:
        with open(options.library, "rb") as file:
            triplet = triplet_of(file.read(20))
    baseline = ABI / f"{triplet}.abi"
    if not triplet or not (baseline.exists() or options.update):
        print(f"check_abi.py: no baseline for {triplet or options.library}", file=sys.stderr)
        return 2
    for tool in ("abidw", "abidiff", f"{triplet}-gcc"):
        if not shutil.which(tool):
            print(f"check_abi.py: no {tool}; ./setup.sh --tests installs it", file=sys.stderr)
            return 77
    with tempfile.TemporaryDirectory(prefix="octet-abi-") as folder:
        work = pathlib.Path(folder)
        library = empty_library(f"{triplet}-gcc", options.headers, work)
        if options.library is not None and shown(options.library) != shown(library):
            fail(f"{options.library} shows other functions than the headers: {sorted(shown(options.library) ^ shown(library))}")
        run(*ABIDW, "--out-file", work / "now.abi", library)
        if options.update:
            shutil.copyfile(work / "now.abi", baseline)
            print(baseline)
            return 0
        done = subprocess.run(["abidiff", baseline, work / "now.abi"], capture_output=True, text=True)
    # Removals and changed layouts set both bits, or CHANGED with a report of changes in types.
    harmless = re.search(r"^Functions changes summary: 0 Removed, 0 Changed", done.stdout, re.M)
    if done.returncode & ~CHANGED or (done.returncode & CHANGED and not harmless):
        print(done.stdout + done.stderr, file=sys.stderr)
        fail(f"{SONAME} of {triplet} is another one for programs that were built against it. Undo it, or take a new SONAME. "
             "Where it is a member at the end of a struct with a size: --update")
    print(f"{SONAME} of {triplet}: {'only additions' if done.returncode else 'as the baseline'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
