"""OCI images of packages: made twice, read by skopeo, unpacked by umoci, and what is in them runs in that root alone."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

from package_test import check, run
from sbom_check import contents, problems_of

TOOLS = ("umoci", "skopeo")
# A root of its own with /proc, by which programs find their files; nothing of this machine is in it.
IN_ROOT = 'mount --rbind /proc "$0/proc" && exec chroot "$0" "$@"'
OTHERWISE = {"TZ": "Pacific/Auckland", "LC_ALL": "C"}


def have_tools() -> bool:
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        print(f"images are not checked: no {', '.join(missing)}; ./setup.sh --tests installs them")
    return not missing


def make_image(source: pathlib.Path, name: str, packages: list, work: pathlib.Path) -> pathlib.Path:
    script = source / "packaging/oci/make_image.py"
    first = pathlib.Path(run(sys.executable, script, "--name", name, "-o", work / "first", *packages).strip())
    second = run("sh", "-c", 'umask 077; exec "$@"', "sh", sys.executable, script, "--name", name, "-o", work / "second", *packages,
                 env={**os.environ, **OTHERWISE})
    check(first.read_bytes() == pathlib.Path(second.strip()).read_bytes(), f"{first.name}: another time, other bytes")
    return first


def unpack(image: pathlib.Path, architecture: str, work: pathlib.Path) -> pathlib.Path:
    """The root of the image, after skopeo has read it and compared its digests."""
    work.mkdir(exist_ok=True)
    config = json.loads(run("skopeo", "inspect", "--config", f"oci-archive:{image}"))
    check((config["os"], config["architecture"]) == ("linux", architecture), f"{image.name} is for {config['architecture']}")
    run("skopeo", "copy", "--insecure-policy", f"oci-archive:{image}", f"dir:{work / 'copied'}")
    layout = work / "layout"
    with tarfile.open(image) as archive:
        archive.extractall(layout)
    (reference,) = json.loads((layout / "index.json").read_text())["manifests"]
    tag = reference["annotations"]["org.opencontainers.image.ref.name"]
    run("umoci", "unpack", "--rootless", "--image", f"{layout}:{tag}", work / "bundle")
    root = work / "bundle/rootfs"
    outside = [path for path in root.rglob("*") if path.is_symlink() and path.readlink().is_absolute()]
    check(not outside, f"{image.name}: links that leave it: {outside}")
    check(not (root / "bin/sh").exists(), f"{image.name} has a shell")
    check_damage(layout, reference, tag, work)
    return root


def check_damage(layout, reference, tag, work):
    """One changed byte of the layer is found by who copies it."""
    manifest = json.loads((layout / "blobs" / reference["digest"].replace(":", "/")).read_text())
    layer = layout / "blobs" / manifest["layers"][0]["digest"].replace(":", "/")
    data = bytearray(layer.read_bytes())
    data[len(data) // 2] ^= 1
    layer.write_bytes(data)
    done = subprocess.run(["skopeo", "copy", "--insecure-policy", f"oci:{layout}:{tag}", f"dir:{work / 'damaged'}"], capture_output=True)
    check(done.returncode != 0, "skopeo took a layer with a changed byte")


def check_sbom(source, image, root):
    """Its SBOM has each file of the root by its hash, and no others; each library belongs to a Debian package; no component is missing."""
    document = json.loads(pathlib.Path(run(sys.executable, source / "packaging/sbom/make_sbom.py", image).strip()).read_text())
    found = problems_of(document)
    check(not found, f"{image.name}: SBOM: {found[:5]}")
    listed = {file["fileName"][2:]: {one["algorithm"]: one["checksumValue"] for one in file["checksums"]}["SHA256"] for file in document["files"]}
    inside = {path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
              for folder in (root / "etc", root / "usr") for path in folder.rglob("*") if path.is_file() and not path.is_symlink()}
    check(listed == inside, f"{image.name}: the SBOM differs in {sorted(set(listed.items()) ^ set(inside.items()))[:5]}")
    owned = unowned_files(document)
    check(owned == expected_own(inside), f"{image.name}: of no component: {sorted(owned ^ expected_own(inside))[:5]}")
    for package in document["packages"][1:]:
        less = {**document, "packages": [one for one in document["packages"] if one is not package]}
        check(unowned_files(less) != owned, f"{image.name}: without {package['name']} nothing is missing")


def unowned_files(document):
    """Files of the image in no component of Debian: Octet's."""
    contained = contents(document)
    owned = {one for package in document["packages"][1:] for one in contained.get(package["SPDXID"], ())}
    return {file["fileName"][2:] for file in document["files"] if file["SPDXID"] not in owned}


def expected_own(inside):
    """Of an image: programs, its pictures and lists, two files of users, and the licences of Octet's packages."""
    return {name for name in inside if re.match(r"usr/bin/octet|usr/share/octet/|etc/(passwd|group)$|usr/share/doc/octet[^/]*/", name)}


def entry(image: pathlib.Path) -> str:
    (program,) = json.loads(run("skopeo", "inspect", "--config", f"oci-archive:{image}"))["config"]["Entrypoint"]
    return program


def check_scene(image, command):
    """command: what runs the image's program. The scene with its own detector and garments."""
    lines = [json.loads(line) for line in run(*command, "--source", "scene", "--frames", "3", "--json").splitlines()]
    check(len(lines) == 4 and lines[-1]["summary"]["frames"] == 3, f"{image.name}: printed {lines}")


def in_root(root: pathlib.Path) -> list:
    return ["unshare", "--mount", "--map-root-user", "sh", "-c", IN_ROOT, root]


def check_images(source, packages, work):
    """packages: {name: path} of this machine. work has noise.npy and model.octet, made of it by package_test.make_blob."""
    if not have_tools():
        return
    architecture = run("dpkg", "--print-architecture").strip()
    (work / "empty/proc").mkdir(parents=True)
    runs = subprocess.run([*in_root(work / "empty"), "true"], capture_output=True, text=True)
    can_run = "chroot:" in runs.stderr  # it came as far as that: there is no `true`
    if not can_run:
        print(f"images are not run: {runs.stderr.strip()}")
    for name, of in (("octet-converter", ("octet", "octet-device")), ("octet-camera", ("octet-device",))):
        own = work / name
        image = make_image(source, name, [packages[one] for one in of], own)
        root = unpack(image, architecture, own)
        check_sbom(source, image, root)
        if not can_run:
            continue
        if name == "octet-camera":
            check_scene(image, [*in_root(root), entry(image)])
            continue
        for path in (source / "demo/fashion_mnist.onnx", work / "noise.npy"):
            shutil.copy(path, root / "models" / path.name)
        run(*in_root(root), entry(image), "convert", "/models/fashion_mnist.onnx", "-o", "/models/model.octet", "--calibrate", "/models/noise.npy",
            "--task", "classify")
        check((root / "models/model.octet").read_bytes() == (work / "model.octet").read_bytes(), "the image's converter makes another blob")


def check_board_image(source, package, architecture, emulator, work):
    """Of octet-device for another processor, whose programs need no library."""
    if not have_tools():
        return
    image = make_image(source, "octet-camera", [package], work)
    root = unpack(image, architecture, work)
    if shutil.which(emulator):
        check_scene(image, [emulator, f"{root}{entry(image)}"])
