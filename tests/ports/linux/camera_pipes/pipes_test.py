#!/usr/bin/env python3
"""octet-camera behind real ffmpeg and gst-launch-1.0 pipes: every frame sent is captured, taken or counted as dropped,
none is processed later than one source period after the next one came, and memory does not grow."""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import typing

import detector_blob

# A wait may pass the longest gap between two captures by what the scheduler of a busy machine adds.
SCHEDULING_MS = 250
SETTLED_FRAMES = 1000  # processed; from then on memory is to stay
MEMORY_SLACK_BYTES = 256 << 10


class Pipe(typing.NamedTuple):
    tool: str
    form: str  # of ffmpeg's -pix_fmt or GStreamer's caps
    stream: str  # octet-camera's --format
    width: int
    height: int

    def command(self, frames: int) -> list:
        size = f"{self.width}x{self.height}"
        if self.tool == "ffmpeg":
            container = "yuv4mpegpipe" if self.stream == "y4m" else "rawvideo"
            return ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"testsrc=size={size}:rate=30", "-frames:v",
                    str(frames), "-pix_fmt", self.form, "-f", container, "-"]
        encode = ["y4menc", "!"] if self.stream == "y4m" else []
        return ["gst-launch-1.0", "-q", "videotestsrc", f"num-buffers={frames}", "!",
                f"video/x-raw,format={self.form},width={self.width},height={self.height}", "!", *encode, "fdsink"]


# GStreamer pads the rows of every plane to 4 bytes and chroma to even heights, in y4menc too (1.22), so only packed
# formats have odd sizes.
PIPES = (
    Pipe("ffmpeg", "yuv420p", "y4m", 320, 240),
    Pipe("ffmpeg", "yuv420p", "y4m", 321, 243),
    Pipe("ffmpeg", "nv12", "nv12", 640, 480),
    Pipe("ffmpeg", "nv12", "nv12", 321, 243),
    Pipe("gst-launch-1.0", "NV12", "nv12", 640, 480),
    Pipe("gst-launch-1.0", "YUY2", "yuyv", 320, 240),
    Pipe("gst-launch-1.0", "YUY2", "yuyv", 321, 243),
    Pipe("gst-launch-1.0", "I420", "y4m", 328, 244),
)


def has_element(name: str) -> bool:
    return subprocess.run(["gst-inspect-1.0", name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def missing(pipe: Pipe) -> str:
    """What this machine lacks for the pipe, or nothing."""
    if shutil.which(pipe.tool) is None:
        return pipe.tool
    if pipe.tool != "ffmpeg":
        for element in ("videotestsrc", "y4menc") if pipe.stream == "y4m" else ("videotestsrc",):
            if not has_element(element):
                return f"GStreamer's {element}"
    return ""


def check(pipe: Pipe, frames: int, camera: list) -> dict:
    """Runs it; AssertionError where a promise is broken. The summary."""
    size = [] if pipe.stream == "y4m" else ["--size", f"{pipe.width}x{pipe.height}"]
    sender = subprocess.Popen(pipe.command(frames), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    taken = subprocess.run([*camera, "--source", "-", "--format", pipe.stream, *size, "--json"], stdin=sender.stdout,
                           capture_output=True, text=True, timeout=500)
    sender.stdout.close()
    complaint = sender.communicate()[1].decode()
    # A busy machine may make the sender pause; that is said, and is no fault.
    said = [line for line in taken.stderr.splitlines() if "no data for" not in line and "data again" not in line]
    assert taken.returncode == 0 and not said, f"exit status {taken.returncode}: {taken.stderr}"
    assert sender.returncode == 0, f"{pipe.tool}: {complaint}"
    *lines, last = [json.loads(line) for line in taken.stdout.splitlines()]
    summary = last["summary"]
    assert summary["captured"] == frames, f"{summary['captured']} of {frames} frames captured"
    assert summary["frames"] + summary["dropped"] == frames and summary["frames"] == len(lines), summary
    numbers = [line["frame"] for line in lines]
    assert numbers == sorted(set(numbers)) and numbers[-1] == frames - 1, "the last frame is missing, or order is lost"
    # Nothing replaces the last frame, so it may wait for a whole inference.
    for line in lines[:-1]:
        waited = line["age_ms"] - line["ms"]
        assert waited <= summary["max_gap_ms"] + SCHEDULING_MS, f"frame {line['frame']} waited {waited} ms: {summary}"
    for line in lines:
        for found in line["detections"]:
            x0, y0, x1, y1 = found["box"]
            assert 0 <= x0 <= x1 <= pipe.width and 0 <= y0 <= y1 <= pipe.height, line
    if summary["frames"] >= 2 * SETTLED_FRAMES:
        grown = summary["rss_bytes"] - summary["rss_bytes_at_frame_1000"]
        assert grown <= MEMORY_SLACK_BYTES, f"memory grew by {grown} bytes"
    return summary


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--frames", type=int, default=300)
    parser.add_argument("--only", default="", help="pipes with this in their name")
    options = parser.parse_args()
    failed, lacks = 0, []
    with tempfile.TemporaryDirectory(prefix="octet-pipes-") as folder:
        camera = [options.build / "bin/octet-camera", detector_blob.make(options.build, pathlib.Path(folder)), "--device", "pipes"]
        for pipe in PIPES:
            name = f"{pipe.tool} {pipe.form} as {pipe.stream}, {pipe.width}x{pipe.height}"
            if options.only not in name:
                continue
            lack = missing(pipe)
            if lack:
                lacks.append(f"{name}: {lack}")
                continue
            try:
                s = check(pipe, options.frames, camera)
            except AssertionError as error:
                failed += 1
                print(f"FAILED: {name}: {error}")
                continue
            print(f"passed: {name}: {s['captured']} captured, {s['frames']} taken, {s['dropped']} dropped, age median "
                  f"{s['median_age_ms']} ms, at most {s['max_age_ms']} ms (gap at most {s['max_gap_ms']} ms, inference "
                  f"{s['max_ms']} ms), {s['rss_bytes'] / 1e6:.1f} MB")
    if lacks:
        print(f"skipped: not installed (./setup.sh --tests): {', '.join(lacks)}")
    return 1 if failed else detector_blob.SKIPPED if lacks else 0


if __name__ == "__main__":
    sys.exit(main())
