"""The emulated board: a Debian kernel for 64-bit ARM in QEMU with our static programs, a camera of the kernel (vivid), a
network of its own, and a disk that outlives it. `Board` starts it, speaks to it by ssh, and pulls its plug."""
import os
import pathlib
import shlex
import shutil
import signal
import socket
import subprocess
import time

from debian import Archive, Missing, fetch, with_needed

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"  # mke2fs is not in every user's
EMULATOR = "qemu-system-aarch64"
PACKAGES = ("busybox-static", "dropbear-bin", "libc6", "libcrypt1", "libtomcrypt1", "libtommath1", "libgmp10", "zlib1g")
LIBRARIES = ("libc.so.6", "libcrypt.so.1", "libtomcrypt.so.1", "libtommath.so.1", "libgmp.so.10", "libz.so.1")
# Before disk and network are there, and after; ext4 asks for crc32c by name, which no list of needs tells.
FIRST_MODULES = ("virtio_mmio", "virtio_blk", "virtio_net", "crc32c_generic", "ext4")
LAST_MODULES = ("vivid",)
# At hand with all they need loaded: a USB camera of the tests.
IDLE_MODULES = ("vhci_hcd", "uvcvideo")
PROGRAMS = ("octet-camera", "octet-run", "octet-slot")
CPU, CORES, MEMORY_MIB = "cortex-a76", 2, 512
# One camera of one plane, what octet-camera reads.
VIVID = b"n_devs=1 node_types=0x1 multiplanar=1"
# Nothing here needs proving at every boot: the kernel tests its ciphers for a second else.
KERNEL_WORDS = "console=ttyAMA0 quiet panic=-1 mitigations=off cryptomgr.notests"
DISK_MIB = 48  # and room for the models
BOOT_SECONDS, STOP_SECONDS = 120, 20  # where much else runs; a few each where nothing does
ABSURD_CELSIUS = 1000  # a sensor may say what cannot be, which is worth a try
STORE, THERMAL = "/var/lib/octet", "/run/thermal"
PAGE_IN_BOARD, METRICS_IN_BOARD = 8081, 9464  # start.sh hands 8081 on to octet-camera's 8080
INITTAB = b"::sysinit:/etc/start\n::shutdown:/etc/stop\n"

