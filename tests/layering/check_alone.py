#!/usr/bin/env python3
"""Every source and every header compiles alone.

A unity build compiles several files as one, so a file there may use what a neighbour includes. This check parses each
source with the flags of a build that is not united, and each header as a file of its own.

check_alone.py --source ROOT --work FOLDER [--jobs N] [--compiled FILE] [--except FILE] [--clang PROGRAM] [--only TEXT]
    [--recent N] [--tests] CMAKE_ARGUMENT...

Configures FOLDER by `cmake -S ROOT -B FOLDER CMAKE_ARGUMENT...` without unity and precompiled headers, then runs the
compiler of each file with -fsyntax-only. A header that its own source includes first is parsed there. Files that passed
are not parsed again until they, a project header that they include, or their flags change. Exit status 1: a file does not
compile alone; each is named with its first error.

--compiled: compile commands of a build that was made; sources that it compiled by themselves, without a precompiled header,
are left out. --except: compile commands of another check, whose sources are left out. --clang: parse C++ by this Clang,
where it is installed: it instantiates templates of libraries in the precompiled header and takes a third less time.
--only: files with this text in their path. --recent: of a clone, the files that read one that the last N commits or
the working tree change; all of them where Git does not know.

Files of tests/ are left out without --tests: they take as long as all others, and a mistake there reaches nobody but a
contributor who builds without unity, at once and with its cause.

What takes the time is the headers of libraries. A file starts from a precompiled header that holds nothing but library
headers which it includes itself or through headers of this project: nothing is hidden from the check.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

# Large pages save Clang a third of its time where a page fault is dear (test.sh).
os.environ.setdefault("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.M)
# Headers that are dear to read, in tenths of a second; the others of the standard library come with them or are small.
DEAR = {"gtest/gtest.h": 19, "nlohmann/json.hpp": 26, "fmt/format.h": 11, "CLI/CLI.hpp": 33, "filesystem": 8, "fstream": 4,
        "functional": 4, "map": 3, "memory": 4, "optional": 2, "random": 7, "regex": 11, "string": 4, "variant": 2, "vector": 2,
        "algorithm": 6}
# These read the smaller ones too.
WITH_OTHERS = {"gtest/gtest.h": {"functional", "map", "memory", "optional", "string", "variant", "vector"},
               "nlohmann/json.hpp": {"algorithm", "functional", "map", "memory", "optional", "string", "vector"},
               "fmt/format.h": {"memory", "string"}, "regex": {"algorithm", "map", "memory", "string", "vector"}}
PRECOMPILING = 1.6  # times what reading takes
# Flags that do not change what a file means, or that name its result.
DROPPED = re.compile(r"^(-c|-O.*|-g\d?|-W.*|-MD|-f(no-)?(data-sections|function-sections)|-falign.*|-fPI[CE]|-fsanitize.*|"
                     r"-fno-sanitize.*|-fno-omit-frame-pointer|--param=.*|-fpch-preprocess)$")


class Tree:
    """What the files of the project include."""

    def __init__(self, root: pathlib.Path):
        self.root, self._found = root, {}

    def led_by(self, file: str) -> str:
        """The header of the same name, where a source includes it before all else; or nothing."""
        first = INCLUDE.search(pathlib.Path(file).read_text(errors="replace"))
        own = os.path.splitext(file)[0] + ".h"
        return own if first and own in self.includes(file)[0] and own.endswith("/" + first[2]) else ""

    def includes(self, file: str) -> tuple:
        """(headers of the project, headers of others) that `file` names."""
        if file not in self._found:
            own, others = [], []
            for kind, name in INCLUDE.findall(pathlib.Path(file).read_text(errors="replace")):
                folders = (os.path.dirname(file), self.root, self.root / "runtime/include") if kind == '"' else ()
                paths = (os.path.normpath(os.path.join(folder, name)) for folder in folders)
                path = next(filter(os.path.isfile, paths), None)
                (others if path is None else own).append(name if path is None else path)
            self._found[file] = own, others
        return self._found[file]

    def closure(self, file: str) -> tuple:
        """(files of the project, names of other headers) that reading `file` reads."""
        seen, waiting, others = {file}, [file], set()
        while waiting:
            own, outside = self.includes(waiting.pop())
            others.update(outside)
            waiting += [path for path in own if path not in seen]
            seen.update(own)
        return seen, others


def is_clang(flags: tuple) -> bool:
    return "clang" in os.path.basename(flags[0][0])


def by_clang(flags: tuple, clang: str) -> tuple:
    """Flags of a C++ compile command, with another compiler for the same processor."""
    words, folder = flags
    return ((clang, *words[1:]), folder) if os.path.basename(words[0]).endswith("++") else flags


def alone_in(commands: list) -> set:
    """Sources that a build compiles by themselves: their own compile command shows nothing that they do not include."""
    return {entry["file"] for entry in commands if "cmake_pch" not in entry["command"]}


def flags_of(entry: dict) -> tuple:
    """(compiler and the flags that count, folder) of a compile command."""
    words = shlex.split(entry["command"])
    at = words.index("-o")
    del words[at:at + 2]
    while words[0].endswith(("ccache", "cmake")) or words[0] in ("-E", "env") or words[0].startswith("CCACHE_"):
        words.pop(0)
    return tuple(word for word in words if word != entry["file"] and not DROPPED.match(word)), entry["directory"]


def changed_in(root: pathlib.Path, commits: int) -> set | None:
    """Files that the last commits and the working tree change; None: Git cannot tell."""
    changed = set()
    for words in (["log", f"-{commits}", "--name-only", "--format="], ["diff", "--name-only", "HEAD"],
                  ["ls-files", "--others", "--exclude-standard"]):
        done = subprocess.run(["git", "-C", root, *words], capture_output=True, text=True)
        if done.returncode != 0:
            return None
        changed.update(str(root / name) for name in done.stdout.splitlines())
    known = subprocess.run(["git", "-C", root, "rev-list", "--count", "HEAD"], capture_output=True, text=True).stdout
    return changed if int(known) > commits else None


def reading(names: frozenset) -> int:
    """What it takes to read these headers."""
    with_others = set().union(*(WITH_OTHERS.get(name, set()) for name in names))
    return sum(DEAR[name] for name in names - with_others)


def worth_precompiling(wanted: dict) -> list:
    """Of the sets of headers that files have in common, those that save more than they take, best first. `wanted`: by
    file, (flags, headers). One is added as long as it makes the whole faster."""
    sets = set(wanted.values())
    sets |= {(flags, names & others) for flags, names in sets for other_flags, others in sets if flags == other_flags}
    files = collections.Counter(wanted.values())
    saved, chosen = collections.Counter(), []
    while True:
        def gain(candidate):
            flags, names = candidate
            return sum(count * max(0, reading(names) - saved[file]) for file, count in files.items()
                       if file[0] == flags and names <= file[1]) - PRECOMPILING * reading(names)
        best = max(sets, key=lambda candidate: (gain(candidate), sorted(candidate[1])), default=None)
        if best is None or gain(best) <= 0:
            return chosen
        chosen.append(best)
        for file in files:
            if file[0] == best[0] and best[1] <= file[1]:
                saved[file] = max(saved[file], reading(best[1]))


def library_flags(flags: tuple) -> tuple:
    """Those of `flags` that headers of libraries can depend on; the compiler refuses a precompiled header of other ones."""
    words, folder = flags
    return tuple(word for word in words if not word.startswith(("-DOCTET_", "-I"))), folder


def with_libraries(files: dict) -> dict:
    """Files with the definitions and folders of libraries that any file of their kind has: a precompiled header of one
    library serves them all then. What a target lacks of them its own build tells."""
    def split(words: tuple) -> tuple:
        libraries, others, rest = {}, [], iter(words)
        for word in rest:
            if word == "-isystem":
                libraries[word, next(rest)] = True
            elif word.startswith("-D") and not word.startswith("-DOCTET_"):
                libraries[(word,)] = True
            else:
                others.append(word)
        return libraries, others

    def kind(flags: tuple) -> tuple:
        return tuple(word for word in split(flags[0])[1] if not word.startswith(("-DOCTET_", "-I"))), flags[1]

    of_kind = collections.defaultdict(dict)
    for flags in files.values():
        of_kind[kind(flags)].update(split(flags[0])[0])
    return {file: ((*split(flags[0])[1], *sum(of_kind[kind(flags)], ())), flags[1]) for file, flags in files.items()}


def header_flags(root: pathlib.Path, tree: Tree, sources: dict) -> dict:
    """Flags for each header of the project: those of a source that reads it, the nearest one by its path."""
    readers = collections.defaultdict(list)
    for file in sources:
        for path in tree.closure(file)[0]:
            if path.endswith(".h"):
                readers[path].append(file)
    # .inl.h are bodies of one kernel file; their includer gives them names and types on purpose.
    return {path: sources[max(files, key=lambda file: (len(os.path.commonpath([path, file])), file))]
            for path, files in readers.items() if not path.endswith(".inl.h") and path.startswith(f"{root}/")}


class Checker:
    def __init__(self, root: pathlib.Path, work: pathlib.Path, tree: Tree, jobs: int):
        self.root, self.work, self.tree, self.jobs = root, work, tree, jobs
        self.stamps_file = work / "passed.json"
        self.stamps = json.loads(self.stamps_file.read_text()) if self.stamps_file.exists() else {}
        self.digests = {}

    def digest(self, path: str) -> str:
        if path not in self.digests:
            self.digests[path] = hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
        return self.digests[path]

    def key(self, file: str, flags: tuple) -> str:
        read = sorted(self.tree.closure(file)[0])
        return hashlib.sha256(repr((flags, [(path, self.digest(path)) for path in read])).encode()).hexdigest()

    def precompile(self, files: dict) -> dict:
        """By file: the header to start from, made here, or None."""
        wanted = {file: (library_flags(flags), frozenset(self.tree.closure(self.tree.led_by(file) or file)[1]).intersection(DEAR))
                  for file, flags in files.items() if file.endswith((".cc", ".h"))}
        chosen, starts = worth_precompiling(wanted), {}
        for file, (flags, names) in wanted.items():
            fitting = [key for key in chosen if key[0] == flags and key[1] <= names]  # the same compiler and language
            starts[file] = max(fitting, key=lambda key: reading(key[1]), default=None)
        made = {(flags, names): self.work / "headers" / (hashlib.sha256(repr((flags, sorted(names))).encode()).hexdigest() + ".h")
                for flags, names in set(starts.values()) - {None}}

        def make(item):
            (flags, names), header = item
            header.parent.mkdir(exist_ok=True)
            header.write_text("".join(f"#include <{name}>\n" for name in DEAR if name in names))
            form = ["-fpch-instantiate-templates", "-o", f"{header}.pch"] if is_clang(flags) else ["-o", f"{header}.gch"]
            subprocess.run([*flags[0], "-w", "-x", "c++-header", header, *form], cwd=flags[1], check=True)

        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(make, made.items()))
        return {file: made.get(start) for file, start in starts.items()}

    def parse(self, file: str, flags: tuple, start) -> str:
        """Its first error, or nothing."""
        language = ["-x", "c" if file.endswith(".c") else "c++"] if file.endswith((".h", ".c")) else []
        begin = [] if not start else ["-include-pch", f"{start}.pch"] if is_clang(flags) else ["-include", str(start)]
        done = subprocess.run([*flags[0], "-w", "-fsyntax-only", *begin, *language, file], cwd=flags[1], capture_output=True,
                              text=True)
        if done.returncode == 0:
            return ""
        lines = done.stderr.splitlines()
        return next((line for line in lines if "error:" in line), lines[-1] if lines else f"exit status {done.returncode}")

    def run(self, files: dict) -> list:
        """[(file, error)] of the files that fail. `files`: path -> (compiler and flags, folder to run it in)."""
        keys = {file: self.key(file, flags) for file, flags in files.items()}
        due = {file: flags for file, flags in files.items() if self.stamps.get(file) != keys[file]}
        starts = self.precompile(due)
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            errors = list(pool.map(lambda file: self.parse(file, due[file], starts.get(file)), due))
        failed = [(file, error) for file, error in zip(due, errors) if error]
        for file, error in zip(due, errors):
            self.stamps[file] = "" if error else keys[file]
        self.stamps_file.write_text(json.dumps(self.stamps))
        shutil.rmtree(self.work / "headers", ignore_errors=True)
        return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--compiled", type=pathlib.Path)
    parser.add_argument("--except", dest="other", type=pathlib.Path)
    parser.add_argument("--clang", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--recent", type=int)
    parser.add_argument("--tests", action="store_true")
    options, arguments = parser.parse_known_args()
    root, work = options.source.resolve(), options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["cmake", "-S", root, "-B", work, *arguments, "-DOCTET_UNITY=OFF", "-DOCTET_PCH=OFF",
                           "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{done.stdout}{done.stderr}\nthe build that is not united does not configure")
        return 1
    tree, sources = Tree(root), {}
    clang = options.clang and shutil.which(options.clang)
    for entry in json.loads((work / "compile_commands.json").read_text()):
        if entry["file"].startswith(f"{root}/") and not entry["file"].startswith(f"{work}/"):
            flags = flags_of(entry)
            sources.setdefault(entry["file"], by_clang(flags, options.clang) if clang else flags)
    led = {tree.led_by(file) for file in sources}
    files = {**sources, **{path: flags for path, flags in header_flags(root, tree, sources).items() if path not in led}}
    if options.compiled:
        proved = alone_in(json.loads(options.compiled.read_text()))
        files = {file: flags for file, flags in files.items() if file not in proved}
    if options.other and options.other.exists():
        known = {entry["file"] for entry in json.loads(options.other.read_text())}
        files = {file: flags for file, flags in files.items() if file not in known}
    files = {file: flags for file, flags in sorted(with_libraries(files).items())
             if options.only in file and (options.tests or not file.startswith(f"{root}/tests/"))}
    changed = changed_in(root, options.recent) if options.recent else None
    if changed is not None:
        print(f"{len(files)} files; of them those that read what the last {options.recent} commits change")
        files = {file: flags for file, flags in files.items() if tree.closure(file)[0] & changed}
    failed = Checker(root, work, tree, options.jobs).run(files)
    for file, error in failed:
        print(f"does not compile alone: {os.path.relpath(file, root)}: {error}")
    print(f"{len(files) - len(failed)} of {len(files)} sources and headers compile alone ({len(led - {''})} headers as the first one of their source)")
    return 1 if failed or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
