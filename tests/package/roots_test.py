#!/usr/bin/env python3
"""The Debian packages in a fresh root: installed by apt, used, upgraded, downgraded, removed and purged.

roots_test.py --packages FOLDER [--previous FOLDER] [--root TARBALL]
roots_test.py --packages FOLDER --architecture arm64|armhf [--octet PROGRAM] [--root TARBALL] [--wheel FILE] [--image FILE]

Run by hand, as root; it needs mmdebstrap and Debian's archive. --packages: what packaging/release.sh or packaging/debian.sh made.
--previous: packages of an older version, to upgrade from. --root: a root that mmdebstrap made before, instead of a new one.
--architecture: the packages for boards, in a root that QEMU's user mode runs (foreign.py); on armhf also for a processor without NEON.
--octet: the converter of this machine, which makes the keys of the update (default: build/native/bin/octet); octet-run and octet-scene lie
beside it. --wheel: a wheel for the boards, installed by pip. --image: an OCI image of the camera, unpacked and run.
"""
import argparse
import pathlib
import shutil
import sys
import tempfile

import foreign
from board_root import Board, check_wheel, check_without_neon
from fresh_root import NEXT, Root, by_name, check, make_tarball, next_release
from image_check import check_scene, entry, in_root, unpack

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CONFIGURATION = "source: /dev/video7\nthreads: 2\n"
ALL = ("octet", "octet-device", "liboctet1", "liboctet-dev", "python3-octet", "octet-dev")
BOARD = ("octet-device", "liboctet1", "liboctet-dev")


def check_use(root):
    """What is installed, used; octet-device alone is on every processor."""
    if (root.path / "usr/bin/octet").exists():
        shutil.copy(SOURCE / "demo/fashion_mnist.onnx", root.path / "given")
        root("/usr/bin/python3", "-c", "import numpy; numpy.save('/given/noise.npy', "
             "numpy.random.default_rng(1).integers(0, 256, (16, 28, 28, 1), dtype=numpy.uint8))")
        root("octet", "convert", "/given/fashion_mnist.onnx", "-o", "/given/m.octet", "--calibrate", "/given/noise.npy", "--task", "classify")
        check("16 samples" in root("octet-run", "/given/m.octet", "--input", "/given/noise.npy"), "octet-run did not run 16 samples")
        check("int8" in root("octet-py", "info", "/given/m.octet"), "octet-py info")
    root("octet-run", "--self-test")
    check('"detections"' in root("octet-camera", "--source", "scene", "--frames", "3", "--json"), "the scene gave no frames")


def check_service(root):
    link = root.path / "etc/systemd/system/multi-user.target.wants/octet-camera.service"
    check(link.is_symlink(), "octet-camera.service is not enabled")
    check("octet" in root("getent", "passwd", "octet"), "no user octet")
    check("ConditionPathExists=/etc/octet/camera.yaml" in (root.path / "lib/systemd/system/octet-camera.service").read_text(), "no condition")


def print_size(root, package):
    before = root.packages()
    root.install([package])
    size = {name: kib for name, kib in root.packages().items() if name not in before}
    print(f"octet-device on a minimal root, {sum(size.values())} KiB:", ", ".join(f"{name} {kib}" for name, kib in sorted(size.items())))
    files = [root.path / line[1:] for line in root("dpkg-query", "-L", "octet-device").splitlines()]
    large = sorted(((file.stat().st_size, file.name) for file in files if file.is_file()), reverse=True)[:5]
    print("  its largest files, KiB:", ", ".join(f"{name} {size >> 10}" for size, name in large))


def check_life(root, packages, work, board):
    """Installed, used, upgraded, downgraded, removed and purged. packages: {name: path}; board: of check_signed_update, or None."""
    root.install(packages.values())
    check_service(root)
    check_use(root)
    store = board.check_signed_update(root) if board else None
    (root.path / "etc/octet").mkdir(exist_ok=True)
    (root.path / "etc/octet/camera.yaml").write_text(CONFIGURATION)

    def check_kept(what):
        check((root.path / "etc/octet/camera.yaml").read_text() == CONFIGURATION, f"{what} changed the configuration")
        check(store is None or board.state(root) == store, f"{what} changed the store of models")

    root.install(next_release(packages, work).values())
    check(root.version("octet-device") == f"ii {NEXT}", root.version("octet-device"))
    check_kept("the upgrade")
    check_use(root)
    root.install(packages.values(), "--allow-downgrades")
    check_kept("the downgrade")
    check_use(root)
    check_service(root)
    programs = [name for name in ("octet", "octet-device", "liboctet1") if name in packages]
    root("apt-get", "remove", "-y", "-q", *programs)
    check(not (root.path / "usr/bin/octet-camera").exists(), "removed, and octet-camera is there")
    check_kept("the removal")
    root("dpkg", "--purge", *packages)
    check_kept("the purge")
    left = [str(path) for path in (root.path / "usr").rglob("*octet*") if "deb-systemd" not in str(path)]
    check(not left, f"purged, and there is {left}")
    wants = root.path / "etc/systemd/system/multi-user.target.wants/octet-camera.service"
    check(not wants.is_symlink(), "purged, and the service is enabled")
    print("fresh root: installed, used, upgraded, downgraded, removed, purged; the configuration was kept")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", type=pathlib.Path, required=True)
    parser.add_argument("--previous", type=pathlib.Path)
    parser.add_argument("--root", type=pathlib.Path)
    parser.add_argument("--architecture", choices=["amd64", "arm64", "armhf"], default=foreign.native())
    parser.add_argument("--octet", type=pathlib.Path, default=SOURCE / "build/native/bin/octet")
    parser.add_argument("--wheel", type=pathlib.Path)
    parser.add_argument("--image", type=pathlib.Path)
    options = parser.parse_args()
    packages = by_name(options.packages, options.architecture)
    wanted = ALL if options.architecture == "amd64" else BOARD
    check(set(packages) >= set(wanted), f"{options.packages} has {sorted(packages)} for {options.architecture}")
    packages = {name: packages[name] for name in wanted}
    with tempfile.TemporaryDirectory(prefix="octet-roots-") as folder:
        work = pathlib.Path(folder)
        foreign.enter(options.architecture, work)
        board = Board(options.octet, work) if options.architecture != "amd64" else None
        tarball = options.root or work / "root.tar"
        if not options.root:
            make_tarball(options.architecture, tarball)
        root = Root(work / "fresh", tarball)
        if options.architecture == "armhf":
            check_without_neon(root, packages["octet-device"])
        print_size(root, packages["octet-device"])
        check_life(root, {name: path for name, path in packages.items() if name != "octet-dev"}, work, board)
        if options.wheel:
            check_wheel(Root(work / "wheel", tarball), options.wheel, options.octet)
        if options.image:
            unpacked = unpack(options.image, options.architecture, work / "image")
            check_scene(options.image, [*in_root(unpacked), entry(options.image)])
            print(f"{options.image.name}: read by skopeo, unpacked, the scene runs in its root")

        if options.previous:
            previous = by_name(options.previous, options.architecture)
            root = Root(work / "older", tarball)
            root.install(previous.values())
            check(set(previous) == {"octet", "octet-dev"}, f"{options.previous} has {sorted(previous)}")
            root.install(packages.values())
            for name in ALL:
                check(root.version(name).startswith("ii"), f"{name}: {root.version(name)}")
            check_use(root)
            print("upgraded from", ", ".join(sorted(previous[name].name for name in previous)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
