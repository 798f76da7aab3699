#!/usr/bin/env python3
"""The emulated board of boards/emulated, whole: bits, results of frames of the kernel's camera, the camera gone and back, page
and metrics from outside, heat, updates and power cuts, with one camera and with two, one of them away for an hour. Skipped
with a line where QEMU, Debian's packages or the programs of preset aarch64 are missing."""
import argparse
import hashlib
import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(SOURCE / "boards/emulated"))
from board import FRAMES, camera_words  # noqa: E402
from debian import Missing  # noqa: E402
from machine import STORE, Board, free_port  # noqa: E402
from camera_list import CAMERA, COOL, HOT, MEMORY_SLACK_BYTES, VIVID, ListCases, until  # noqa: E402

sys.path.insert(0, str(SOURCE / "tests/support"))
from presets import left_out  # noqa: E402

SKIPPED = 77  # exit status CTest takes as skipped


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class Cases(ListCases):
    def __init__(self, options: argparse.Namespace, work: pathlib.Path) -> None:
        self.options, self.work = options, work
        self.board = Board(work / "board", options.build.parent / "emulated/packages", options.programs)
        self.board.work.mkdir()
        self.octet = options.build / "bin/octet"
        self.page = self.metrics_port = 0
        self.cameras = [""]  # names in the list of the program that runs; one without a list
        classifier = SOURCE / "demo/fashion_mnist.onnx"
        self.models = [self.convert(classifier, seed) for seed in (1, 2)]
        self.other = self.convert(self.turned(classifier), 3)
        pictures = np.random.Generator(np.random.PCG64(3)).integers(0, 256, (16, 28, 28, 1), np.uint8)
        np.save(work / "pictures.npy", pictures)

    def convert(self, classifier: pathlib.Path, seed: int) -> pathlib.Path:
        """The demo's classifier, calibrated with noise: what it sees in pictures does not matter here."""
        calibration, blob = self.work / "calibration.npy", self.work / f"model-{seed}.octet"
        np.save(calibration, np.random.Generator(np.random.PCG64(seed)).integers(0, 256, (8, 28, 28, 1), np.uint8))
        subprocess.run([self.octet, "convert", classifier, "-o", blob, "--calibrate", calibration,
                        "--task", "classify", "--golden", "4"], check=True, capture_output=True)
        return blob

    def outputs(self, blob: pathlib.Path) -> bytes:
        """The bytes that this machine's own octet-run gives for the pictures."""
        out = self.work / "outputs.npy"
        subprocess.run([self.options.build / "bin/octet-run", blob, "--input", self.work / "pictures.npy", "--output", out],
                       check=True, capture_output=True)
        return out.read_bytes()

    def tell(self, command: str, seconds: float = 300) -> str:
        """What a command of the board prints; it has to succeed."""
        got = self.board.run(command, seconds)
        assert got.returncode == 0, f"{command}: exit status {got.returncode}: {got.stderr.strip()}"
        return got.stdout

    def boot(self, *camera: str, cameras: tuple = ("",)) -> None:
        words = camera_words("/dev/video0", list(camera)) if camera else []
        files = {"pictures.npy": self.work / "pictures.npy"}
        self.cameras = list(cameras)
        if len(cameras) > 1:
            at = words.index("--source")
            words[at:at + 2 + len(FRAMES)] = ["--config", "/list.yaml"]
            files |= self.files(5, 0.2)
        for last in (False, False, True):
            # Free now, but any program's next connection may take one.
            self.page, self.metrics_port = free_port(), free_port()
            try:
                return self.board.boot(words, self.page, self.metrics_port, files)
            except Missing as error:
                if last or not re.search("is taken|forwarding", str(error)):
                    raise

    def metric(self, name: str) -> float:
        """A number of the page of metrics; of one that is not there, -1."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=10) as page:
                text = page.read().decode()
        except OSError:
            return -1
        found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
        return float(found.group(1)) if found else -1

    def get(self, path: str) -> bytes:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.page}{path}", timeout=20) as page:
            return page.read()

    def status(self) -> dict | None:
        """The newest line, of a list that of its last camera, once all have one."""
        try:
            return [json.loads(self.get(f"/{name}/status.json" if name else "/status.json")) for name in self.cameras][-1]
        except (OSError, ValueError):
            return None

    def refusal(self, *words: str) -> str:
        """What board.py says on one line, with exit status 2."""
        got = subprocess.run([sys.executable, SOURCE / "boards/emulated/board.py", *words], capture_output=True, text=True)
        said = got.stderr.splitlines()
        assert got.returncode == 2 and got.stdout == "" and len(said) == 1, f"{words}: {got}"
        return said[0]

    # Cases, in this order; the board of one is left to the next.

    def refusals(self) -> str:
        build = self.work / "none"
        at = ["--build", str(build)]
        for command in (["heat", "70"], ["run", "ls"], ["flash", "x"], ["cut"], ["stop"]):
            assert self.refusal(*at, *command) == "board.py: no board runs; board.py boot starts one", command
        assert self.refusal(*at, "boot", "--model", "x.octet") == (
            "board.py: --model x.octet: no such file; octet convert makes models")
        model = str(self.models[0])
        assert self.refusal(*at, "boot", "--model", model).startswith(
            f"board.py: {build}/aarch64/bin/octet-camera is missing; cmake --preset aarch64"), "without programs"
        build.mkdir(exist_ok=True)
        (build / "aarch64").symlink_to(self.options.programs.resolve().parent)
        (build / "emulated/packages").parent.mkdir(exist_ok=True)
        (build / "emulated/packages").symlink_to(self.board.cache)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            assert self.refusal(*at, "boot", "--model", model, "--port-http", str(port), "--port-metrics", "0") == (
                f"board.py: port {port} of this machine is taken; --port-http and --port-metrics name others")
        return "one line each"

    def boots(self) -> str:
        self.board.make_disk(self.models)
        started = time.monotonic()
        self.boot()
        took = time.monotonic() - started
        isas = self.tell("octet-run --isa list").split()
        assert isas == ["reference", "neon", "dotprod"], f"its instruction sets: {isas}"
        return f"in {took:.1f} s"

    def mounted_disk(self) -> str:
        """A device in use is no store to be, whatever is insisted on."""
        for words in ("create", "create --force"):
            got = self.board.run(f"octet-slot /dev/vda {words}")
            assert got.returncode != 0 and "/dev/vda" in got.stderr and "umount" in got.stderr, f"{words}: {got}"
        self.tell(f"sync && echo 3 >/proc/sys/vm/drop_caches && cmp {STORE}/slot-a.octet {STORE}/models/{self.models[0].name}")
        return got.stderr.strip()

    def same_bits(self) -> str:
        for i, model in enumerate(self.models):
            for isa in ("reference", "neon", "dotprod"):
                self.tell(f"octet-run {STORE}/models/{model.name} --input /pictures.npy --output /tmp/out.npy --isa {isa}")
                got = bytes.fromhex(self.tell("xxd -p /tmp/out.npy").replace("\n", ""))
                assert got == self.outputs(model), f"{model.name} on {isa}: other bytes than on this machine"
        assert self.outputs(self.models[0]) != self.outputs(self.models[1]), "both models are the same"
        return "3 instruction sets, 2 models"

    def results(self) -> str:
        """Every frame is accounted for, none comes twice or late, memory stays flat."""
        figures = []
        for pixels in ("yuyv", "nv12"):
            started = time.monotonic()
            said = self.tell(f"octet-camera {STORE}/slot-a.octet --source /dev/video0 --format {pixels} --size 320x180 "
                             f"--fps 60 --json --frames {self.options.results}", seconds=60 + self.options.results)
            lines = [json.loads(line) for line in said.splitlines()]
            summary = lines.pop()["summary"]
            assert len(lines) == summary["frames"] == self.options.results, summary
            numbers = [line["frame"] for line in lines]
            assert numbers == sorted(set(numbers)), f"{pixels}: frames out of order or twice"
            assert all(len(line["classes"]) > 0 for line in lines), f"{pixels}: a result without an answer"
            lost = summary["captured"] - summary["dropped"] - summary["frames"]
            assert lost in (0, 1), f"{pixels}: {summary}"  # one may be in work at the end
            grown = summary["rss_bytes"] - summary["rss_bytes_at_frame_1000"]
            if self.options.results > 1000:
                assert grown <= MEMORY_SLACK_BYTES, f"{pixels}: memory grew by {grown} bytes"
            figures.append(f"{pixels} {len(lines)} results of {summary['captured']} frames in "
                           f"{time.monotonic() - started:.0f} s")
        return ", ".join(figures)

    def page_from_outside(self) -> str:
        self.board.stop()
        self.boot(*CAMERA)
        first = until("the page", self.status)
        later = until("another frame", lambda: (now := self.status()) and now["frame"] > first["frame"] and now)
        assert later["plan"] == "int8", later
        assert b"<title>octet-camera</title>" in self.get("/")
        picture = self.get("/frame.jpg")
        # Start of a baseline frame: length, 8 bits, height, width.
        size = re.search(rb"\xff\xc0..\x08(..)(..)", picture, re.DOTALL)
        assert picture[:2] == b"\xff\xd8" and size, "no JPEG picture"
        assert [int.from_bytes(part, "big") for part in size.groups()] == [180, 320], size.groups()
        return f"frame {later['frame']}, a picture of {len(picture)} bytes"

    def metrics_from_outside(self) -> str:
        first = until("frames counted", lambda: max(0, self.metric("octet_frames_total")))
        until("more frames", lambda: self.metric("octet_frames_total") > first)
        assert self.metric('octet_plan{plan="int8"}') == 1
        until("a temperature", lambda: self.metric("octet_temperature_celsius") == 45)
        return f"{first:.0f} frames and more"

    def heat(self) -> str:
        for celsius, plan, reason in ((HOT, "fp16", "heat"), (COOL, "int8", "cool")):
            self.board.heat(celsius)
            until(f"{plan} at {celsius} C", lambda: self.metric(f'octet_plan{{plan="{plan}"}}') == 1)
            assert self.metric("octet_temperature_celsius") == celsius
            assert self.metric(f'octet_plan_switches_total{{reason="{reason}"}}') == 1
        log = self.tell("cat /run/camera.log")
        for line in ("plan int8 -> fp16 (heat)", "plan fp16 -> int8"):
            assert log.count(line) == 1, f"'{line}' {log.count(line)} times: {log[-500:]}"
        return f"fp16 at {HOT} C, int8 at {COOL} C"

    def camera_gone_and_back(self) -> str:
        self.tell(f"echo vivid.0 >{VIVID}/unbind")
        gone = "octet-camera: /dev/video0: the camera was disconnected: No such device"
        until("the end", lambda: gone in self.tell("cat /run/camera.log"))
        until("its return", lambda: "no such device; ls /dev/video*" in self.tell("cat /run/camera.log"))
        before = self.tell("cat /run/camera.log")
        assert before.count(gone) == 1, f"not one line: {before[-500:]}"
        self.tell("rmmod vivid")
        assert "vivid" not in self.tell("cut -d ' ' -f 1 /proc/modules").split()
        assert self.status() is None, "the page is there without a camera"
        self.tell("insmod /modules/vivid.ko $(cat /modules/vivid.options)")
        now = until("frames are back", self.status)
        until("more frames", lambda: (later := self.status()) and later["frame"] > now["frame"])
        return "the program ended with one line and was started again until the camera was back"

    def update(self) -> str:
        """Another model while the camera runs; then a damaged one, which is refused and costs nothing."""
        assert self.status()["slot"].lower() == "a"
        assert self.flash(self.models[1]).wait() == 0
        until("slot B confirmed", lambda: self.store()["active"] == "B")
        until("slot B on the page", lambda: (self.status() or {"slot": ""})["slot"].lower() == "b")
        assert self.tell(f"cmp {STORE}/slot-b.octet {STORE}/models/{self.models[1].name} && echo same") == "same\n"
        damaged = bytearray(self.models[0].read_bytes())
        damaged[len(damaged) // 2] ^= 1
        got = self.board.run(f"octet-slot {STORE} stage -", input=bytes(damaged), stdin=None, text=False)
        assert got.returncode == 1 and len(got.stderr.splitlines()) == 1, got
        store = self.store()
        assert (store["active"], store["pending"], store["refusals"]) == ("B", None, 1), store
        assert [slot["standing"] for slot in store["slots"]] == ["confirmed", "confirmed"], f"the fallback stays: {store}"
        for name in ('octet_slot{slot="b"}', 'octet_flash_refusals_total{reason="damaged"}'):
            until(name, lambda name=name: self.metric(name) == 1)
        self.tell("killall octet-camera")
        until("slot B after another start", lambda: (self.status() or {"slot": ""})["slot"].lower() == "b")
        return "confirmed; " + got.stderr.decode().strip()

    def store(self) -> dict:
        return json.loads(self.tell(f"octet-slot {STORE} list --json"))

    def cuts(self) -> str:
        """Whatever moment the power goes at, the board comes up with one of the two models, whole, and with all cameras. Each second time it has two."""
        known = {digest(model.read_bytes()): digest(self.outputs(model)) for model in self.models}
        was, started = self.store()["active"], time.monotonic()
        self.flash(self.models[0]).wait()  # how long an update takes here
        until("its confirmation", lambda: self.store()["active"] != was)
        whole = time.monotonic() - started
        seen = {}
        for i in range(self.options.cuts):
            update = self.flash(self.models[(i + 1) % 2])
            time.sleep(whole * (i + 0.5) / self.options.cuts)
            self.board.cut()
            update.wait()
            self.boot(*CAMERA, cameras=("cam", "film") if i % 2 else ("",))
            slot = until(f"frames after cut {i}", self.status)["slot"].lower()
            # verify reads every byte of every slot that is not empty: a half-written one would be refused.
            told = self.tell(f"octet-slot {STORE} verify >/dev/null && octet-slot {STORE} list --json && "
                             f"octet-run {STORE}/slot-{slot}.octet --input /pictures.npy --output /tmp/out.npy >/dev/null && "
                             f"sha256sum {STORE}/slot-{slot}.octet /tmp/out.npy && "
                             "{ grep -c 'on trial, boot' /run/camera.log || true; }").splitlines()
            model, answers = (line.split()[0] for line in told[1:3])
            assert model in known, f"cut {i}: slot {slot} is neither model: {told}"
            assert answers == known[model], f"cut {i}: slot {slot} gives other answers than before: {told}"
            standing = "on trial" if told[3] != "0" else self.standing(json.loads(told[0]))
            seen[standing] = seen.get(standing, 0) + 1
        told = ", ".join(f"{count} {standing}" for standing, count in sorted(seen.items()))
        return f"{self.options.cuts} cuts within {whole:.1f} s of an update; after them {told}"

    @staticmethod
    def standing(store: dict) -> str:
        """Of the slot that is not active."""
        return next(slot["standing"] for slot in store["slots"] if slot["slot"] != store["active"])

    def flash(self, model: pathlib.Path) -> subprocess.Popen:
        environment = {"PATH": f"{self.board.work}/bin:/usr/bin:/bin"}
        return subprocess.Popen([self.octet, "flash", model, f"root@board:{STORE}"], env=environment,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build/native", help="of octet and octet-run")
    parser.add_argument("--programs", type=pathlib.Path, default=SOURCE / "build/aarch64/bin", help="of the board")
    parser.add_argument("--results", type=int, default=1000, help="of each pixel format; 10000 are a soak of 20 minutes")
    parser.add_argument("--cuts", type=int, default=20)
    parser.add_argument("--only", help="cases, with commas")
    options = parser.parse_args()
    options.build = options.build.resolve()
    if left_out("aarch64"):
        print(f"skipped: {left_out('aarch64')}")
        return SKIPPED
    work = pathlib.Path(tempfile.mkdtemp(prefix="octet-board-"))
    cases, failed = None, 0
    try:
        cases = Cases(options, work)
        cases.board.prepare()
        names = ("refusals", "boots", "mounted_disk", "same_bits", "results", "page_from_outside", "metrics_from_outside", "heat", "camera_gone_and_back", "update",
                 "two_cameras", "cuts", "an_hour")
        for name in names:
            if options.only and name not in ("boots", *options.only.split(",")):
                continue
            started = time.monotonic()
            try:
                said = getattr(cases, name)()
                print(f"passed: {name}: {said} ({time.monotonic() - started:.0f} s)", flush=True)
            except (AssertionError, Missing, OSError, KeyError, ValueError, subprocess.SubprocessError) as error:
                failed += 1
                print(f"FAILED: {name}: {error!r}; console: {cases.board.said()[-300:]!r}", flush=True)
    except Missing as error:
        print(f"skipped: {error}")
        return SKIPPED
    finally:
        if cases is not None:
            cases.board.cut()
        shutil.rmtree(work, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
