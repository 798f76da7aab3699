#!/usr/bin/env python3
"""octet-camera's page with the built-in scene in a real headless Chromium, where there is one.

On a desk and on a phone: a picture, the numbers of frames, two lines over time, no overflow, other colours at a click, and no
request to anybody else.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

import detector_blob

GARMENTS = pathlib.Path("/usr/share/datasets/fashion-mnist")
SMALLEST_BYTES = 50_000  # of a screenshot with the scene's noise in it; without a picture it has 5,000
DEMO = detector_blob.SOURCE / "demo"
sys.path.insert(0, str(DEMO))
import page  # noqa: E402

# (what, JavaScript that is true)
CHECKS = (
    ("the picture fits its place", "(r => r.left >= 0 && r.right <= innerWidth && r.width > 100)(document.images[0].getBoundingClientRect())"),
    ("nothing hangs over the side", "document.documentElement.scrollWidth <= innerWidth"),
    ("no tile is cut off", "[...document.querySelectorAll('.tile b')].every(b => b.scrollWidth <= b.clientWidth)"),
    ("the plan is named", "[...document.querySelectorAll('.tile b')].some(b => b.textContent === 'int8')"),
    ("latency and age have lines", "[...document.querySelectorAll('#times polyline')].filter(p => p.points.length > 1).length === 2"),
    ("the plan is drawn over time", "document.querySelectorAll('#plans rect').length > 0"),
    ("changes of the plan are listed", "document.querySelectorAll('#reasons li').length > 0"),
    ("frames come", "document.getElementById('state').textContent === 'live'"),
    ("a zone that is drawn is a setting", "(() => { document.getElementById('draw').click(); const over = document.getElementById('drawing'),"
     " r = document.images[0].getBoundingClientRect(), text = () => document.getElementById('drawn').value;"
     " const click = (x, y) => over.dispatchEvent(new MouseEvent('click', {clientX: r.left + x * r.width, clientY: r.top + y * r.height}));"
     " click(0.4, 0.5); click(0.6, 0.5); const line = /^lines: ..line1=0.[34][0-9]+,0.[45][0-9]+ 0.[56][0-9]+,0.[45][0-9]+..$/.test(text()); click(0.5, 0.6);"
     " const zone = /^zones: ..zone1=/.test(text()) && text().split(' ').length === 4; document.getElementById('draw').click();"
     " return line && zone; })()"),
    ("nobody else is asked", "performance.getEntriesByType('resource').every(r => r.name.startsWith(location.origin + '/'))"),
    ("a click changes the colours", "(() => { const colour = () => getComputedStyle(document.body).backgroundColor, before = colour();"
     " document.getElementById('theme').click(); return colour() !== before; })()"),
)


def check(blob: pathlib.Path, build: pathlib.Path, work: pathlib.Path, browser: str, width: int, height: int) -> int:
    """Of one size of the window: how many checks fail."""
    camera = [build / "bin/octet-camera", blob, "--source", "scene", "--garments", work]
    with page.page_of(camera, browser, width, height) as tools:
        page.wait_for("several frames", lambda: tools.evaluate("document.body.dataset.frames > 3"))
        # A browser whose clock is an hour ahead of the board's.
        tools.evaluate("(() => { const now = Date.now; Date.now = () => now() + 3600000; document.getElementById('state').textContent = ''; })()")
        page.wait_for("frames with another clock", lambda: tools.evaluate("document.getElementById('state').textContent === 'live'"))
        failed = [what for what, expression in CHECKS if tools.evaluate(expression) is not True]
        for what in failed:
            print(f"{width} x {height}: not so: {what}")
        time.sleep(0.2)
        size = len(page.screenshot(tools))
        print(f"{width} x {height}: screenshot of {size} bytes")
        return len(failed) + (size < SMALLEST_BYTES)


# Of several cameras.
ALL_CHECKS = (
    ("each camera has its picture", "[...document.images].length === 2 && [...document.images].every(i => i.naturalWidth > 0)"),
    ("both are live", "document.getElementById('state').textContent === '2 of 2 cameras live'"),
    ("each leads to its page", "[...document.querySelectorAll('#all a')].map(a => a.getAttribute('href')).join() === 'door/,yard/'"),
    ("nothing hangs over the side", "document.documentElement.scrollWidth <= innerWidth"),
    ("nobody else is asked", "performance.getEntriesByType('resource').every(r => r.name.startsWith(location.origin + '/'))"),
)


def check_all(blob: pathlib.Path, build: pathlib.Path, work: pathlib.Path, browser: str, width: int, height: int) -> int:
    settings = work / "two.yaml"
    settings.write_text(f"model: {blob}\ngarments: {work}\ncameras:\n  - {{name: door, source: scene, fps: 10}}\n"
                        "  - {name: yard, source: scene, seed: 2, fps: 10}\n")
    loaded = "document.images.length === 2 && [...document.images].every(i => i.naturalWidth > 0) && document.body.dataset.cameras === '2'"
    with page.page_of([build / "bin/octet-camera", "--config", settings], browser, width, height, loaded) as tools:
        failed = [what for what, expression in ALL_CHECKS if tools.evaluate(expression) is not True]
        for what in failed:
            print(f"two cameras: not so: {what}")
        return len(failed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    if not GARMENTS.is_dir():
        print("skipped: no garments for the scene (Debian's package dataset-fashion-mnist)")
        return detector_blob.SKIPPED
    browser = page.find_chromium()
    if browser is None:
        print("skipped: Chromium is not installed (Debian's package chromium)")
        return detector_blob.SKIPPED
    with tempfile.TemporaryDirectory(prefix="octet-page-test-") as folder:
        work = pathlib.Path(folder)
        subprocess.run([sys.executable, DEMO / "pictures.py", work], check=True)
        (work / "blob").mkdir()
        blob = detector_blob.make(options.build, work / "blob")
        failed = check_all(blob, options.build, work, browser, 1100, 700)
        failed += sum(check(blob, options.build, work, browser, *size) for size in ((1100, 700), (390, 844)))
        return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
