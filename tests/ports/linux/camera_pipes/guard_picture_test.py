#!/usr/bin/env python3
"""The demo's picture of a minute under the guard, in a real headless Chromium: no words overlap, and all stand inside it."""
import pathlib
import sys
import tempfile

SKIPPED = 77
DEMO = pathlib.Path(__file__).resolve().parents[4] / "demo"
sys.path.insert(0, str(DEMO))
import guard  # noqa: E402
import page  # noqa: E402

# Pairs of texts whose boxes meet, and texts that hang over the picture's edge.
OVERLAPS = """(() => {
  const all = [...document.querySelectorAll('text')].map((t) => [t.textContent, t.getBoundingClientRect()]);
  const edge = document.documentElement.getBoundingClientRect(), bad = [];
  all.forEach(([one, a], i) => {
    if (a.left < edge.left || a.right > edge.right || a.top < edge.top || a.bottom > edge.bottom) bad.push(one + ' hangs over the edge');
    for (const [other, b] of all.slice(i + 1)) {
      if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) bad.push(one + ' lies over ' + other);
    }
  });
  return [all.length, bad];
})()"""


def main() -> int:
    browser = page.find_chromium()
    if browser is None:
        print("skipped: Chromium is not installed (Debian's package chromium)")
        return SKIPPED
    lines = [{"frame": i, "time": 1e9 + i / 30, "plan": "fp16" if 100 < i < 200 else "int8", "slot": "b" if i > 150 else "a",
              "score": None if 100 < i < 120 else 0.7, "temperature_c": 45 + i / 10} for i in range(300)]
    with tempfile.TemporaryDirectory(prefix="octet-guard-", ignore_cleanup_errors=True) as folder:
        work = pathlib.Path(folder)
        guard.write_picture(lines, guard.film(300)[1], work / "guard.svg")
        with page.page_in(browser, (work / "guard.svg").as_uri(), work, 900, 700) as tools:
            count, bad = page.wait_for("the texts", lambda: (lambda found: found if found and found[0] > 0 else None)(
                tools.evaluate(OVERLAPS)))
    for line in bad:
        print(line)
    print(f"{count} texts")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
