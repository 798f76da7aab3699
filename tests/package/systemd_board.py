"""An emulated board with Debian and systemd: the kernel and the emulator of boards/emulated, and a root on a disk that packages are
installed on. `SystemdBoard` boots it, speaks to it by ssh and cuts its power."""
import pathlib
import shlex
import shutil
import subprocess
import sys
import time

from fresh_root import Root, check

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "boards/emulated"))
from debian import Archive, fetch, with_needed  # noqa: E402
from machine import FIRST_MODULES, IDLE_MODULES, LAST_MODULES, PACKAGES, Board, free_port  # noqa: E402

DISK_MIB = 1024
BOOT_SECONDS = 600
# What the kernel starts: drivers and network, then systemd on the disk.
INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
while read -r module; do insmod "/modules/$module.ko"; done </modules/list
ifconfig lo 127.0.0.1 up
ifconfig eth0 10.0.2.15 netmask 255.255.255.0 up
mkdir -p /disk
mount -t ext4 /dev/vda /disk || echo "board: the disk cannot be mounted"
mount --move /dev /disk/dev
umount /proc /sys
exec switch_root /disk /sbin/init
"""
SSH_UNIT = """[Service]
ExecStart=/usr/sbin/dropbear -F -E -R -s
ExecStartPost=/bin/sh -c 'echo "board: ready after $(cut -d " " -f 1 /proc/uptime) s" >/dev/console'
[Install]
WantedBy=multi-user.target
"""
MASKED = ("apt-daily.timer", "apt-daily-upgrade.timer", "dpkg-db-backup.timer", "e2scrub_all.timer", "e2scrub_reap.service", "fstrim.timer",
          "getty@tty1.service", "serial-getty@ttyAMA0.service", "systemd-firstboot.service", "systemd-timesyncd.service")


class SystemdBoard(Board):
    """work: the folder of its disk, key and console; cache: of Debian's kernel, which other emulated boards share."""

    def __init__(self, work: pathlib.Path, cache: pathlib.Path) -> None:
        super().__init__(work, cache, work)

    def prepare(self) -> pathlib.Path:
        return fetch(self.cache, "arm64", PACKAGES, FIRST_MODULES + LAST_MODULES + IDLE_MODULES)

    def first_files(self, root: pathlib.Path, camera: list, more: dict) -> bytes:
        archive = Archive()
        for folder in ("proc", "sys", "dev", "root"):
            archive.add_folder(folder)
        modules = with_needed(root, FIRST_MODULES)
        for name, path in modules.items():
            archive.add(f"modules/{name}.ko", path.read_bytes(), 0o100644)
        archive.add("modules/list", "".join(f"{name}\n" for name in modules).encode(), 0o100644)
        archive.add("bin/busybox", (root / "bin/busybox").read_bytes())
        archive.add("init", INIT.encode())
        return archive.content()

    def make(self, root: Root, repository: pathlib.Path) -> None:
        """The disk, from a fresh root: systemd, ssh, and apt with nothing but the packages of `repository`."""
        root("apt-get", "install", "-y", "-q", "--no-install-recommends", "systemd-sysv", "dropbear-bin")
        shutil.copytree(repository, root.path / "repository")
        (root.path / "etc/apt/sources.list").write_text("deb [trusted=yes] file:/repository ./\n")
        shutil.rmtree(root.path / "etc/apt/sources.list.d", ignore_errors=True)
        root("apt-get", "update", "-q")
        (root.path / "usr/sbin/policy-rc.d").unlink()
        (root.path / "etc/dropbear").mkdir(exist_ok=True)  # for its keys
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "board", "-f", self.key], check=True)
        for name, text, mode in (("root/.ssh/authorized_keys", self.key.with_suffix(".pub").read_text(), 0o600),
                                 ("etc/machine-id", "0123456789abcdef0123456789abcdef\n", 0o444), ("etc/hostname", "board\n", 0o644),
                                 ("etc/fstab", "/dev/vda / ext4 defaults 0 0\n", 0o644), ("etc/systemd/system/ssh-board.service", SSH_UNIT, 0o644)):
            path = root.path / name
            path.parent.mkdir(mode=0o700, exist_ok=True)
            path.unlink(missing_ok=True)
            path.write_text(text)
            path.chmod(mode)
        root("systemctl", "enable", "ssh-board.service")
        root("systemctl", "mask", *MASKED)
        made = subprocess.run(["mke2fs", "-q", "-t", "ext4", "-E", "root_owner=0:0", "-d", root.path, self.disk, f"{DISK_MIB}M"], text=True,
                              capture_output=True)
        check(made.returncode == 0, f"mke2fs: {made.stderr}")

    def start(self) -> None:
        self.boot([], free_port(), free_port())

    def wait_ready(self, seconds: float = BOOT_SECONDS) -> None:
        super().wait_ready(seconds)
        end = time.monotonic() + seconds
        while self.run("true", seconds).returncode != 0:  # at its first start ssh makes its keys
            check(time.monotonic() < end and self.process() is not None, f"no ssh; the console said: {self.said()[-300:]!r}")
            time.sleep(1)

    def tell(self, *words: str, status: int = 0, seconds: float = 600) -> str:
        """What a command prints on the board. One word is a line of its shell."""
        line = words[0] if len(words) == 1 else shlex.join(map(str, words))
        done = self.run(f"export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8; {line}", seconds, capture_output=False, stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT)
        check(done.returncode == status, f"{line}: exit status {done.returncode}\n{done.stdout[-3000:]}")
        return done.stdout
