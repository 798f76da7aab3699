"""A minimal Debian in a folder, of mmdebstrap, and packages to install there."""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

NEXT = "0.9.0-1"

def check(what, message):
    if not what:
        sys.exit(f"{pathlib.Path(sys.argv[0]).stem}: {message}")


def make_tarball(architecture, file):
    subprocess.run(["mmdebstrap", "-q", f"--architecture={architecture}", "--mode=root", "--variant=minbase", "bookworm", file], check=True)


class Root:
    def __init__(self, folder, tarball):
        self.path = folder
        folder.mkdir()
        subprocess.run(["tar", "-x", "--numeric-owner", "--exclude=./dev/*", "-f", tarball, "-C", folder], check=True)
        for name in ("resolv.conf", "hosts"):
            if os.path.exists(f"/etc/{name}"):
                shutil.copy(f"/etc/{name}", folder / "etc" / name)
        (folder / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")
        (folder / "usr/sbin/policy-rc.d").chmod(0o755)
        self("apt-get", "update", "-q")

    def __call__(self, *command, status=0, mount="", **environment):
        """What the command prints in the root, which has /proc and /dev for so long. mount: one more command of the shell, where $0 is
        the root."""
        mounts = f'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && {mount or "true"} && exec chroot "$0" "$@"'
        done = subprocess.run(["unshare", "-m", "sh", "-c", mounts, self.path, *map(str, command)], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/root",
                                                             "DEBIAN_FRONTEND": "noninteractive", **environment})
        check(done.returncode == status, f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout[-3000:]}")
        return done.stdout

    def give(self, files):
        place = self.path / "given"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        for file in files:
            shutil.copy(file, place)

    def install(self, files, *options, **how):
        self.give(files)
        return self("apt-get", "install", "-y", "-q", "--no-install-recommends", *options, *(f"/given/{file.name}" for file in files), **how)

    def packages(self):
        """{name: KiB} of what is installed."""
        lines = self("dpkg-query", "-W", "-f", "${Package} ${Installed-Size}\n").splitlines()
        return {name: int(kib) for name, kib in map(str.split, lines)}

    def version(self, package):
        return self("dpkg-query", "-W", "-f", "${db:Status-Abbrev}${Version}", package).strip()


def by_name(folder, architecture):
    """{name: path} of the packages for this processor."""
    return {path.name.split("_")[0]: path for path in pathlib.Path(folder).glob("*.deb")
            if path.stem.split("_")[-1] in (architecture, "all")}


def next_release(packages, work):
    """The same packages with a version that was not released yet. Programs are longer by a line, so that files tell which version they are."""
    made = {}
    for name, package in packages.items():
        tree = work / f"next-{name}"
        subprocess.run(["dpkg-deb", "-R", package, tree], check=True)
        control, sums = tree / "DEBIAN/control", tree / "DEBIAN/md5sums"
        text = control.read_text()
        version = re.search(r"^Version: (.*)$", text, re.M)[1]
        control.write_text(text.replace(version, NEXT))
        for program in sorted(tree.glob("usr/bin/*")):
            before = hashlib.md5(program.read_bytes()).hexdigest()
            with open(program, "ab") as file:
                file.write(f"\n# {NEXT}\n".encode())
            sums.write_text(sums.read_text().replace(before, hashlib.md5(program.read_bytes()).hexdigest()))
        made[name] = work / f"{name}_{NEXT}_{package.stem.split('_')[-1]}.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "-b", tree, made[name]], check=True, stdout=subprocess.DEVNULL)
    return made
