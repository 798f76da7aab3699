#!/usr/bin/env python3
"""The page of --report in a real headless Chromium, where there is one: it renders, sorts, filters and opens layers in both
themes, asks no network, logs no error, and runs nothing that a model's names say."""
import argparse
import json
import pathlib
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(SOURCE / "demo"))
import page  # noqa: E402
import report as demo_report  # noqa: E402

MOST_BYTES = 2_000_000
# Two layers of the detector get names of the same length that would run if they were taken for markup.
NAMES = (b"/detector/a/a.2/b/b.0/b.0.0/Conv", b"/detector/a/a.2/b/b.1/b.1.0/Conv")
HOSTILE = (b"</script><script>evil=1</script>", b"\"'><img src=x onerror=evil=1>    ")
BACKGROUND = "getComputedStyle(document.body).backgroundColor"
# Relative luminance and contrast of WCAG 2.1; colours as "rgb(r, g, b)".
CONTRAST = """(selector => {
  const light = colour => colour.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  let ground = document.querySelector(selector);
  const ink = light(getComputedStyle(ground).color);
  while (ground && /, 0\\)|transparent/.test(getComputedStyle(ground).backgroundColor)) ground = ground.parentElement;
  const behind = light(getComputedStyle(ground).backgroundColor);
  return (Math.max(ink, behind) + 0.05) / (Math.min(ink, behind) + 0.05);
})"""


class Page:
    def __init__(self, tools) -> None:
        self.tools = tools

    def __call__(self, expression: str):
        return self.tools.evaluate(expression)

    def column(self, index: int) -> list:
        return self(f"[...document.querySelectorAll('#table tbody tr:not(.detail)')].map(row => row.cells[{index}].textContent)")

    def click(self, selector: str) -> None:
        self(f"document.querySelector({json.dumps(selector)}).click()")

    def type(self, selector: str, text: str) -> None:
        self(f"(box => {{ box.value = {json.dumps(text)}; box.dispatchEvent(new Event('input')); }})"
             f"(document.querySelector({json.dumps(selector)}))")

    def press(self, key: str, code: int) -> None:
        for kind in ("keyDown", "keyUp"):
            self.tools.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                            text="\r" if kind == "keyDown" and key == "Enter" else "")


def equal(actual, expected, what: str) -> None:
    assert actual == expected, f"{what}: {actual!r}, not {expected!r}"


def check_renders(shown: Page, data: dict) -> None:
    layers = data["layers"]
    equal(shown("document.getElementById('model').textContent"), data["model"], "title")
    equal(len(shown.column(0)), len(layers), "rows")
    equal(sorted(shown.column(0)), sorted(layer["name"] for layer in layers), "names")
    equal(shown("document.querySelectorAll('#snr .pick').length"), len(layers), "bars")
    equal(shown("document.querySelectorAll('#memory-plot .block').length"), len(data["memory"][0]["tensors"]), "blocks")
    equal(shown("document.querySelectorAll('#album img').length"), len(data["pictures"]), "pictures")
    equal(shown("[...document.images].every(image => image.complete && image.naturalWidth > 0)"), True, "pictures that load")
    for kind in ("fp32", "int8"):
        equal(shown(f"document.querySelectorAll('#album .{kind} rect.ink').length"),
              sum(len(picture[kind]) for picture in data["pictures"]), f"boxes of {kind}")
    judged = data["judgement"]
    card = shown("document.querySelector('#cards .card').textContent")
    for fact in (judged["judgement"], judged["figure_name"], *(f"{value:.2f}" for value in (judged["figure"], *judged["interval"]))):
        assert fact in card, f"the verdict: {fact} is not in {card!r}"
    equal(shown("document.getElementById('pareto').hidden"), not data["pareto"], "Pareto front hidden without points")
    equal(shown("document.getElementById('gains').hidden"), not data["gains"], "gains hidden without steps")
    equal(shown("document.documentElement.scrollWidth <= innerWidth"), True, "nothing wider than the window")


def check_sorts(shown: Page, data: dict) -> None:
    by_added = [layer["name"] for layer in sorted(data["layers"], key=lambda layer: -layer["noise_added"])]
    equal(shown.column(0)[0], by_added[0], "the worst layer comes first")
    snr = "#table thead th:nth-child(4) button"
    shown.click(snr)
    descending = [float(text) for text in shown.column(3)]
    equal(descending, sorted(descending, reverse=True), "SNR falls")
    equal(shown("document.querySelector('#table thead th:nth-child(4)').ariaSort"), "descending", "aria-sort")
    # The heading that was used keeps the focus, so that Enter turns the order round.
    shown.press("Enter", 13)
    equal([float(text) for text in shown.column(3)], sorted(descending), "SNR rises, by the keyboard")
    equal(shown("document.querySelector('#table thead th:nth-child(4)').ariaSort"), "ascending", "aria-sort")
    shown.click("#table thead th:nth-child(1) button")
    equal(shown("[...document.querySelectorAll('#table [aria-sort]')].length"), 1, "columns that say they sort")


