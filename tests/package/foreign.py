"""Programs of another processor, run by QEMU's user mode. The kernel is told so (binfmt_misc) in a namespace of its own, so the machine stays
as it is. Needs root, Linux 6.7 or newer, and the static emulators of Debian's qemu-user-static, which are fetched where they are missing:
installed, that package would register them for the whole machine."""
import os
import pathlib
import shutil
import subprocess
import sys
import time

EMULATORS = {"arm64": "qemu-aarch64-static", "armhf": "qemu-arm-static"}
# The ELF header of a program, and which of its bits count: class and byte order, executable or shared, and the processor.
CLASS = {"arm64": r"\x02", "armhf": r"\x01"}
MACHINE = {"arm64": r"\xb7", "armhf": r"\x28"}
ZEROS = r"\x00" * 8
MASK = r"\xff" * 7 + r"\x00" + r"\xff" * 8 + r"\xfe\xff\xff\xff"
INSIDE = "OCTET_TEST_EMULATORS"
BINFMT = pathlib.Path("/proc/sys/fs/binfmt_misc")


def native() -> str:
    return subprocess.run(["dpkg", "--print-architecture"], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


def fetch(work: pathlib.Path) -> pathlib.Path:
    """The folder of the emulators: that of the installed ones, or one below `work`."""
    installed = [shutil.which(name) for name in EMULATORS.values()]
    if all(installed):
        return pathlib.Path(installed[0]).parent
    for command in (["apt-get", "-q", "-oAPT::Sandbox::User=", "download", "qemu-user-static"],
                    ["sh", "-c", "dpkg-deb -x qemu-user-static_*.deb . && rm qemu-user-static_*.deb"]):
        subprocess.run(command, cwd=work, check=True, stdout=subprocess.DEVNULL)
    return work / "usr/bin"


def register(emulators: pathlib.Path) -> None:
    subprocess.run(["mount", "-t", "proc", "proc", "/proc"], check=True)
    subprocess.run(["mount", "-t", "binfmt_misc", "binfmt_misc", BINFMT], check=True)
    for architecture, name in EMULATORS.items():
        # F: the emulator is opened now, so it need not lie in the root of the program.
        magic = rf"\x7fELF{CLASS[architecture]}\x01\x01\x00{ZEROS}\x02\x00{MACHINE[architecture]}\x00"
        (BINFMT / "register").write_text(f":octet-{architecture}:M::{magic}:{MASK}:{emulators / name}:F")


def enter(architecture: str, work: pathlib.Path) -> None:
    """Returns in a process that can run programs of `architecture`: this one, or the one that this script is started in again. That
    one's exit status becomes this one's, so the call does not return then. work: a folder for the emulators."""
    if INSIDE in os.environ:
        register(pathlib.Path(os.environ.pop(INSIDE)))
        return
    if architecture == native():
        return
    emulators = fetch(work)
    again = subprocess.Popen(["unshare", "--user", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", 'read -r go && exec "$@"', "sh",
                              sys.executable, *sys.argv], stdin=subprocess.PIPE, env={**os.environ, INSIDE: str(emulators)})
    while os.readlink(f"/proc/{again.pid}/ns/user") == os.readlink("/proc/self/ns/user"):
        time.sleep(0.01)
    # The users of the machine, by their numbers: files of other users than root stay theirs.
    for name in ("uid_map", "gid_map"):
        pathlib.Path(f"/proc/{again.pid}/{name}").write_text("0 0 65536")
    again.communicate(b"go\n")
    sys.exit(again.returncode)
