#!/usr/bin/env python3
"""What is in an artefact, as SPDX 2.3 JSON: make_sbom.py [--maps BUILD] [--supplier TEXT] ARTEFACT...

Writes ARTEFACT.spdx.json beside each .deb, .whl, .tar.gz or .oci.tar, and prints the paths. It has the hashes of the artefact and of each
file inside, and one component for each Debian package of which something is in it or needed by it: the closure of the shared
libraries, the files of an image, and with --maps the static libraries of the link maps and the packages whose headers the compiler
read. Each has version, supplier, licence and purl. SOURCE_DATE_EPOCH: the time of the document. Exit status 1: something belongs to
no Debian package, or was not built with link maps.
"""
import argparse
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from artefact import Unfit, ended, triplet_of  # noqa: E402
from binaries import Build, closure, find_library  # noqa: E402
from debian_packages import owner, owners  # noqa: E402
from product import Product, unpack  # noqa: E402
from spdx import Document  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def default_supplier() -> str:
    return re.search(r"^Maintainer: (.*)$", (SOURCE / "debian/control").read_text(), re.M)[1]


def library_here(name: str, place) -> pathlib.Path:
    if place is None:
        raise Unfit(f"{name}: this machine does not have the library, so its package is unknown; ./setup.sh --tests installs it")
    return place


def add_linked(document: Document, build: Build, identity: str, path: pathlib.Path, is_archive: bool) -> None:
    """Static libraries, and packages whose headers were compiled in."""
    if is_archive:
        objects, others = build.objects_of(f"lib/{path.name}"), ()
    else:
        objects, others = build.linked(path.name)
    for archive in sorted(others):
        component = document.component(owner(archive))
        component.add_archive(archive)
        document.relate(identity, "STATIC_LINK", component.identity)
    for package in sorted(build.packages_read(sorted(objects))):
        component = document.component(package)
        component.inside = True
        document.relate(identity, "STATIC_LINK", component.identity, "headers of it were compiled in")


def library_of_image(name: str, path: pathlib.Path, triplet: str) -> pathlib.Path:
    """This machine's copy of a shared library in an image; their bytes are compared."""
    place = library_here(path.name, find_library(path.name, triplet))
    if place.read_bytes() != path.read_bytes():
        raise Unfit(f"{name}: differs from {place} of this machine; make the image again")
    return place


def add_image(document: Document, identities: dict, folder: pathlib.Path) -> set:
    """Files of an image that come from Debian, to their components. Returns their names."""
    places = {}
    for name in identities:
        path = folder / name
        triplet = triplet_of(path.read_bytes()[:20])
        if triplet and not name.startswith("usr/bin/"):
            places[name] = library_of_image(name, path, triplet)
    owners(places.values())
    foreign = {name: document.component(owner(place)) for name, place in places.items()}
    licences = {f"usr/share/doc/{component.package.name}/copyright": component for component in foreign.values()}
    foreign.update({name: component for name, component in licences.items() if name in identities})
    for name, component in sorted(foreign.items()):
        component.add_file(identities[name])
    return set(foreign)


def make_sbom(artefact: pathlib.Path, build, supplier: str) -> pathlib.Path:
    with tempfile.TemporaryDirectory() as unpacked:
        folder = pathlib.Path(unpacked)
        unpack(artefact, folder)
        inside = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()}
        document = Document(artefact, Product(artefact, inside, supplier))
        identities = {name: document.add_file(name, path.read_bytes()) for name, path in sorted(inside.items())}
        foreign = add_image(document, identities, folder) if artefact.name.endswith(".oci.tar") else set()
        own = {path.name for path in folder.rglob("*")} if not artefact.name.endswith(".oci.tar") else set()
        for name, identity in identities.items():
            path = inside[name]
            triplet = triplet_of(path.read_bytes()[:20])
            if triplet:
                libraries = closure(path, triplet)
                owners(filter(None, libraries.values()))
                for library, place in sorted(libraries.items()):
                    if library not in own:
                        component = document.component(owner(library_here(library, place)))
                        document.relate(identity, "DYNAMIC_LINK", component.identity)
            is_archive = path.suffix == ".a"
            if build is not None and name not in foreign and (triplet or is_archive):
                add_linked(document, build, identity, path, is_archive)
        if build is None:
            document.head["comment"] = "Made without link maps: static libraries and headers that were compiled in are not listed."
    written = artefact.with_name(artefact.name + ".spdx.json")
    written.write_text(document.text())
    return written


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--maps", type=pathlib.Path, help="build folder with link maps, PROGRAM.map (-Wl,-Map=%%.map)")
    parser.add_argument("--supplier", metavar="TEXT", help="'NAME <ADDRESS>' of who gives it out (default: the maintainer in debian/control)")
    parser.add_argument("artefact", type=pathlib.Path, nargs="+")
    options = parser.parse_args()

    def body() -> None:
        build = Build(options.maps) if options.maps else None
        for artefact in options.artefact:
            print(make_sbom(artefact, build, options.supplier or default_supplier()))
    return ended(body)


if __name__ == "__main__":
    sys.exit(main())
