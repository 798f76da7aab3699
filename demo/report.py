#!/usr/bin/env python3
"""A screenshot of the page that `octet convert --report` writes, taken by a real headless Chromium.

The demo's detector on frames of the built-in scene. Exit status 77 where Chromium or the scene's garments are missing.
"""
import argparse
import base64
import contextlib
import pathlib
import subprocess
import sys
import tempfile

import page

DEMO = pathlib.Path(__file__).resolve().parent
GARMENTS = pathlib.Path("/usr/share/datasets/fashion-mnist")
READY = "document.readyState === 'complete' && document.getElementById('count')?.textContent.includes(' of ')"
FRAMES, SEED = 64, 10_000_000


def convert(build: pathlib.Path, work: pathlib.Path, model: pathlib.Path, *more) -> pathlib.Path:
    """A report of the detector's conversion, calibrated with frames of the scene."""
    subprocess.run([sys.executable, DEMO / "pictures.py", work], check=True)
    subprocess.run([build / "bin/octet-scene", "--pictures", work / "calib.npy", "--labels", work / "calib_labels.npy", "--frames",
                    str(FRAMES), "--seed", str(SEED), "--output", work / "frames.npy"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([build / "bin/octet", "convert", model, "-o", work / "detector.octet", "--calibrate", work / "frames.npy",
                    "--mean", "0,0,0", "--std", "1,1,1", "--task", "detect", "--decode", DEMO / "scene_decode.yaml", "--labels",
                    DEMO / "labels.txt", "--report", work / "report.html", *more], check=True, stdout=subprocess.DEVNULL)
    return work / "report.html"


@contextlib.contextmanager
def shown(report: pathlib.Path, browser: str, work: pathlib.Path, theme: str, width: int, height: int):
    """DevTools of the report's page, opened by a system that prefers `theme`, with all that it logs."""
    with page.page_in(browser, "about:blank", work, width, height) as tools:
        for domain in ("Runtime", "Log", "Network", "Page"):
            tools.call(f"{domain}.enable")
        tools.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        tools.call("Page.navigate", url=report.as_uri())
        page.wait_for("the report", lambda: tools.evaluate(READY))
        yield tools


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("out", type=pathlib.Path, help="the .png to write")
    parser.add_argument("--build", type=pathlib.Path, default=DEMO.parent / "build/native")
    parser.add_argument("--theme", choices=["light", "dark"], default="light")
    parser.add_argument("--size", default="1000x1000", help="of the page")
    parser.add_argument("--width", type=int, default=480, help="of the picture")
    options = parser.parse_args()
    browser = page.find_chromium()
    if browser is None or not GARMENTS.is_dir():
        print("skipped: Chromium (Debian's package chromium) or the scene's garments (dataset-fashion-mnist) are not installed")
        return page.SKIPPED
    width, height = map(int, options.size.split("x"))
    with tempfile.TemporaryDirectory(prefix="octet-report-", ignore_cleanup_errors=True) as folder:
        work = pathlib.Path(folder)
        report = convert(options.build, work, DEMO / "scene_detector.onnx")
        with shown(report, browser, work, options.theme, width, height) as tools:
            tools.evaluate("document.querySelector('#table .open').click(); scrollTo(0, 0)")
            clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": options.width / width}
            picture = tools.call("Page.captureScreenshot", format="png", clip=clip)["data"]
    options.out.write_bytes(base64.b64decode(picture))
    return 0


if __name__ == "__main__":
    sys.exit(main())