def check_filters(shown: Page, data: dict) -> None:
    wanted = [layer["name"] for layer in data["layers"] if "add" in (layer["name"] + layer["op"]).lower()]
    shown.type("#find", "ADD")
    equal(len(shown.column(0)), len(wanted), "rows found")
    equal(shown("document.getElementById('count').textContent"), f"{len(wanted)} of {len(data['layers'])} layers", "count")
    shown.type("#find", "no layer is called so")
    equal(shown.column(0), [], "nothing found")
    shown.type("#find", "")
    shown.type("#precision", "fp16")
    equal(len(shown.column(0)), sum(layer["precision"] == "fp16" for layer in data["layers"]), "FP16 layers")
    shown.type("#precision", "")
    shown.click("#flagged")
    equal(len(shown.column(0)), sum(bool(layer["flags"]) for layer in data["layers"]), "flagged layers")
    # A bar opens its layer whatever the filters.
    shown.type("#find", "no layer is called so")
    shown("document.querySelector('#snr .pick').dispatchEvent(new MouseEvent('click'))")
    equal(len(shown.column(0)), len(data["layers"]), "rows after the filters are taken back")
    equal(shown("document.activeElement.textContent"), data["layers"][0]["name"], "focus on the layer")


def check_opens(shown: Page, data: dict) -> None:
    equal(shown("document.activeElement.ariaExpanded"), "true", "aria-expanded")
    bins = len(data["layers"][0]["histogram"]["fp32"])
    equal(shown("document.querySelectorAll('tr.detail svg rect.fill-fp32').length"), bins, "bins")
    linear = "[...document.querySelectorAll('tr.detail rect.fill-int8')].map(bar => bar.getAttribute('height')).join()"
    before = shown(linear)
    shown.click("tr.detail input")
    assert shown(linear) != before, "logarithmic and linear bars are the same"
    shown.press("Enter", 13)
    equal(shown("document.querySelectorAll('tr.detail').length"), 0, "details closed by the keyboard")
    equal(shown("document.activeElement.ariaExpanded"), "false", "aria-expanded of what was closed")


def check_toggles(shown: Page, theme: str) -> None:
    equal(shown("document.documentElement.dataset.theme"), theme, "theme of the system")
    before = shown(BACKGROUND)
    for selector in ("body", ".quiet", "#table td .open", "#table td", ".card span", "figcaption", "th button"):
        contrast = shown(f"{CONTRAST}({json.dumps(selector)})")
        assert contrast >= 4.5, f"{theme}, {selector}: contrast {contrast:.2f}"
    shown.click("#theme")
    assert shown(BACKGROUND) != before, "the button changes no colour"
    shown.click("#theme")
    equal(shown(BACKGROUND), before, "colours after toggling twice")
    if shown("document.getElementById('pictures').hidden"):
        return
    shown.click("#show-int8")
    equal(shown("getComputedStyle(document.querySelector('#album svg g.int8')).display"), "none", "hidden boxes")
    shown.click("#show-int8")


def check_labels(shown: Page) -> None:
    unnamed = shown("""[...document.querySelectorAll('button, input, select')].filter(control =>
        !(control.textContent.trim() || control.ariaLabel || (control.labels && control.labels.length))).map(c => c.outerHTML)""")
    equal(unnamed, [], "controls without a name")
    equal(shown("[...document.images].filter(image => !image.alt).length"), 0, "pictures without a text")


def with_more(data: dict) -> dict:
    """The document of a conversion that has also assigned precisions and recovered accuracy."""
    points = [{"name": name, "time_ms": time, "loss": loss, "loss_error": 0.01, "fp16_layers": count, "chosen": name == "exact"}
              for name, time, loss, count in (("exact", 9, 0.5, 3), ("greedy", 12, 0.7, 2), ("<i>", 15, 0.1, 9), ("int8", 5, 2, 0))]
    gains = [{"step": "</td><script>evil=1</script>", "unit": "dB", "before": 20.25, "after": 21.5, "kept": True},
             {"step": "rounding", "unit": "dB", "before": 21.5, "after": 21, "kept": False}]
    ledger = [{"name": "<b>node", "op": "Conv", "precision": "fp16", "text": "chosen <i>", "gain_db": 1.25,
               "overruled": [{"wants": "int8", "text": "requested"}]},
              {"name": "tail", "op": "Add", "precision": "int8", "text": "requested", "gain_db": None, "overruled": []}]
    return {**data, "pareto": points, "gains": gains, "ledger": ledger, "verdict": ["<b>expected</b>", f"'{data['layers'][1]['name']}' (Conv) <i>"], "warnings": [], "pictures": [], "memory": []}


