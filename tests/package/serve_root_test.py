#!/usr/bin/env python3
"""The package octet-serve on a minimal Debian with systemd, in a container: installed, started by its unit, asked by each protocol,
upgraded while it runs, removed and purged.

serve_root_test.py --package FILE [--root TARBALL]

Run by hand, as root; it needs mmdebstrap, systemd-container and Debian's archive. --package: octet-serve_*.deb of packaging/debian.sh.
--root: a root that mmdebstrap made before, instead of a new one."""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from fresh_root import NEXT, Root, check, make_tarball, next_release

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CONFIGURATION = "OPTIONS=/etc/octet/detector.octet --http 127.0.0.1:5000 --threads 2\n"
SOCKET = "run/octet-serve/zmq.sock"
UNIT = "octet-serve"


class Container:
    """systemd in a root, with a network of its own. Ends with the block."""

    def __init__(self, root: pathlib.Path, work: pathlib.Path):
        self.console = open(work / "console", "wb")
        self.process = subprocess.Popen(["systemd-nspawn", "-q", "-D", root, "--register=no", "--keep-unit", "--private-network", "-b"],
                                        stdin=subprocess.DEVNULL, stdout=self.console, stderr=subprocess.STDOUT)
        self.until("systemd runs", lambda: self.leader() and self.tell("systemctl", "is-system-running").strip() in ("running", "degraded"))

    def leader(self) -> str:
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return children[0] if children else ""

    def until(self, what: str, found, seconds: float = 60):
        end = time.monotonic() + seconds
        while not (answer := found()):
            if time.monotonic() > end or self.process.poll() is not None:
                said = pathlib.Path(self.console.name).read_text(errors="replace")[-500:]
                check(False, f"{what}: not within {seconds} s; the console says {said}\n{self.tell('journalctl', '-u', UNIT, '-n', '20')}")
            time.sleep(0.5)
        return answer

    def tell(self, *command: str) -> str:
        """What a command prints in the container, whatever its exit status."""
        words = ["nsenter", "-t", self.leader(), "-m", "-p", "-n", "-u", "-i", "-r", "-w", *command]
        return subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}).stdout

    def show(self, name: str) -> str:
        return self.tell("systemctl", "show", UNIT, "-P", name).strip()

    def ask(self) -> None:
        """One request of each protocol, by a process in the container's network."""
        leader = self.leader()
        socket = pathlib.Path("/proc", leader, "root", SOCKET)  # seen from outside the container
        words = ["nsenter", "-t", leader, "-n", sys.executable, __file__, "--ask", str(socket)]
        done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        check(done.returncode == 0, f"asked: {done.stdout[-2000:]}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()  # of systemd-nspawn: an orderly end
        try:
            self.process.wait(timeout=60)
        finally:
            self.process.kill()
        self.console.close()


def ask(socket: str) -> None:
    sys.path.insert(0, str(SOURCE / "tests/ports/linux/serve"))
    import clients
    picture = clients.scene(1)
    rows = [clients.Frigate(place).detect(picture[None]) for place in ("tcp://127.0.0.1:5555", f"ipc://{socket}")]
    assert rows[0].any() and (rows[0] == rows[1]).all(), rows
    web = clients.Web(5000)
    told = clients.detect(web, clients.encoded(picture, "png"))[1]
    assert told["success"] and told["count"] == (rows[0][:, 1] > 0).sum(), told
    status, outputs = clients.infer(web, "x", {"image": picture[None]}, True)
    assert status == 200 and outputs["detections"].size, outputs


def check_runs(container: Container) -> None:
    """By its unit, as its user, with the folder of its socket."""
    container.until("octet-serve is active", lambda: container.show("ActiveState") == "active")
    process = container.show("MainPID")
    owner = container.tell("stat", "-c", "%U:%G", f"/proc/{process}").strip()
    check(owner == "octet-serve:octet-serve", f"runs as {owner}")
    folder = container.tell("stat", "-c", "%U:%G %a", "/run/octet-serve").strip()
    check(folder == "octet-serve:octet-serve 750", f"/run/octet-serve: {folder}")
    container.ask()


def left(root: pathlib.Path) -> list:
    """Files and folders that name octet; helpers of Debian keep lists of what was removed until the purge."""
    found = [path for top in ("etc", "usr", "lib", "var", "run", "opt", "srv") for path in (root / top).rglob("*octet*")]
    return sorted(str(path.relative_to(root)) for path in found if path.parts[-2] != "archives")


def check_life(root: Root, package: pathlib.Path, work: pathlib.Path) -> None:
    root("apt-get", "install", "-y", "-q", "--no-install-recommends", "systemd-sysv")
    (root.path / "usr/sbin/policy-rc.d").unlink()
    root.install([package])
    folder = root.path / "etc/octet"
    folder.mkdir()
    shutil.copy(SOURCE / "demo/scene/detector.octet", folder)
    (folder / "serve.conf").write_text(CONFIGURATION)
    later = next_release({"octet-serve": package}, work)["octet-serve"]
    with Container(root.path, work) as container:
        check_runs(container)
        first = container.show("MainPID")
        root.give([later])
        said = container.tell("apt-get", "install", "-y", "-q", f"/given/{later.name}")
        version = container.tell("dpkg-query", "-W", "-f", "${db:Status-Abbrev}${Version}", "octet-serve").strip()
        check(version == f"ii {NEXT}", f"upgraded to {version}: {said[-1000:]}")
        check_runs(container)
        check(container.show("MainPID") != first, "the upgrade did not start it again")
        container.tell("apt-get", "remove", "-y", "-q", "octet-serve")
        check(container.tell("sh", "-c", "ls /run/octet-serve; pgrep -x octet-serve").startswith("ls: cannot access"), "removed, and it runs")
        check(not (root.path / "usr/bin/octet-serve").exists(), "removed, and the program is there")
        container.tell("dpkg", "--purge", "octet-serve")
    check((folder / "serve.conf").read_text() == CONFIGURATION, "the configuration was changed")
    files = left(root.path)
    check(files == ["etc/octet", "etc/octet/detector.octet"], f"purged, and there is {files}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", type=pathlib.Path)
    parser.add_argument("--root", type=pathlib.Path)
    parser.add_argument("--ask", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ask:
        ask(options.ask)
        return 0
    check(options.package, "--package is missing")
    with tempfile.TemporaryDirectory(prefix="octet-serve-root-") as folder:
        work = pathlib.Path(folder)
        tarball = options.root or work / "root.tar"
        if not options.root:
            make_tarball("amd64", tarball)
        check_life(Root(work / "root", tarball), options.package, work)
    print("octet-serve: installed, started by its unit, asked by each protocol, upgraded, removed, purged; only the configuration is left")
    return 0


if __name__ == "__main__":
    sys.exit(main())
