"""The artefact itself: what is in it, its name, version and purl by its kind."""
import hashlib
import io
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from artefact import Unfit  # noqa: E402
from debian_packages import RELEASE, purl  # noqa: E402

SUFFIXES = (".deb", ".whl", ".tar.gz", ".oci.tar")


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


def named(artefact: pathlib.Path, pattern: str) -> tuple:
    found = re.fullmatch(pattern, artefact.name)
    if not found:
        raise Unfit(f"{artefact}: its name does not say name and version; give a file as packaging/release.sh names it")
    return found.groups()


def name_and_purl(artefact: pathlib.Path) -> tuple:
    """(name, version, purl)"""
    if artefact.name.endswith(".deb"):
        said = subprocess.run(["dpkg-deb", "-f", artefact, "Package", "Version", "Architecture"], check=True, capture_output=True, text=True).stdout
        name, version, architecture = re.findall(r": (.*)", said)
        return name, version, purl("deb/octet", name, version, arch=architecture, distro=RELEASE)
    if artefact.name.endswith(".whl"):
        name, version = named(artefact, r"([^-]+)-([^-]+)-.*\.whl")
        return name, version, purl("pypi", name, version)
    if artefact.name.endswith(".tar.gz"):
        name, version, kind, architecture = named(artefact, r"([a-z]+)-([\d.]+)-([a-z]+)(?:-(\w+))?\.tar\.gz")
        more = {"arch": architecture} if architecture else {}  # sources are for any
        return f"{name}-{kind}", version, purl("generic", f"{name}-{kind}", version, **more)
    name, version, architecture = named(artefact, r"([^_]+)_([^_]+)_([^_]+)\.oci\.tar")
    with tarfile.open(artefact) as archive:
        (image,) = json.load(archive.extractfile("index.json"))["manifests"]
    return name, version, purl("oci", name, image["digest"], arch=architecture, tag=version)


class Product:
    def __init__(self, artefact: pathlib.Path, inside: dict, supplier: str):
        """inside: {path: file}. supplier: "NAME <ADDRESS>" or a name alone."""
        self.digest = hashlib.sha256(artefact.read_bytes()).hexdigest()
        self.name, self.version, self.purl = name_and_purl(artefact)
        who, address = re.fullmatch(r"([^<]*?)\s*(?:<(.*)>)?", supplier).groups()
        # An address of this machine reaches nobody.
        self.supplier = f"Organization: {who}" + (f" ({address})" if address and "localhost" not in address else "")
        # The pictures of the scene are Zalando's (debian/copyright).
        self.licence = "Apache-2.0 AND MIT" if any(re.search(r"(octet|demo)/scene/.*\.npy$", name) for name in inside) else "Apache-2.0"
