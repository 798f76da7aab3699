#!/usr/bin/env python3
"""octet-camera on four RTSP streams of two servers, one of them with a password: equal shares, a server that is killed and comes back, an
ffmpeg that is killed and one that hangs, and no password where others see it. `--minutes N`: only the shares, over that time, of `--model`.
`--soak N`: so many minutes with the motion gate, while each stream ends once a minute; memory, descriptors and children do not grow."""
import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[3]
SKIPPED = 77  # exit status CTest takes as skipped
PASSWORD = "s3cr:t/@ x"
PYTHON = "/usr/bin/python3"  # Debian's, which has gi


def lacks() -> str:
    for tool in ("ffmpeg", PYTHON):
        if shutil.which(tool) is None:
            return tool
    probe = "import gi; gi.require_version('GstRtspServer', '1.0'); from gi.repository import Gst, GstRtspServer; Gst.init(None); " \
            "assert all(map(Gst.ElementFactory.find, ('qtdemux', 'rtph264pay')))"
    if subprocess.run([PYTHON, "-c", probe], stderr=subprocess.DEVNULL).returncode != 0:
        return "gst-rtsp-server for Python (gir1.2-gst-rtsp-server-1.0, python3-gi, gstreamer1.0-plugins-good)"
    return ""


def make_film(build: pathlib.Path, work: pathlib.Path, seconds: int) -> pathlib.Path:
    """Of the built-in scene, ten frames a second: a clip of three seconds, again and again."""
    frames = work / "frames"
    subprocess.run([build / "bin/octet-camera", "--source", "scene", "--size", "320x240", "--every-frame", "--fps", "0", "--frames", "30",
                    "--dump", frames, "--dump-format", "png"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    film = work / "film.mp4"
    subprocess.run(["ffmpeg", "-v", "error", "-framerate", "10", "-stream_loop", str(seconds // 3), "-i", frames / "frame-%08d.png", "-c:v", "libx264",
                    "-preset", "ultrafast", "-g", "10", "-bf", "0", "-pix_fmt", "yuv420p", film], check=True)
    return film


class Test:
    def __init__(self, build: pathlib.Path, work: pathlib.Path, seconds: int, model: pathlib.Path, more: str = ""):
        self.work = work
        self.film = make_film(build, work, seconds)
        self.servers = {}
        (work / "password").write_text(PASSWORD + "\n")
        open_port, closed_port = self.serve("open", "0"), self.serve("closed", "0", "viewer", PASSWORD)
        cameras = [f"{{name: open{i}, source: 'rtsp://127.0.0.1:{open_port}/{i}', source-timeout-s: 6{more}}}" for i in range(2)]
        cameras += [f"{{name: closed{i}, source: 'rtsp://viewer@127.0.0.1:{closed_port}/{i}', password-file: {work}/password, source-timeout-s: 6{more}}}"
                    for i in range(2)]
        (work / "c.yaml").write_text(f"model: {model}\njson: true\nmetrics: 0\ncameras:\n"
                                     + "".join(f"  - {camera}\n" for camera in cameras))
        self.out, self.err = (work / "out").open("w"), (work / "err").open("w")
        self.camera = subprocess.Popen([build / "bin/octet-camera", "--config", work / "c.yaml"], stdout=self.out, stderr=self.err)
        self.names = [f"{kind}{i}" for kind in ("open", "closed") for i in range(2)]

    def serve(self, name: str, port: str, *user: str) -> str:
        server = subprocess.Popen([PYTHON, HERE / "server.py", self.film, "2", port, *user], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        port = server.stdout.readline().strip()
        self.servers[name] = (server, port, user)
        return port

    def end(self):
        for server, _, _ in self.servers.values():
            server.kill()
            server.wait()
            server.stdout.close()
        self.camera.kill()
        self.camera.wait()
        self.out.close()
        self.err.close()

    def frames(self) -> collections.Counter:
        text = (self.work / "out").read_text()
        lines = [json.loads(line) for line in text[:text.rfind("\n") + 1].splitlines()]
        return collections.Counter(line["camera"] for line in lines if "frame" in line)

    def said(self) -> str:
        return (self.work / "err").read_text()

    def until(self, what: str, seen, seconds: float = 60):
        end = time.monotonic() + seconds
        while not seen():
            if time.monotonic() > end or self.camera.poll() is not None:
                raise AssertionError(f"{what}: {self.frames()}\n{self.said()}")
            time.sleep(0.1)

    def all_go_on(self, what: str, names=None, more: int = 5):
        before = self.frames()
        self.until(what, lambda: all(self.frames()[name] >= before[name] + more for name in names or self.names))

    def metric(self, name: str, camera: str) -> str:
        port = re.search(r"http://127\.0\.0\.1:(\d+)/metrics", self.said())[1]
        text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10).read().decode()
        return re.search(rf'^{name}{{camera="{camera}"}} (\S+)$', text, re.M)[1]

    def children(self) -> list:
        """Of the camera: process and words."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if int((path / "stat").read_text().rsplit(")", 1)[1].split()[1]) == self.camera.pid:
                    found.append((int(path.name), (path / "cmdline").read_bytes().decode()))
            except (OSError, ValueError):
                continue
        return found

    def shares(self, seconds: float, allowed: float):
        before = self.frames()
        time.sleep(seconds)
        more = self.frames() - before
        counts = [more[name] for name in self.names]
        print("frames of each:", counts, flush=True)
        assert min(counts) > 0 and max(counts) - min(counts) <= max(allowed * max(counts), 4), counts

    def usage(self) -> tuple:
        """Of the camera: KiB of memory, descriptors."""
        process = pathlib.Path(f"/proc/{self.camera.pid}")
        resident = re.search(r"^VmRSS:\s+(\d+) kB", (process / "status").read_text(), re.M)
        return int(resident[1]), len(list((process / "fd").iterdir()))

    def soak(self, minutes: float):
        """What it uses at most, of the first minutes and of the last: streams come and go, so their number is not the same at any time."""
        most = []
        for step in range(10):
            end, seen = time.monotonic() + 6 * minutes, []
            while time.monotonic() < end:
                time.sleep(2)
                seen.append((*self.usage(), len(self.children())))
            most.append([max(column) for column in zip(*seen)])
            print("KiB, descriptors, children, starts:", *most[-1], [self.metric("octet_source_starts_total", name) for name in self.names], flush=True)
        first, last = most[1], most[-1]
        assert last[0] <= first[0] + 1024 and last[1] <= first[1] and last[2] <= len(self.names), most

    def run(self):
        self.all_go_on("all four give frames")
        self.shares(2, 0.05)
        children = self.children()
        for _, words in children:
            assert "s3cr" not in words and "viewer" not in words, words
        # The open server is killed: its cameras are away, and the others go on.
        server, port, _ = self.servers["open"]
        server.kill()
        server.wait()
        server.stdout.close()
        self.until("open0 is away", lambda: self.metric("octet_source_up", "open0") == "0")
        self.all_go_on("the closed ones go on", ["closed0", "closed1"])
        # Of the others one ffmpeg is killed and one hangs. The server is there again, at the same port.
        closed = [process for process, words in children if "concat" in words]
        assert len(closed) == 2, children
        os.kill(closed[0], signal.SIGKILL)
        os.kill(closed[1], signal.SIGSTOP)
        self.serve("open", port)
        self.until("both are lost", lambda: all(int(self.metric("octet_source_losses_total", name)) > 0 for name in ("closed0", "closed1")))
        self.all_go_on("all are back")
        assert self.metric("octet_source_up", "open0") == "1"
        assert re.search(r"closed\d: ffmpeg was killed by signal 9", self.said()), self.said()
        assert re.search(r"closed\d: ffmpeg: no frame for 6 s; it was ended", self.said()), self.said()
        self.camera.send_signal(signal.SIGTERM)
        assert self.camera.wait(20) == 0, self.said()
        assert not self.children()
        assert "s3cr" not in self.said(), self.said()
        summaries = [json.loads(line) for line in (self.work / "out").read_text().splitlines() if '"summary"' in line]
        assert [summary["camera"] for summary in summaries] == self.names
        for summary in summaries:
            assert summary["summary"]["max_pause_ms"] < 1000, summary


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--soak", type=float, metavar="MINUTES")
    parser.add_argument("--model", type=pathlib.Path, default=SOURCE / "demo/scene/detector.octet")
    arguments = parser.parse_args()
    if lack := lacks():
        print(f"skipped: this machine lacks {lack}")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="octet-rtsp-test-") as folder:
        film_s = 60 if arguments.soak else int(60 * (arguments.minutes or 1)) + 60
        more = ", fps: 2, motion: [on, every=1]" if arguments.soak else ""
        test = Test(arguments.build.resolve(), pathlib.Path(folder), film_s, arguments.model, more)
        try:
            if arguments.soak:
                test.soak(arguments.soak)
            elif arguments.minutes:
                test.all_go_on("all four give frames")
                test.shares(60 * arguments.minutes, 0.05)
            else:
                test.run()
        finally:
            test.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
