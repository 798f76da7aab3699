#!/usr/bin/env python3
"""What is in an artefact, as SPDX 2.3 JSON: make_sbom.py [--maps BUILD] ARTEFACT...

Writes ARTEFACT.spdx.json beside each .deb, .whl, .tar.gz or .oci.tar, and prints the paths. It has the hashes of the artefact and of each
file inside, the closure of the shared libraries that its programs need, and the static libraries that the link maps below --maps
name (those of the build itself are no components). SOURCE_DATE_EPOCH: the time of the document.
"""
import argparse
import functools
import hashlib
import io
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from artefact import Unfit, ended, epoch, triplet_of  # noqa: E402

SUFFIXES = (".deb", ".whl", ".tar.gz", ".oci.tar")
NOTHING = "NOASSERTION"


def unpack_image(artefact: pathlib.Path, folder: pathlib.Path) -> None:
    """The layers of an OCI archive with one image, one over the other."""
    with tarfile.open(artefact) as archive:
        def blob(descriptor: dict) -> bytes:
            return archive.extractfile("blobs/" + descriptor["digest"].replace(":", "/")).read()
        (image,) = json.load(archive.extractfile("index.json"))["manifests"]
        for layer in json.loads(blob(image))["layers"]:
            with tarfile.open(fileobj=io.BytesIO(blob(layer))) as files:
                files.extractall(folder)


def unpack(artefact: pathlib.Path, folder: pathlib.Path) -> None:
    if artefact.name.endswith(".deb"):
        subprocess.run(["dpkg-deb", "-x", artefact, folder], check=True)
    elif artefact.name.endswith(".whl"):
        with zipfile.ZipFile(artefact) as archive:
            archive.extractall(folder)
    elif artefact.name.endswith(".tar.gz"):
        with tarfile.open(artefact) as archive:
            archive.extractall(folder)
    elif artefact.name.endswith(".oci.tar"):
        unpack_image(artefact, folder)
    else:
        raise Unfit(f"{artefact}: give one of {', '.join(SUFFIXES)}")


@functools.lru_cache(maxsize=None)
def needed_by(path: pathlib.Path) -> list:
    said = subprocess.run(["readelf", "-dW", path], check=True, capture_output=True, text=True).stdout
    return sorted(re.findall(r"\(NEEDED\).*\[(.*)\]", said))


def find_library(name: str, triplet: str):
    for folder in (f"/usr/lib/{triplet}", f"/lib/{triplet}", f"/usr/{triplet}/lib"):
        path = pathlib.Path(folder) / name
        if path.exists():
            return path
    # What Debian lays behind an alternative, as OpenBLAS.
    return next(iter(sorted(pathlib.Path(f"/usr/lib/{triplet}").glob(f"*/{name}"))), None)


@functools.lru_cache(maxsize=None)  # dpkg reads all its lists for each
def debian_package(path: pathlib.Path) -> tuple:
    """(name, version) of what owns the file, or two times None."""
    for spelled in (path, path.resolve(), pathlib.Path(str(path).removeprefix("/usr"))):
        found = subprocess.run(["dpkg-query", "-S", spelled], capture_output=True, text=True)
        if found.returncode == 0:
            name = found.stdout.splitlines()[0].split(": ")[0].split(",")[0]
            version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], capture_output=True, text=True).stdout
            return name.split(":")[0], version
    return None, None


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


def static_libraries(name: str, maps: pathlib.Path) -> set:
    """Archives of which the linker took members for a program, but those of this build."""
    found = set()
    for path in maps.rglob(f"{name}.map"):
        # Its first part: "ARCHIVE(MEMBER)" in the first column, and in the next line who asked for it.
        head = path.read_text(errors="replace").split("\nMemory Configuration", 1)[0]
        for archive in re.findall(r"^(\S+\.a)\(", head, re.M):
            place = pathlib.Path(archive)
            own = place if place.is_absolute() else maps / place
            if not own.resolve().is_relative_to(maps.resolve()):
                found.add(own.resolve())
    return found


