"""A store of two slots that is flashed while its camera runs: a new release, one of which a bit was changed on its way, and
one that is signed and whole and useless."""
import pathlib
import shutil
import subprocess
import time

NEW, CHANGED, USELESS = 0.62, 0.87, 0.89  # when, as shares of the film


class Store:
    """Signed models only: the first one, and three to come."""

    def __init__(self, build: pathlib.Path, out: pathlib.Path, blob: pathlib.Path, new: pathlib.Path, useless: pathlib.Path):
        self.programs, self.folder = build / "bin", out / "store"
        self.said = []  # (monotonic time, text)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        key, changed = out / "demo.key", out / "changed.octet"
        for old in (key, out / "demo.key.pub"):
            old.unlink(missing_ok=True)
        subprocess.run([self.programs / "octet", "key", key], check=True, stdout=subprocess.DEVNULL)
        for model in (blob, new, useless):
            subprocess.run([self.programs / "octet", "sign", model, "--key", key], check=True, stdout=subprocess.DEVNULL)
        shutil.copy(out / "demo.key.pub", self.folder / "key.pub")
        shutil.copy(blob, self.folder / "slot-a.octet")  # as a device leaves the factory
        content = bytearray(new.read_bytes())
        content[len(content) // 2] ^= 1
        changed.write_bytes(content)
        slot = self.programs / "octet-slot"
        self.plan = [(NEW, "the new release", [self.programs / "octet", "flash", new, self.folder]),
                     (CHANGED, "a bit changed on its way", [slot, self.folder, "stage", changed]),
                     (USELESS, "calibrated without light", [self.programs / "octet", "flash", useless, self.folder])]

    def step(self, share: float) -> None:
        """Flashes what is due."""
        while self.plan and share >= self.plan[0][0]:
            _, name, command = self.plan.pop(0)
            done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
            line = (done.stdout + done.stderr).strip().replace(f"{self.folder}: ", "").replace("octet-slot: ", "")
            self.said.append((time.monotonic(), f"flash, {name}: {'taken' if done.returncode == 0 else 'refused'}: {line}"))

    def listen(self, stderr) -> None:
        """What the camera says of its slots."""
        for line in stderr:
            if line.startswith("octet-camera: slot "):
                self.said.append((time.monotonic(), "camera: " + line.strip().removeprefix("octet-camera: ")))
            elif not line.startswith("octet-camera: frame "):  # changes of plan are in its results as well
                print(line, end="")
