#!/usr/bin/env python3
"""The Debian packages in a fresh root: installed by apt, used, upgraded, downgraded, removed and purged.

roots_test.py --packages FOLDER [--previous FOLDER] [--root TARBALL]

Run by hand, as root; it needs mmdebstrap and Debian's archive. --packages: what packaging/release.sh or packaging/debian.sh made for this
machine. --previous: packages of an older version, to upgrade from. --root: a root that mmdebstrap made before, instead of a new one.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CONFIGURATION = "source: /dev/video7\nthreads: 2\n"
ALL = ("octet", "octet-device", "liboctet1", "liboctet-dev", "python3-octet", "octet-dev")


def check(what, message):
    if not what:
        sys.exit(f"roots_test: {message}")


class Root:
    def __init__(self, folder, tarball):
        self.path = folder
        folder.mkdir()
        subprocess.run(["tar", "-x", "--numeric-owner", "-f", tarball, "-C", folder], check=True)
        for name in ("resolv.conf", "hosts"):
            if os.path.exists(f"/etc/{name}"):
                shutil.copy(f"/etc/{name}", folder / "etc" / name)
        (folder / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")
        (folder / "usr/sbin/policy-rc.d").chmod(0o755)
        self("apt-get", "update", "-q")

    def __call__(self, *command, status=0):
        """What the command prints in the root, which has /proc and /dev for so long."""
        mounts = 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"'
        done = subprocess.run(["unshare", "-m", "sh", "-c", mounts, self.path, *map(str, command)], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/root",
                                                             "DEBIAN_FRONTEND": "noninteractive"})
        check(done.returncode == status, f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout[-3000:]}")
        return done.stdout

    def install(self, files, *options):
        place = self.path / "given"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        for file in files:
            shutil.copy(file, place)
        return self("apt-get", "install", "-y", "-q", "--no-install-recommends", *options, *(f"/given/{file.name}" for file in files))

    def version(self, package):
        return self("dpkg-query", "-W", "-f", "${db:Status-Abbrev}${Version}", package).strip()


def by_name(folder):
    return {path.name.split("_")[0]: path for path in pathlib.Path(folder).glob("*.deb")}


def next_release(packages, work):
    """The same packages with a version that was not released yet."""
    made = {}
    for name, package in packages.items():
        tree = work / f"next-{name}"
        subprocess.run(["dpkg-deb", "-R", package, tree], check=True)
        control = tree / "DEBIAN/control"
        text = control.read_text()
        version = re.search(r"^Version: (.*)$", text, re.M)[1]
        control.write_text(text.replace(version, "0.9.0-1"))
        made[name] = work / f"{name}_0.9.0-1.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "-b", tree, made[name]], check=True, stdout=subprocess.DEVNULL)
    return made


def check_use(root):
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", type=pathlib.Path, required=True)
    parser.add_argument("--previous", type=pathlib.Path)
    parser.add_argument("--root", type=pathlib.Path)
    options = parser.parse_args()
    packages = by_name(options.packages)
    check(set(packages) >= set(ALL), f"{options.packages} has {sorted(packages)}")
    packages = {name: packages[name] for name in ALL}
    with tempfile.TemporaryDirectory(prefix="octet-roots-") as folder:
        work = pathlib.Path(folder)
        tarball = options.root or work / "root.tar"
        if not options.root:
            subprocess.run(["mmdebstrap", "-q", "--variant=minbase", "bookworm", tarball], check=True)

        root = Root(work / "fresh", tarball)
        before = set(root("dpkg-query", "-W", "-f", "${Package}\n").split())
        root.install([packages["octet-device"]])
        added = set(root("dpkg-query", "-W", "-f", "${Package}\n").split()) - before
        size = root("dpkg-query", "-W", "-f", "${Package} ${Installed-Size}\n", *added)
        print("octet-device on a minimal root, KiB:", ", ".join(sorted(size.splitlines())))
        root.install([packages[name] for name in ALL if name != "octet-dev"])
        check_service(root)
        check_use(root)
        (root.path / "etc/octet").mkdir(exist_ok=True)
        (root.path / "etc/octet/camera.yaml").write_text(CONFIGURATION)
        later = next_release(packages, work)
        root.install([later[name] for name in ALL if name != "octet-dev"])
        check(root.version("octet-device") == "ii 0.9.0-1", root.version("octet-device"))
        kept = lambda: (root.path / "etc/octet/camera.yaml").read_text() == CONFIGURATION
        check(kept(), "the upgrade changed the configuration")
        check_use(root)
        root.install([packages[name] for name in ALL if name != "octet-dev"], "--allow-downgrades")
        check(kept(), "the downgrade changed the configuration")
        check_use(root)
        check_service(root)
        root("apt-get", "remove", "-y", "-q", "octet", "octet-device", "liboctet1")
        check(not (root.path / "usr/bin/octet-camera").exists() and kept(), "removed: programs stay or the configuration goes")
        root("dpkg", "--purge", *(name for name in ALL if name != "octet-dev"))
        check(kept(), "purge removed a configuration that no package owns")
        left = [str(path) for path in (root.path / "usr").rglob("*octet*") if "deb-systemd" not in str(path)]
        check(not left, f"purged, and there is {left}")
        wants = root.path / "etc/systemd/system/multi-user.target.wants/octet-camera.service"
        check(not wants.is_symlink(), "purged, and the service is enabled")
        print("fresh root: installed, used, upgraded, downgraded, removed, purged; the configuration was kept")

        if options.previous:
            previous = by_name(options.previous)
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