class Document:
    def __init__(self, artefact: pathlib.Path, created: str):
        self.digest = hashlib.sha256(artefact.read_bytes()).hexdigest()
        self.packages, self.files, self.relations, self.ids = [], [], [], {}
        self.head = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": artefact.name,
                     "documentNamespace": f"urn:octet:spdx:{artefact.name}:{self.digest}",
                     "creationInfo": {"created": created, "creators": ["Tool: octet-make_sbom"]}}

    def relate(self, one: str, how: str, other: str) -> None:
        self.relations.append({"spdxElementId": one, "relationshipType": how, "relatedSpdxElement": other})

    def add_file(self, name: str, data: bytes) -> str:
        identity = f"SPDXRef-File-{len(self.files)}"
        self.files.append({"SPDXID": identity, "fileName": f"./{name}", "licenseConcluded": NOTHING, "copyrightText": NOTHING,
                           "checksums": [{"algorithm": kind.upper(), "checksumValue": hashlib.new(kind, data).hexdigest()}
                                         for kind in ("sha1", "sha256")]})
        return identity

    def add_component(self, name: str, path) -> str:
        """A library that is no part of the artefact, once."""
        if name in self.ids:
            return self.ids[name]
        identity = self.ids[name] = f"SPDXRef-Library-{len(self.ids)}"
        owner, version = debian_package(path) if path is not None else (None, None)
        package = {"SPDXID": identity, "name": name, "downloadLocation": NOTHING, "filesAnalyzed": False}
        if owner:
            package["versionInfo"] = version
            package["supplier"] = "Organization: Debian"
            package["sourceInfo"] = f"package {owner}"
        if path is not None and path.suffix == ".a":
            package["checksums"] = [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(path.read_bytes()).hexdigest()}]
        self.packages.append(package)
        return identity

    def text(self, artefact: pathlib.Path) -> str:
        hashes = sorted(file["checksums"][0]["checksumValue"] for file in self.files)
        code = hashlib.sha1("".join(hashes).encode()).hexdigest()
        described = {"SPDXID": "SPDXRef-Artefact", "name": artefact.name, "packageFileName": artefact.name, "downloadLocation": NOTHING,
                     "filesAnalyzed": True, "packageVerificationCode": {"packageVerificationCodeValue": code},
                     "licenseConcluded": NOTHING, "licenseDeclared": "Apache-2.0", "copyrightText": NOTHING,
                     "checksums": [{"algorithm": "SHA256", "checksumValue": self.digest}]}
        self.relations.insert(0, {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                                  "relatedSpdxElement": "SPDXRef-Artefact"})
        return json.dumps({**self.head, "packages": [described, *self.packages], "files": self.files,
                           "relationships": self.relations}, indent=1) + "\n"


def make_sbom(artefact: pathlib.Path, maps) -> pathlib.Path:
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch()))
    document = Document(artefact, created)
    with tempfile.TemporaryDirectory() as unpacked:
        folder = pathlib.Path(unpacked)
        unpack(artefact, folder)
        inside = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()}
        own = {path.name for path in folder.rglob("*")}
        for name, path in sorted(inside.items()):
            data = path.read_bytes()
            identity = document.add_file(name, data)
            document.relate("SPDXRef-Artefact", "CONTAINS", identity)
            triplet = triplet_of(data)
            if not triplet:
                continue
            for library, place in sorted(closure(path, triplet).items()):
                if library not in own:
                    document.relate(identity, "DYNAMIC_LINK", document.add_component(library, place))
            # A wheel has the library by its SONAME, the linker by its full version.
            linked = [path.name, f"{path.name}.*"] if ".so." in path.name else [path.name]
            for archive in sorted(set().union(*(static_libraries(word, maps) for word in linked)) if maps else set()):
                document.relate(identity, "STATIC_LINK", document.add_component(archive.name, archive))
    written = artefact.with_name(artefact.name + ".spdx.json")
    written.write_text(document.text(artefact))
    return written


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--maps", type=pathlib.Path, help="build folder with link maps, PROGRAM.map (-Wl,-Map=%%.map)")
    parser.add_argument("artefact", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    return ended(lambda: [print(make_sbom(artefact, options.maps)) for artefact in options.artefact])


if __name__ == "__main__":
    sys.exit(main())
