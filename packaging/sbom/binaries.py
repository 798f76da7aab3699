"""What went into a program: shared libraries that it needs, and what its link map and the compiler's list of read files name."""
import functools
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from artefact import Unfit  # noqa: E402
from debian_packages import owners, unpacked_root  # noqa: E402


@functools.lru_cache(maxsize=None)
def needed_by(path: pathlib.Path) -> list:
    said = subprocess.run(["readelf", "-dW", path], check=True, capture_output=True, text=True).stdout
    return sorted(re.findall(r"\(NEEDED\).*\[(.*)\]", said))


def find_library(name: str, triplet: str):
    for folder in (f"/usr/lib/{triplet}", f"/lib/{triplet}", f"/usr/{triplet}/lib"):
        path = pathlib.Path(folder) / name
        if path.exists():
            return path
    # What Debian lays behind an alternative, as a BLAS.
    return next(iter(sorted(pathlib.Path(f"/usr/lib/{triplet}").glob(f"*/{name}"))), None)


def closure(path: pathlib.Path, triplet: str) -> dict:
    """{name of a shared library: where it is here, or None}, of all that the file needs in the end."""
    found, open_names = {}, list(needed_by(path))
    while open_names:
        name = open_names.pop()
        if name in found:
            continue
        found[name] = find_library(name, triplet)
        if found[name] is not None:
            open_names += needed_by(found[name])
    return found


class Build:
    """A build folder of CMake and Ninja, linked with -Wl,-Map=%.map."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder.resolve()
        cache = folder / "CMakeCache.txt"
        said = dict(re.findall(r"^(\w+):INTERNAL=(.*)$", cache.read_text(), re.M)) if cache.exists() else {}
        self.built_in = pathlib.Path(said.get("CMAKE_CACHEFILE_DIR", self.folder))  # a copy keeps the paths that Ninja wrote there
        self.own_folders = [self.folder, self.built_in] + [pathlib.Path(said[key]) for key in ("CMAKE_HOME_DIRECTORY",) if key in said]

    def ninja(self, *words) -> str:
        done = subprocess.run(["ninja", "-C", self.folder, *words], capture_output=True, text=True)
        if done.returncode != 0:
            raise Unfit(f"{self.folder}: ninja does not read it: {(done.stderr or done.stdout).strip().splitlines()[-1]}")
        return done.stdout

    @functools.lru_cache(maxsize=None)  # a header is read for hundreds of objects
    def place(self, name: str) -> pathlib.Path:
        """Paths of maps and lists begin at the build folder; ccache makes those of sources relative to it."""
        return pathlib.Path(os.path.normpath(self.built_in / name))

    @functools.lru_cache(maxsize=None)
    def is_own(self, path: pathlib.Path) -> bool:
        return unpacked_root(path) is None and any(path.is_relative_to(folder) for folder in self.own_folders)

    @functools.cached_property
    def dependencies(self) -> dict:
        """{object: [files that the compiler read for it]}"""
        found, files = {}, []
        for line in self.ninja("-t", "deps").splitlines():
            if line.startswith("    "):
                files.append(line.strip())
            elif ": #deps " in line:
                files = found[line.split(": #deps ")[0]] = []
        return found

    @functools.lru_cache(maxsize=None)
    def objects_of(self, archive: str) -> list:
        """The objects of one of its own archives."""
        inputs = self.ninja("-t", "query", archive).split("  outputs:")[0]
        return re.findall(r"^    (\S+\.o)$", inputs, re.M)

    def link_map(self, name: str) -> str:
        # A wheel has the library by its SONAME, the linker by its full version.
        patterns = [f"{name}.map", f"{name}.*.map"] if ".so." in name else [f"{name}.map"]
        for path in sorted(path for pattern in patterns for path in self.folder.rglob(pattern)):
            return path.read_text(errors="replace")
        raise Unfit(f"{self.folder}: no link map {name}.map; build with LDFLAGS=-Wl,-Map=%.map")

    def linked(self, name: str) -> tuple:
        """Of a program: (objects of this build, archives and objects of others of which something is in it)."""
        said = self.link_map(name)
        objects, others = set(), set()
        # Its first part: "ARCHIVE(MEMBER)" in the first column, and in the next line who asked for it.
        for archive, member in re.findall(r"^(\S+\.a)\((\S+)\)", said.split("\nMemory Configuration", 1)[0], re.M):
            if not self.is_own(self.place(archive)):
                others.add(self.place(archive))
                continue
            objects.update(path for path in self.objects_of(archive) if pathlib.Path(path).name == member)
        for path in re.findall(r"^LOAD (\S+\.o)$", said, re.M):
            if self.is_own(self.place(path)):
                objects.add(path)
            else:
                others.add(self.place(path))
        return objects, others

    def headers(self, objects) -> set:
        """Files of others that the compiler read for the objects, with those of precompiled headers."""
        found, open_names, seen = set(), list(objects), set()
        for name in objects:
            if name not in self.dependencies and not name.endswith(".S.o"):
                raise Unfit(f"{self.folder}: Ninja does not know what the compiler read for {name}; build it again")
        while open_names:
            name = open_names.pop()
            if name in seen:
                continue
            seen.add(name)
            for read in self.dependencies.get(name, []):
                path = self.place(read)
                if path.suffix == ".gch" and path.is_relative_to(self.built_in):
                    open_names.append(path.relative_to(self.built_in).as_posix())
                elif not self.is_own(path):
                    found.add(path)
        return found

    def packages_read(self, objects) -> set:
        """The Debian packages of those headers."""
        read = self.headers(objects)
        known = owners(read)
        for path in sorted(read - set(known)):
            raise Unfit(f"{path}: belongs to no Debian package, but the compiler read it; install the package that has it")
        return set(known.values())