def check_more(shown: Page) -> None:
    equal(shown("[...document.querySelectorAll('section')].filter(part => part.hidden).map(part => part.id)"),
          ["memory", "pictures"], "parts without content")
    equal(shown("[...document.querySelectorAll('#ledger-table tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))"),
          [["<b>node", "Conv", "fp16", "chosen <i>", "1.3 dB", "int8: requested"], ["tail", "Add", "int8", "requested", "–", "–"]], "the ledger")
    equal(shown("document.querySelectorAll('#pareto-plot circle:not(.ring)').length"), 4, "points")
    equal(shown("document.querySelectorAll('#pareto-plot circle.fill-int8').length"), 3, "points that no other beats")
    equal(shown("document.querySelectorAll('#pareto-plot .ring').length"), 1, "rings")
    equal(shown("[...document.querySelectorAll('#pareto tbody tr')].map(row => row.cells[0].textContent)"),
          ["int8", "exact (chosen)", "greedy", "<i>"], "choices by their time")
    equal(shown("[...document.querySelectorAll('#gains tbody tr')].map(row => row.cells[3].textContent + row.cells[4].textContent)"),
          ["+1.25 dByes", "-0.50 dBno"], "gains")
    equal(shown("document.querySelector('#gains tbody td').textContent"), "</td><script>evil=1</script>", "a step's name")
    equal(shown("document.querySelector('#lines li').textContent"), "<b>expected</b>", "a line of the verdict")
    equal(shown("document.querySelectorAll('#lines li').length"), 2, "lines of the verdict")
    shown.click("#lines button")
    equal(shown("document.activeElement.textContent"), shown("document.querySelector('#lines button').textContent"), "layer of a line")


def check_quiet(shown: Page, report: pathlib.Path) -> None:
    shown("0")  # whatever was logged has arrived before the answer
    equal(shown("typeof evil"), "undefined", "what a name of the model says ran")
    loud = [event for event in shown.tools.events
            if event["method"] in ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")]
    equal(loud, [], "logged")
    asked = [event["params"]["request"]["url"] for event in shown.tools.events if event["method"] == "Network.requestWillBeSent"]
    away = [url for url in asked if url != report.as_uri() and not url.startswith("data:")]
    equal(away, [], "asked for")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    browser = page.find_chromium()
    if browser is None or not demo_report.GARMENTS.is_dir():
        print("skipped: Chromium (Debian's package chromium) or the scene's garments (dataset-fashion-mnist) are not installed")
        return page.SKIPPED
    with tempfile.TemporaryDirectory(prefix="octet-report-test-", ignore_cleanup_errors=True) as folder:
        work = pathlib.Path(folder)
        model = (demo_report.DEMO / "scene_detector.onnx").read_bytes()
        for name, hostile in zip(NAMES, HOSTILE):
            assert len(name) == len(hostile[: len(name)]) and name in model
            model = model.replace(name + b'"', hostile[: len(name)] + b'"')
        (work / "model.onnx").write_bytes(model)
        report = demo_report.convert(options.build, work, work / "model.onnx", "--effort", "fast")
        text = report.read_text()
        assert len(text) <= MOST_BYTES, f"{len(text)} bytes of page"
        data = json.loads(text.split('id="data">')[1].split("</script>")[0])
        names = [layer["name"] for layer in data["layers"]]
        for hostile in HOSTILE:
            assert any(name.startswith(hostile.decode()[:30].rstrip()) for name in names), names
        for theme in ("light", "dark"):
            profile = work / theme
            profile.mkdir()
            with demo_report.shown(report, browser, profile, theme, 1280, 900) as tools:
                shown = Page(tools)
                check_renders(shown, data)
                check_toggles(shown, theme)
                check_sorts(shown, data)
                check_filters(shown, data)
                check_opens(shown, data)
                check_labels(shown)
                check_quiet(shown, report)
            print(f"{theme}: {len(names)} layers, {len(text)} bytes")
        before, rest = text.split('id="data">')
        more = json.dumps(with_more(data)).replace("<", "\\u003c")
        other = work / "more.html"
        other.write_text(before + 'id="data">' + more + "</script>" + rest.split("</script>", 1)[1])
        profile = work / "more"
        profile.mkdir()
        with demo_report.shown(other, browser, profile, "dark", 500, 900) as tools:
            shown = Page(tools)
            check_more(shown)
            equal(shown("document.documentElement.scrollWidth <= innerWidth"), True, "nothing wider than a small window")
            check_quiet(shown, other)
    return 0


if __name__ == "__main__":
    sys.exit(main())
