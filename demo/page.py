#!/usr/bin/env python3
"""A screenshot of octet-camera's page with the built-in scene, taken by a real headless Chromium through its DevTools.

The page's stream never ends, so the picture is taken after a while rather than when everything has loaded. Exit status
77 where Chromium is not installed.
"""
import argparse
import base64
import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

SKIPPED = 77
WAIT_S = 60  # for a browser on a busy machine
# True once a picture of the stream stands in the page, and the numbers of a frame beside it.
LOADED = "document.images[0]?.naturalWidth > 0 && document.body.dataset.frames > 0"


class DevTools:
    """Commands to a page of Chromium: JSON over a WebSocket (RFC 6455), messages one after the other."""

    def __init__(self, url: str) -> None:
        host, port, path = re.fullmatch(r"ws://([^:/]+):(\d+)(/.*)", url).groups()
        self.connection = socket.create_connection((host, int(port)), timeout=WAIT_S)
        key = base64.b64encode(os.urandom(16)).decode()
        self.connection.sendall((f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                 f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        self.file = self.connection.makefile("rb")
        while self.file.readline().strip():
            pass
        self.number = 0
        self.events = []  # that came between answers

    def _message(self) -> bytes:
        content = b""
        while True:
            head, length = self.file.read(2)
            if length == 126:
                length = int.from_bytes(self.file.read(2), "big")
            elif length == 127:
                length = int.from_bytes(self.file.read(8), "big")
            part = self.file.read(length)
            if head & 15 <= 2:
                content += part
                if head & 128:
                    return content

    def call(self, method: str, **parameters) -> dict:
        self.number += 1
        text = json.dumps({"id": self.number, "method": method, "params": parameters}).encode()
        size = bytes([128 | len(text)]) if len(text) < 126 else bytes([254]) + len(text).to_bytes(2, "big")
        self.connection.sendall(b"\x81" + size + bytes(4) + text)  # masked with zeros
        while True:
            answer = json.loads(self._message())
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def evaluate(self, expression: str):
        """The value of a JavaScript expression; what it throws is an error here."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")


def wait_for(what: str, ready):
    """The first true value of ready(), tried for WAIT_S seconds."""
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        with contextlib.suppress(OSError, ValueError):
            value = ready()
            if value:
                return value
        time.sleep(0.1)
    sys.exit(f"{what}: not within {WAIT_S} s")


@contextlib.contextmanager
def running(command: list, log: pathlib.Path):
    with log.open("w") as errors:
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=errors)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(20)


def find_chromium() -> "str | None":
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextlib.contextmanager
def page_in(browser: str, address: str, work: pathlib.Path, width: int, height: int):
    """DevTools of a page of that size at `address`; profile and log go into `work`."""
    with running([browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                  "--hide-scrollbars", f"--user-data-dir={work / 'profile'}", f"--window-size={width},{height}",
                  "--remote-debugging-port=0", address], work / "browser"):
        port = wait_for("Chromium's port", lambda: (work / "profile/DevToolsActivePort").read_text().split())[0]
        pages = wait_for("the page", lambda: [
            page for page in json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=10))
            if page["type"] == "page" and page["url"].startswith(address)])
        tools = DevTools(pages[0]["webSocketDebuggerUrl"])
        tools.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        yield tools


@contextlib.contextmanager
def page_of(camera: list, browser: str, width: int, height: int, loaded: str = LOADED):
    """DevTools of the page of octet-camera started as `camera` (without --http), once `loaded` is true: it shows a picture."""
    with contextlib.ExitStack() as stack:
        work = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="octet-page-", ignore_cleanup_errors=True)))
        stack.enter_context(running([*camera, "--http", "0"], work / "camera"))
        address = wait_for("octet-camera's address", lambda: re.search(
            r"http://127\.0\.0\.1:\d+", (work / "camera").read_text()))[0]
        tools = stack.enter_context(page_in(browser, address, work, width, height))
        wait_for("a picture in the page", lambda: tools.evaluate(loaded))
        yield tools


def screenshot(tools: DevTools) -> bytes:
    """PNG of what the page shows."""
    return base64.b64decode(tools.call("Page.captureScreenshot", format="png")["data"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("out", type=pathlib.Path, help="the .png to write")
    parser.add_argument("--size", default="1100x700", help="of the page")
    parser.add_argument("--seconds", type=float, default=2, help="to watch before")
    parser.add_argument("--dark", action="store_true", help="the dark colours")
    parser.add_argument("camera", nargs="+", help="-- octet-camera MODEL --source scene ...")
    options = parser.parse_args()
    browser = find_chromium()
    if browser is None:
        print("skipped: Chromium is not installed (Debian's package chromium)")
        return SKIPPED
    width, height = map(int, options.size.split("x"))
    with page_of(options.camera, browser, width, height) as tools:
        if options.dark:
            tools.evaluate("document.getElementById('theme').click()")
        time.sleep(options.seconds)
        options.out.write_bytes(screenshot(tools))
    return 0


if __name__ == "__main__":
    sys.exit(main())