SSH_CONFIG = """Host board
  HostName 127.0.0.1
  Port {port}
  User root
  IdentityFile "{key}"
  IdentitiesOnly yes
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Board:
    """One board: its disk, key and console lie in `work`, its packages in `cache`, which boards share."""

    def __init__(self, work: pathlib.Path, cache: pathlib.Path, programs: pathlib.Path) -> None:
        self.work, self.cache, self.programs = work.resolve(), cache.resolve(), programs.resolve()
        self.console, self.disk, self.key = (self.work / name for name in ("console.log", "disk.img", "key"))
        self.ssh_config, self.pid_file = self.work / "ssh_config", self.work / "pid"

    def prepare(self) -> pathlib.Path:
        """Packages fetched, tools and programs there; else Missing."""
        for tool, package in ((EMULATOR, "qemu-system-arm"), ("ssh", "openssh-client"), ("ssh-keygen", "openssh-client"),
                              ("mke2fs", "e2fsprogs")):
            if shutil.which(tool, path=PATH) is None:
                raise Missing(f"{tool} is not installed; apt-get install {package}")
        for name in PROGRAMS:
            if not (self.programs / name).exists():
                raise Missing(f"{self.programs / name} is missing; cmake --preset aarch64 && cmake --build --preset aarch64 "
                              f"--target {' '.join(PROGRAMS)}")
        return fetch(self.cache, "arm64", PACKAGES, FIRST_MODULES + LAST_MODULES + IDLE_MODULES)

    def make_disk(self, models: list) -> None:
        """A new disk; the first model runs, all lie in models/."""
        content = self.work / "disk"
        shutil.rmtree(content, ignore_errors=True)
        (content / "models").mkdir(parents=True)
        sizes = [pathlib.Path(model).stat().st_size for model in models]
        mib = DISK_MIB + (sum(sizes) + 3 * max(sizes, default=0) >> 20)  # two slots and one that is written meanwhile
        for model in models:
            shutil.copy(model, content / "models" / pathlib.Path(model).name)
        if models:
            shutil.copy(models[0], content / "slot-a.octet")  # a store without records takes it (docs/flashing.md)
        self.disk.unlink(missing_ok=True)
        made = subprocess.run(["mke2fs", "-q", "-t", "ext4", "-E", "root_owner=0:0", "-d", content, self.disk, f"{mib}M"],
                              capture_output=True, text=True, env={**os.environ, "PATH": PATH})
        if made.returncode != 0:
            raise Missing(f"mke2fs: {made.stderr.strip()}")
        shutil.rmtree(content)

    def first_files(self, root: pathlib.Path, camera: list, more: dict) -> bytes:
        """The archive of all that runs there. camera: words of octet-camera; none: it does not start by itself."""
        archive = Archive()
        for folder in ("proc", "sys", "dev", "run", "tmp", "var/lib/octet", "root/.ssh", "etc/dropbear"):
            archive.add_folder(folder)
        before = with_needed(root, FIRST_MODULES)
        after = {name: path for name, path in with_needed(root, IDLE_MODULES + LAST_MODULES).items() if name not in before}
        for name, path in {**before, **after}.items():
            archive.add(f"modules/{name}.ko", path.read_bytes(), 0o100644)
        archive.add("modules/vivid.options", VIVID, 0o100644)
        archive.add("modules/before", "".join(f"{name}\n" for name in before).encode())
        archive.add("modules/after", "".join(f"{name}\n" for name in after if name not in IDLE_MODULES).encode())
        archive.add("bin/busybox", (root / "bin/busybox").read_bytes())
        archive.add_link("bin/sh", "busybox")
        archive.add_link("init", "bin/busybox")
        archive.add("bin/dropbear", (root / "usr/sbin/dropbear").read_bytes())
        archive.add("lib/ld-linux-aarch64.so.1", (root / "lib/ld-linux-aarch64.so.1").read_bytes())
        for name in LIBRARIES:
            folder = "lib" if (root / "lib/aarch64-linux-gnu" / name).exists() else "usr/lib"
            archive.add(f"lib/{name}", (root / folder / "aarch64-linux-gnu" / name).read_bytes())
        for name in PROGRAMS:
            archive.add(f"bin/{name}", (self.programs / name).read_bytes())
        archive.add("etc/start", (HERE / "start.sh").read_bytes())
        archive.add("etc/stop", (HERE / "stop.sh").read_bytes())
        archive.add("etc/inittab", INITTAB + (b"::respawn:/etc/camera\n" if camera else b""), 0o100644)
        archive.add("etc/machine-id", b"0123456789abcdef0123456789abcdef\n", 0o100444)
        archive.add("etc/camera", f"#!/bin/sh\nexec {shlex.join(camera)} >>/run/camera.log 2>&1\n".encode())
        archive.add("etc/passwd", b"root::0:0:root:/root:/bin/sh\n", 0o100644)
        archive.add("etc/shells", b"/bin/sh\n", 0o100644)
        archive.add("root/.ssh/authorized_keys", self.key.with_suffix(".pub").read_bytes(), 0o100600)
        for name, path in more.items():
            archive.add(name, path.read_bytes())
        return archive.content()

    def boot(self, camera: list, page: int, metrics: int, more: dict | None = None, skips_idle: bool = False) -> None:
        """Starts it with the disk that is there, and waits until it is up. camera: words of octet-camera; page and metrics:
        ports of this machine's loopback; more: files for it, by their paths there. skips_idle: the board's clocks go on at once
        whenever it has nothing to do, so hours pass in seconds; speak to it by its console then."""
        if self.process() is not None:
            raise Missing(f"a board runs already in {self.work}; stop it first")
        root = self.prepare()
        for port in (page, metrics):
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    probe.bind(("127.0.0.1", port))
                except OSError:
                    raise Missing(f"port {port} of this machine is taken; --port-http and --port-metrics name others") from None
        if not self.key.exists():
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "board", "-f", self.key], check=True)
        files = self.work / "files.cpio"
        files.write_bytes(self.first_files(root, camera, more or {}))
        port = free_port()
        self.ssh_config.write_text(SSH_CONFIG.format(port=port, key=self.key))
        (self.work / "bin").mkdir(exist_ok=True)
        wrapper = self.work / "bin/ssh"  # so that octet flash finds the board by its name
        wrapper.write_text(f"#!/bin/sh\nexec {shutil.which('ssh')} -F {shlex.quote(str(self.ssh_config))} \"$@\"\n")
        wrapper.chmod(0o755)
        forwards = "".join(f",hostfwd=tcp:127.0.0.1:{here}-:{there}"
                           for here, there in ((port, 22), (page, PAGE_IN_BOARD), (metrics, METRICS_IN_BOARD)))
        self.console.unlink(missing_ok=True)
        clock = ["-accel", "tcg,thread=single", "-icount", "shift=3,sleep=off"] if skips_idle else ["-accel", "tcg,thread=multi"]
        started = subprocess.run(
            [EMULATOR, "-machine", "virt", "-cpu", CPU, *clock, "-smp", str(CORES), "-m",
             str(MEMORY_MIB), "-display", "none", "-monitor", "none", "-no-reboot", "-serial", f"file:{self.console}",
             "-kernel", next((root / "boot").glob("vmlinuz-*")), "-initrd", files, "-append", KERNEL_WORDS, "-drive",
             f"if=none,id=disk,format=raw,file={str(self.disk).replace(',', ',,')}", "-device", "virtio-blk-device,drive=disk", "-netdev",
             f"user,id=net,restrict=on{forwards}", "-device", "virtio-net-device,netdev=net", "-daemonize", "-pidfile",
             self.pid_file], capture_output=True, text=True)
        files.unlink()
        if started.returncode != 0:
            raise Missing(f"{EMULATOR}: {' '.join(started.stderr.strip().splitlines()[-1:])}")
        try:
            self.wait_ready()
        except Missing:
            self.cut()
            raise

    def process(self) -> int | None:
        """The number of the emulator's process while it runs."""
        try:
            process = int(self.pid_file.read_text())
            words = pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
        except (OSError, ValueError):
            return None
        return process if f"file={str(self.disk).replace(',', ',,')}".encode() in words else None

    def wait_ready(self, seconds: float = BOOT_SECONDS) -> None:
        end = time.monotonic() + seconds
        while "board: ready" not in self.said():
            if self.process() is None or time.monotonic() > end:
                raise Missing(f"the board did not come up; its console said: {self.said()[-300:]!r} ({self.console})")
            time.sleep(0.05)

    def said(self) -> str:
        try:
            return self.console.read_text(errors="replace")
        except OSError:
            return ""

    def run(self, command: str, seconds: float = 300, **more) -> subprocess.CompletedProcess:
        """A command of the board's shell, by ssh."""
        return subprocess.run(["ssh", "-F", self.ssh_config, "board", command], timeout=seconds,
                              **{"text": True, "capture_output": True, "stdin": subprocess.DEVNULL, **more})

    def heat(self, celsius: float) -> None:
        if not -ABSURD_CELSIUS <= celsius <= ABSURD_CELSIUS:
            raise Missing(f"heat {celsius:g}: degrees Celsius from -{ABSURD_CELSIUS} to {ABSURD_CELSIUS}")
        got = self.run(f"echo {round(celsius * 1000)} >{THERMAL}/thermal_zone0/temp")
        if got.returncode != 0:
            raise Missing(f"the board does not answer: {got.stderr.strip()}")

    def cut(self) -> None:
        """Power gone: what the board had not yet written to its disk is lost."""
        self.end(signal.SIGKILL)

    def stop(self) -> None:
        """Shut down as it should be, the disk unmounted; by force where that takes long."""
        self.run("poweroff")
        end = time.monotonic() + STOP_SECONDS
        while self.process() is not None and time.monotonic() < end:
            time.sleep(0.05)
        self.end(signal.SIGTERM)

    def end(self, how: signal.Signals) -> None:
        process = self.process()
        if process is not None:
            os.kill(process, how)
            while self.process() is not None:
                time.sleep(0.01)
        self.pid_file.unlink(missing_ok=True)
