#!/usr/bin/env python3
"""octet-camera with guard, drift, temporal filters, store, dumps, page, metrics and settings file at once, for --frames frames, while
faults drawn from --seed happen around it: storage that fails, is short or hangs, models flashed, signals, heat, slow viewers, a reader
that stalls, a lock that is kept, a program that stops for a moment. At the end: every frame is accounted for, memory is flat, the store
boots, and no state is left that the faults alone explain."""
import argparse
import fcntl
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

SOURCE = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(SOURCE / "tests/ports/linux/camera_pipes"))
import detector_blob  # noqa: E402

SIDE = 32
FRAME_BYTES = SIDE * SIDE * 3
AHEAD = 8  # frames that the feeder may be ahead of the results
DRIFT_FRAMES = 20_000  # in so many some round of drift ends between two models and gains
GROWTH, GROWTH_BYTES = 1.15, 4 << 20  # of memory since frame 1000: two models differ, and threads come and go


class Soak:
    def __init__(self, build, work, frames, seed):
        self.build, self.work, self.frames = build, work, frames
        self.random = random.Random(seed)
        self.sent = self.lines = self.viewers = 0
        self.summary, self.broken = None, []
        self.done, self.stalled = threading.Event(), threading.Event()
        self.stalled.set()  # set: the reader reads
        self.counts = {}

    def prepare(self):
        self.models = []
        for golden in ("1", "2"):
            folder = self.work / f"model{golden}"
            folder.mkdir()
            # Calibrated in the dark, so that frames with light give drift something to find.
            self.models.append(detector_blob.make(self.build, folder, "--drift", "--temporal", "filter", "--golden", golden, light=32))
        for name in ("store", "dump", "state", "thermal/thermal_zone0"):
            (self.work / name).mkdir(parents=True)
        shutil.copy(self.models[0], self.work / "store/slot-a.octet")
        (self.work / "thermal/thermal_zone0/type").write_text("cpu-thermal\n")
        self.heat(45)
        (self.work / "faults").write_bytes(bytes(8))
        self.settings(1)

    def heat(self, celsius):
        (self.work / "thermal/thermal_zone0/temp").write_text(f"{celsius * 1000}\n")

    def settings(self, threads):
        (self.work / "camera.yaml").write_text(
            f"slots: {self.work}/store\nsource: '-'\nformat: rgb24\nsize: {SIDE}x{SIDE}\njson: true\nthreads: {threads}\nconfirm-after: 20\n"
            f"guard-set: dwell_s={threads},dwell_max_s=4,heat_dwell_s=0,shadow_every=10\nthermal-root: {self.work}/thermal\ntemporal: true\n"
            f"drift: {self.work}/state/drift\ndrift-set: every_s=0.1\nhttp: 0\nmetrics: '0'\ndump: {self.work}/dump\nstate: {self.work}/state\n")

    def start(self, seed):
        environment = dict(os.environ, LD_PRELOAD=str(self.build / "tests/liboctet_soak_faults.so"), OCTET_FAULTS=str(self.work / "faults"),
                           OCTET_FAULTS_SEED=str(seed))
        self.err = (self.work / "err").open("wb")
        self.child = subprocess.Popen([self.build / "bin/octet-camera", "--config", self.work / "camera.yaml"], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=self.err, env=environment, bufsize=0)
        self.threads = [threading.Thread(target=target) for target in (self.feed, self.read)]
        for thread in self.threads:
            thread.start()

    def said(self):
        return (self.work / "err").read_text(errors="replace")

    def feed(self):
        """Frames whose light changes, as fast as they are taken; then the end of the stream."""
        light = random.Random(1)
        level = 128
        try:
            while self.sent < self.frames:
                if light.random() < 0.01:
                    level = light.choice((0, 40, 128, 255))
                noise = light.randbytes(SIDE)
                row = bytes(min(255, level // 2 + value // 2) for value in noise) * 3
                self.child.stdin.write(row * SIDE)
                self.sent += 1
                deadline = time.monotonic() + 0.02
                while self.sent - self.lines > AHEAD and time.monotonic() < deadline:
                    time.sleep(0.001)
        except BrokenPipeError:
            self.broken.append("the program ended before its frames")
        self.done.set()

    def read(self):
        for line in self.child.stdout:
            self.stalled.wait()
            try:
                found = json.loads(line)
            except ValueError:
                self.broken.append(f"no JSON: {line[:80]}")
                continue
            if "summary" in found:
                self.summary = found["summary"]
            else:
                self.lines += 1

    def port(self, path):
        found = re.findall(r"http://127\.0\.0\.1:(\d+)" + path + r"$", self.said(), re.M)
        return int(found[0]) if found else None

    def get(self, path, which, read=True):
        port = self.port(which)
        if port is None:
            return
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=2) as viewer:
                viewer.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
                while read and viewer.recv(65536):
                    pass
                time.sleep(0 if read else 0.2)
        except OSError:
            pass

    def switch(self, on):
        with (self.work / "faults").open("r+b") as file:
            file.write(struct.pack("<I", on))

    def fault_storage(self):
        self.switch(1)
        time.sleep(self.random.uniform(0.05, 1))
        self.switch(0)

    def flash(self):
        model = self.random.choice(self.models)
        for words in (("stage", model), ("activate",)):
            subprocess.run([self.build / "bin/octet-slot", self.work / "store", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def flash_and_fault(self):
        self.flash()
        self.fault_storage()

    def reload(self):
        self.settings(self.random.choice((1, 2)))
        self.child.send_signal(signal.SIGHUP)

    def reload_wrong(self):
        (self.work / "camera.yaml").write_text("thread: 1\n")
        self.child.send_signal(signal.SIGHUP)

    def hold(self):
        self.child.send_signal(self.random.choice((signal.SIGUSR1, signal.SIGUSR2)))

    def warm(self):
        self.heat(self.random.choice((45, 58, 62, 85)))

    def no_sensor(self):
        (self.work / "thermal/thermal_zone0/temp").write_text("")
        time.sleep(0.3)
        self.heat(45)

    def look(self):
        for path, which in (("/status.json", ""), ("/metrics", "/metrics"), ("/none", "")):
            self.get(path, which)

    def view(self):
        for _ in range(self.random.randint(1, 10)):
            threading.Thread(target=self.get, args=("/stream", "", False)).start()

    def stall_reader(self):
        self.stalled.clear()
        time.sleep(self.random.uniform(0.1, 0.8))
        self.stalled.set()

    def lock(self):
        folder = os.open(self.work / "store", os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(folder, fcntl.LOCK_EX)
        time.sleep(0.3)
        os.close(folder)

    def stop(self):
        self.child.send_signal(signal.SIGSTOP)
        time.sleep(0.1)
        self.child.send_signal(signal.SIGCONT)

    def disturb(self):
        faults = (self.fault_storage, self.flash, self.flash_and_fault, self.reload, self.reload_wrong, self.hold, self.warm, self.no_sensor,
                  self.look, self.view, self.stall_reader, self.lock, self.stop)
        while not self.lines and self.child.poll() is None:  # before that a signal ends any program
            time.sleep(0.05)
        while not self.done.is_set() and self.child.poll() is None:
            fault = self.random.choice(faults)
            fault()
            self.counts[fault.__name__] = self.counts.get(fault.__name__, 0) + 1
            for old in sorted((self.work / "dump").glob("*"))[:-50]:
                old.unlink(missing_ok=True)
            self.done.wait(self.random.uniform(0.02, 0.3))
        self.switch(0)
        self.stalled.set()

    def finish(self):
        self.done.wait()
        self.child.stdin.close()
        try:
            status = self.child.wait(60)
        except subprocess.TimeoutExpired:
            self.child.kill()
            status = "not within a minute"
        for thread in self.threads:
            thread.join(10)
        return status

    def judge(self, status):
        problems = list(self.broken)
        summary = self.summary
        if status != 0 or summary is None:
            return [*problems, f"ended with {status}: {self.said()[-1000:]}"]
        if summary["captured"] != self.sent:
            problems.append(f"{self.sent} frames were sent, {summary['captured']} captured")
        counted = summary["frames"] + summary["dropped"]
        if counted != summary["captured"]:
            problems.append(f"{summary['captured']} frames came, {counted} are accounted for")
        if self.lines + summary["lines_dropped"] != summary["frames"]:
            problems.append(f"{summary['frames']} results, {self.lines} lines read, {summary['lines_dropped']} dropped")
        if summary["frames"] >= DRIFT_FRAMES and summary["drift_kept"] == 0:
            problems.append(f"drift saved nothing in {summary['frames']} frames")
        settled = summary["rss_bytes_at_frame_1000"]
        if settled and summary["rss_bytes"] > settled * GROWTH + GROWTH_BYTES:
            problems.append(f"memory grew from {settled} to {summary['rss_bytes']} bytes")
        for command in ("verify", "boot"):
            done = subprocess.run([self.build / "bin/octet-slot", self.work / "store", command], capture_output=True, text=True)
            if done.returncode != 0:
                problems.append(f"octet-slot {command}: {done.stderr}")
        for folder in ("store", "state"):
            left = [path.name for path in (self.work / folder).iterdir() if re.search(r"\.(tmp|new|part)|~$", path.name)]
            if left:
                problems.append(f"{folder} holds {left}")
        if "internal error" in self.said():
            problems.append(self.said()[-1000:])
        return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--frames", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=0, help="0: drawn")
    options = parser.parse_args()
    seed = options.seed or random.SystemRandom().randrange(1, 1 << 31)
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="octet-soak-") as folder:
        soak = Soak(options.build.resolve(), pathlib.Path(folder), options.frames, seed)
        soak.prepare()
        soak.start(seed)
        soak.disturb()
        problems = soak.judge(soak.finish())
        done = struct.unpack("<I", (soak.work / "faults").read_bytes()[4:8])[0]
        print(f"{soak.sent} frames; {done} calls failed, were short or hung; {soak.counts}")
        print(json.dumps(soak.summary))
        if problems:
            print(soak.said()[-3000:])
    print("\n".join(f"FAILED: {problem}" for problem in problems) or "passed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
