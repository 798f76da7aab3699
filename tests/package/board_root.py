"""What a board does with octet-device, in a fresh root: a signed update; and a processor that the package is not for."""
import json
import pathlib
import shutil
import subprocess

import numpy

from fresh_root import check

SCENE = pathlib.Path(__file__).resolve().parents[2] / "demo/scene/detector.octet"
STORE = "/var/lib/octet"
NO_NEON = "Features\t: half thumb fastmult vfp edsp vfpv3 tls\n"


class Board:
    """octet: the converter of this machine. work: a folder for the keys."""

    def __init__(self, octet, work):
        check(octet.exists(), f"no {octet}; build it (cmake --build --preset native --target octet), or name one by --octet")
        self.unsigned, self.signed, self.key = SCENE, work / "signed.octet", work / "release.key.pub"
        for command in (("key", work / "release.key"), ("sign", self.unsigned, "--key", work / "release.key", "-o", self.signed)):
            subprocess.run([octet, *command], check=True, stdout=subprocess.DEVNULL)

    def check_signed_update(self, root):
        """A signed model is staged, put on trial and confirmed: by octet-slot, then another time by the camera. Its store, to compare."""
        root.give([self.signed, self.unsigned, self.key])
        root("install", "-d", "-o", "octet", "-g", "octet", "-m", "2770", STORE)
        shutil.copy(self.key, f"{root.path}{STORE}/key.pub")
        check("signature" in root("octet-slot", STORE, "stage", f"/given/{self.unsigned.name}", status=1), "a model without a signature was staged")
        for slot, confirm in (("a", ("octet-slot", STORE, "confirm")),
                              ("b", ("octet-camera", "--slots", STORE, "--source", "scene", "--confirm-after", "3", "--frames", "6"))):
            root("octet-slot", STORE, "stage", f"/given/{self.signed.name}")
            root("octet-slot", STORE, "activate")
            if slot == "a":
                check(root("octet-slot", STORE, "boot") == f"{STORE}/slot-a.octet\n", "the new model is not on trial")
            root(*confirm)
            check(root("octet-slot", STORE, "boot") == f"{STORE}/slot-{slot}.octet\n", f"slot {slot} is not confirmed")
        return self.state(root)

    def state(self, root):
        """{name: bytes} of the store."""
        return {file.name: file.read_bytes() for file in pathlib.Path(f"{root.path}{STORE}").iterdir()}


def check_without_neon(root, package):
    """apt on a processor without NEON: one line of the package's own, and nothing is installed."""
    (root.path / "cpuinfo").write_text(NO_NEON)
    said = root.install([package], status=100, mount='mount --bind "$0/cpuinfo" "$0/proc/cpuinfo"', QEMU_CPU="cortex-a9,neon=off")
    own = [line for line in said.splitlines() if line.startswith("octet-device:")]
    check(len(own) == 1 and "neon" in own[0], f"without NEON apt said:\n{said[-2000:]}")
    check(not (root.path / "usr/bin/octet-run").exists(), "without NEON octet-run was installed")
    print("without NEON:", own[0])
    root("apt-get", "autoremove", "--purge", "-y", "-q")


def check_wheel(root, wheel, octet):
    """The wheel in an environment beside Debian's NumPy finds the boxes that this machine's octet-run finds."""
    tools, frames = octet.parent, root.path / "frames.npy"
    subprocess.run([tools / "octet-scene", "--pictures", SCENE.parent / "test.npy", "--labels", SCENE.parent / "labels.npy", "--frames", "2",
                    "--seed", "5", "--size", "320x240", "--output", frames], check=True, stdout=subprocess.DEVNULL)
    pictures = []
    for index, frame in enumerate(numpy.load(frames)):
        pictures.append(root.path / f"frame-{index}.ppm")
        pictures[-1].write_bytes(b"P6\n%d %d\n255\n" % (frame.shape[1], frame.shape[0]) + frame.tobytes())
    told = subprocess.run([tools / "octet-run", SCENE, "--input", *pictures, "--json"], check=True, text=True, stdout=subprocess.PIPE)
    wanted = [result["detections"] for result in json.loads(told.stdout)["results"]]
    check(all(wanted), "octet-run finds nothing in the scene")
    root("apt-get", "install", "-y", "-q", "--no-install-recommends", "python3-numpy", "python3-venv")
    root.give([wheel, SCENE, *pictures])
    root("python3", "-m", "venv", "--system-site-packages", "/venv")
    root("/venv/bin/pip", "install", "--no-deps", "--no-index", f"/given/{wheel.name}")
    lines = root("/venv/bin/octet-py", "detect", f"/given/{SCENE.name}", *(f"/given/{picture.name}" for picture in pictures), "--json").splitlines()
    found = [json.loads(line)["detections"] for line in lines]
    check(found == wanted, f"octet-py found {found} instead of {wanted}")
    print(f"{wheel.name}: installed by pip, octet-py finds the {sum(map(len, found))} boxes of this machine")
