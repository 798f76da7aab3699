#!/usr/bin/env python3
"""octet-device on a Debian arm64 board with systemd: installed, started, stopped by its watchdog, upgraded to an invented next release,
downgraded, and cut from its power while dpkg works.

upgrade_test.py --packages FOLDER [--octet PROGRAM] [--root TARBALL] [--cache FOLDER] [--cuts N] [--seed N] [--base FOLDER]

Run by hand, as root; it needs QEMU for arm64 (qemu-system-arm), mmdebstrap and Debian's archive, and takes minutes for each boot.
--packages: a folder with octet-device_*_arm64.deb. --root: a root that mmdebstrap made before. --cache: Debian's kernel (boards/emulated).
--base: the board's first disk is kept there, and used again. --seed draws when the power fails; 0: a new one, and it is printed.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import foreign
from board_root import STORE, Board
from fresh_root import NEXT, Root, by_name, check, make_tarball, next_release
from systemd_board import SOURCE, SystemdBoard

UNIT = "octet-camera"
CONFIGURATION = "source: scene\nthreads: 1\nsize: 320x180\nfps: 2\nconfirm-after: 5\nkey: /etc/octet/key.pub\nrequire-signature: true\n"
COMES_BACK_SECONDS = 300
WATCHDOG_SECONDS = 30


def until(what, found, seconds=COMES_BACK_SECONDS):
    end = time.monotonic() + seconds
    while not (answer := found()):
        check(time.monotonic() < end, f"{what}: not within {seconds} s")
        time.sleep(1)
    return answer


class Cases:
    def __init__(self, options, board, version):
        self.options, self.board, self.tell = options, board, board.tell
        self.files = {version: f"/repository/{options.package.name}", NEXT: f"/repository/{options.later.name}"}
        self.first = version

    def show(self, *names):
        """{name: value} of the unit."""
        return dict(line.split("=", 1) for line in self.tell("systemctl", "show", UNIT, "-p", ",".join(names)).splitlines())

    def active(self):
        return self.show("ActiveState")["ActiveState"] == "active"

    def status(self):
        return self.tell("dpkg-query", "-W", "-f", "${db:Status-Abbrev}${Version}", "octet-device")

    def kept(self):
        """What an upgrade must not change: the configuration, and which model is in which slot."""
        slots = json.loads(self.tell(f"octet-slot {STORE} list --json"))
        return self.tell(f"cat /etc/octet/camera.yaml /etc/octet/key.pub; sha256sum {STORE}/slot-*.octet; stat -c '%U:%G %a' {STORE}"), slots

    def check_runs(self, what):
        """The unit is active, which it is with its first result; its program is the file that is installed now, and nothing was lost."""
        until(f"{UNIT} is active {what}", self.active)
        if not self.keeps:
            return
        program = self.tell(f"readlink /proc/$(systemctl show {UNIT} -p MainPID --value)/exe").strip()
        check(program == "/usr/bin/octet-camera", f"{what} {program} runs")
        check(self.kept() == self.keeps, f"{what} there is {self.kept()} instead of {self.keeps}")

    def install(self):
        self.keeps = None
        self.tell("apt-get", "install", "-y", "-q", f"octet-device={self.first}")
        check(self.tell(f"systemctl is-enabled {UNIT}").strip() == "enabled", "the unit is not enabled")
        check(self.show("ActiveState", "NRestarts") == {"ActiveState": "inactive", "NRestarts": "0"}, "the unit was started without a configuration")
        self.tell(f"systemctl start {UNIT}")
        check(self.show("ActiveState", "ConditionResult") == {"ActiveState": "inactive", "ConditionResult": "no"}, "the unit starts without a configuration")
        return "enabled; not started without a configuration"

    def start(self):
        self.tell(f"install -d -m 755 /etc/octet && cp /repository/release.key.pub /etc/octet/key.pub && printf %s '{CONFIGURATION}' >/etc/octet/camera.yaml"
                  f" && install -d -o octet -g octet -m 2770 {STORE}")
        as_octet = f"setpriv --reuid octet --regid octet --init-groups octet-slot {STORE} --key /etc/octet/key.pub --require-signature"
        self.tell(f"{as_octet} stage /repository/signed.octet && {as_octet} activate")
        self.tell(f"systemctl start {UNIT}")
        self.check_runs("after its start")
        until("slot A confirmed", lambda: (store := json.loads(self.tell(f"octet-slot {STORE} list --json")))["active"] == "A" and store["pending"] is None)
        told = self.show("User", "WatchdogUSec", "Type", "MainPID")
        owner = self.tell("stat", "-c", "%U", f"/proc/{told['MainPID']}").strip()
        check((told["User"], owner, told["WatchdogUSec"], told["Type"]) == ("octet", "octet", f"{WATCHDOG_SECONDS}s", "notify"), f"{told}, as {owner}")
        self.keeps = self.kept()
        return f"user {owner}, watchdog {told['WatchdogUSec']}; a signed model is confirmed"

    def watchdog(self):
        before = self.show("MainPID", "NRestarts")
        self.tell("kill", "-STOP", before["MainPID"])
        begun = time.monotonic()
        until("the watchdog", lambda: int(self.show("NRestarts")["NRestarts"]) > int(before["NRestarts"]))
        took = time.monotonic() - begun
        self.check_runs("after the watchdog")
        check(self.show("MainPID")["MainPID"] != before["MainPID"], "the stopped process is still the unit's")
        return f"a stopped process was noticed and started again after {took:.0f} s"

    def upgrade(self):
        before = self.show("MainPID")
        self.tell("apt-get", "install", "-y", "-q", "octet-device")
        check(self.status() == f"ii {NEXT}", self.status())
        self.check_runs("after the upgrade")
        check(self.show("MainPID") != before, "the old program runs on")
        return f"{self.first} to {NEXT}: configuration, slots and their state kept, the service runs the new program"

    def downgrade(self):
        said = self.tell("apt-get", "install", "-y", "-q", f"octet-device={self.first}", status=100)
        check("downgrade" in said.lower() and self.status() == f"ii {NEXT}", said)
        self.tell("dpkg", "-i", self.files[self.first])
        check(self.status() == f"ii {self.first}", self.status())
        self.check_runs("after the downgrade")
        return "apt refuses it; with dpkg -i all is kept and the service runs"

    def dpkg(self, version, stop=None):
        """dpkg -i of this version: [(seconds, state)] as it tells the states of the package. stop: (number of the state, seconds after it) at
        which the power fails."""
        told, begun = [], time.monotonic()
        dpkg = subprocess.Popen(["ssh", "-F", self.board.ssh_config, "board", f"dpkg --status-fd 1 -i {self.files[version]}"], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        for line in dpkg.stdout:
            if line.startswith("status:"):
                told.append((time.monotonic() - begun, line.split()[-1]))
                if stop and len(told) > stop[0]:
                    time.sleep(stop[1])
                    break
        if stop:
            self.board.cut()
        dpkg.communicate()
        check(stop or told, f"dpkg -i {self.files[version]} changed nothing")
        return told

    def cuts(self):
        draw = random.Random(self.options.seed)
        told = self.dpkg(NEXT)
        check(self.status() == f"ii {NEXT}", self.status())
        self.check_runs("after dpkg -i")
        lasting = [after - before for (before, _), (after, _) in zip(told, told[1:])]
        for number in range(1, self.options.cuts + 1):
            other = self.first if self.status().endswith(NEXT) else NEXT
            state = draw.randrange(len(lasting))
            after = draw.uniform(0, lasting[state])
            where = f"cut {number}: to {other}, {after:.2f} s after state {state + 1} of {len(told)}, {told[state][1]}"
            self.dpkg(other, (state, after))
            self.board.start()
            status = self.status()
            self.check_runs(f"after {where}, with dpkg's '{status}'")  # nobody has helped
            if status[2] == "R":  # cut while files were unpacked: dpkg knows the package as one to be installed again
                ended = "dpkg -i once more"
                self.tell("dpkg", "-i", self.files[other])
            else:
                ended = "dpkg --configure -a"
                self.tell("dpkg --configure -a && apt-get -f install -y -q")
            mended = self.status()
            check(mended.startswith("ii "), f"{where}: '{status}' became '{mended}'")
            check(not self.tell("dpkg", "-V", "octet-device"), f"{where}: files differ from those of the package")
            self.check_runs(f"after {ended}")
            print(f"  {where}: dpkg '{status}', the camera runs; with {ended} '{mended}'", flush=True)
        return f"seed {self.options.seed}, {self.options.cuts} cuts"


def make_base(options, work, base):
    """A board's disk with systemd and a repository of both versions, nothing of them installed."""
    repository = work / "repository"
    repository.mkdir()
    keys = Board(options.octet, work)
    for file in (options.package, options.later, keys.signed, keys.key):
        (repository / file.name).write_bytes(file.read_bytes())
    with open(repository / "Packages", "w") as index:
        subprocess.run(["dpkg-scanpackages", "-m", "."], cwd=repository, check=True, stdout=index, stderr=subprocess.DEVNULL)
    tarball = options.root or work / "root.tar"
    if not options.root:
        make_tarball("arm64", tarball)
    base.mkdir(parents=True, exist_ok=True)
    SystemdBoard(base, options.cache).make(Root(work / "fresh", tarball), repository)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", type=pathlib.Path, required=True)
    parser.add_argument("--octet", type=pathlib.Path, default=SOURCE / "build/native/bin/octet")
    parser.add_argument("--root", type=pathlib.Path)
    parser.add_argument("--cache", type=pathlib.Path, default=SOURCE / "build/emulated/packages")
    parser.add_argument("--base", type=pathlib.Path)
    parser.add_argument("--cuts", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    options.seed = options.seed or random.SystemRandom().randrange(1, 1 << 31)
    options.package = by_name(options.packages, "arm64")["octet-device"]
    with tempfile.TemporaryDirectory(prefix="octet-upgrade-") as folder:
        work = pathlib.Path(folder)
        foreign.enter("arm64", work)
        options.later = next_release({"octet-device": options.package}, work)["octet-device"]
        base = options.base or work / "base"
        if not (base / "disk.img").exists():
            make_base(options, work, base)
        board = SystemdBoard(work / "board", options.cache)
        board.work.mkdir()
        for name in ("disk.img", "key", "key.pub"):
            subprocess.run(["cp", "-p", "--sparse=always", "--reflink=auto", base / name, board.work], check=True)
        cases = Cases(options, board, subprocess.run(["dpkg-deb", "-f", options.package, "Version"], check=True, text=True,
                                                     stdout=subprocess.PIPE).stdout.strip())
        try:
            board.start()
            for name in ("install", "start", "watchdog", "upgrade", "downgrade", "cuts"):
                begun = time.monotonic()
                print(f"passed: {name}: {getattr(cases, name)()} ({time.monotonic() - begun:.0f} s)", flush=True)
        finally:
            board.cut()
    return 0


if __name__ == "__main__":
    sys.exit(main())
