"""Which Debian package a file comes from: one installed on this machine, or one that setup.sh unpacked for boards."""
import functools
import gzip
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass
from urllib.parse import quote

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from artefact import Unfit  # noqa: E402

RELEASE = "bookworm"
FIELDS = "\t".join(("${Package}", "${Version}", "${Architecture}", "${source:Package}", "${source:Version}", "${Built-Using}")) + "\n"
# Cross packages are built from the sources of others, which Built-Using names: (start of the package, start of that source)
ORIGINS = (("libc6", "glibc"), ("libgcc", "gcc-"), ("libstdc++", "gcc-"), ("linux-libc", "linux"))


@dataclass(frozen=True, order=True)
class Package:
    name: str
    version: str
    architecture: str
    source: str
    source_version: str
    root: pathlib.Path  # the folder that has its usr/

    def copyright(self) -> str:
        path = self.root / "usr/share/doc" / self.name / "copyright"
        return path.read_text(errors="replace") if path.exists() else ""

    def purls(self) -> list:
        """Of the package and of its source, by which security trackers know it."""
        return [purl("deb/debian", self.name, self.version, arch=self.architecture, distro=RELEASE),
                purl("deb/debian", self.source, self.source_version, arch="source", distro=RELEASE)]


def purl(kind: str, name: str, version: str, **qualifiers) -> str:
    words = "&".join(f"{key}={quote(value, safe='.-_~:')}" for key, value in sorted(qualifiers.items()))
    return f"pkg:{kind}/{quote(name, safe='.-_~')}@{quote(version, safe='.-_~:')}" + (f"?{words}" if words else "")


def spellings(path: pathlib.Path) -> list:
    """The paths under which dpkg may know it: by links, and before /lib became /usr/lib."""
    return [spelled for one in dict.fromkeys((str(path), str(path.resolve()))) for spelled in (one, one.removeprefix("/usr"))]


@functools.lru_cache(maxsize=None)
def installed(name: str) -> Package:
    line = subprocess.run(["dpkg-query", "-W", "-f", FIELDS, name], check=True, capture_output=True, text=True).stdout.splitlines()[0]
    name, version, architecture, source, source_version, using = line.split("\t")
    origin = next((origin for start, origin in ORIGINS if name.startswith(start)), None)
    for built, number in re.findall(r"(\S+) \(= (\S+)\)", using):
        if origin and built.startswith(origin):
            source, source_version = built, number
    return Package(name, version, architecture, source, source_version, pathlib.Path("/"))


def unpacked_root(path: pathlib.Path):
    """The folder of a package that was unpacked here, build/sodium/arm64 for a file below build/sodium/arm64/usr; or None."""
    for parent in path.parents:
        if parent.name == "usr" and parent.parent != pathlib.Path("/") and (parent / "share/doc").is_dir():
            return parent.parent
    return None


@functools.lru_cache(maxsize=None)
def unpacked(root: pathlib.Path) -> Package:
    """Its version is the first of its changelogs; that of one architecture has the rebuilds of this architecture."""
    for document in sorted((root / "usr/share/doc").iterdir()):
        for name in (f"changelog.Debian.{root.name}.gz", "changelog.Debian.gz"):
            if not (document / name).exists():
                continue
            with gzip.open(document / name, "rt", errors="replace") as text:
                source, version = re.match(r"(\S+) \((\S+)\)", text.readline()).groups()
            return Package(document.name, version, root.name, source, re.sub(r"\+b\d+$", "", version), root)
    raise Unfit(f"{root}: no changelog of a Debian package says its version; remove the folder and run ./setup.sh --tests again")


owned = {}  # {path: its package}: what owners() has found, each query of which reads the lists of all packages


def owners(paths) -> dict:
    """{path: its package}; a path of no package is not in it."""
    paths = list(paths)
    asked = {path: spellings(path) for path in paths if path not in owned}
    said = ""
    words = sorted({word for spelled in asked.values() for word in spelled})
    for start in range(0, len(words), 500):
        # Status 1 says that some were not found.
        said += subprocess.run(["dpkg-query", "-S", *words[start:start + 500]], capture_output=True, text=True).stdout
    known = {}
    for names, path in re.findall(r"^(?!diversion by)(.*?): (/.*)$", said, re.M):
        known.setdefault(path, sorted(names.split(", "))[0])
    for path, spelled in asked.items():
        name = next((known[word] for word in spelled if word in known), None)
        root = unpacked_root(path)
        if name or root:
            owned[path] = installed(name) if name else unpacked(root)
    return {path: owned[path] for path in paths if path in owned}


def owner(path: pathlib.Path) -> Package:
    if not owners([path]):
        raise Unfit(f"{path}: belongs to no Debian package, so its version and licence are unknown; install the package that has it")
    return owned[path]
