#!/usr/bin/env python3
"""docs/build.sh: the site builds without complaint, its links and anchors lead somewhere, no page loads anything from another
host. Where there is a Chromium it opens pages of a server on this machine, searches, and tells what it asked for."""
import argparse
import functools
import html.parser
import http.server
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.parse

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SITE = SOURCE / "build/docs/site"
sys.path.insert(0, str(SOURCE / "demo"))
from page import find_chromium, page_in, wait_for  # noqa: E402

SKIPPED = 77
PAGES = ("", "docs/", "docs/tutorials/yolo-on-raspberry-pi/", "docs/precision/", "docs/commands/", "docs/options/")
# The theme's search takes no word before its index has come: until then it says so.
READY = "!/^Initializing/.test(document.querySelector('.md-search-result__meta').textContent.trim())"
SEARCH = """(field => {
  field.focus();
  field.value = 'letterbox';
  field.dispatchEvent(new KeyboardEvent('keyup', {bubbles: true}));
  return document.querySelectorAll('.md-search-result__item').length;
})(document.querySelector('.md-search__input'))"""
FAR = ("http:", "https:", "//")


class Loads(html.parser.HTMLParser):
    """What a page loads, what it links to, and the names of its places."""

    def __init__(self) -> None:
        super().__init__()
        self.loads, self.links, self.places = [], [], {""}

    def handle_starttag(self, tag: str, pairs: list) -> None:
        values = dict(pairs)
        if values.get("id"):
            self.places.add(values["id"])
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        elif values.get("src"):
            self.loads.append(values["src"])
        elif tag == "link" and values.get("href") and values.get("rel") != "canonical":
            self.loads.append(values["href"])


def read(path: pathlib.Path) -> Loads:
    page = Loads()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def check_files() -> list:
    """Faults of the files as they lie there."""
    pages = {path: read(path) for path in sorted(SITE.rglob("*.html"))}
    problems = []
    for path, page in pages.items():
        name = path.relative_to(SITE).as_posix()
        problems += [f"{name}: loads {load}" for load in page.loads if load.startswith(FAR)]
        if name == "404.html":
            continue  # its links begin at the server's root
        for link in page.links:
            if link.startswith((*FAR, "mailto:", "javascript:")):
                continue
            place, _, anchor = link.partition("#")
            target = (path.parent / urllib.parse.unquote(place)).resolve() if place else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                problems.append(f"{name}: {link} leads nowhere")
            elif target in pages and urllib.parse.unquote(anchor) not in pages[target].places:
                problems.append(f"{name}: {link}: no such place")
    for path in sorted(SITE.rglob("*.css")):
        text = path.read_text(encoding="utf-8")
        problems += [f"{path.relative_to(SITE)}: loads from {far}" for far in ("url(http", "url(\"http", "url(//", "@import")
                     if far in text]
    return problems if len(pages) > 20 else [*problems, f"{len(pages)} pages only"]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *unused) -> None:
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *unused) -> None:
        pass  # a browser that leaves a page before all of it has come


def check_in(browser: str) -> list:
    """What a browser asked for that is not of the server."""
    server = Server(("127.0.0.1", 0), functools.partial(Quiet, directory=str(SITE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home = f"http://127.0.0.1:{server.server_address[1]}/"
    asked, found = [], 0
    with tempfile.TemporaryDirectory(prefix="octet-site-", ignore_cleanup_errors=True) as work:
        with page_in(browser, home, pathlib.Path(work), 1200, 900) as tools:
            tools.call("Network.enable")
            for page in PAGES:
                tools.call("Page.navigate", url=home + page)
                wait_for(page, lambda: tools.evaluate("location.href") == home + page
                         and tools.evaluate("document.readyState") == "complete")
                found += 1
            material = tools.evaluate("!!document.querySelector('.md-search__input')")
            if material:
                wait_for("the search's index", lambda: tools.evaluate(READY))
                wait_for("the search", lambda: tools.evaluate(SEARCH))
            asked = [event["params"]["request"]["url"] for event in tools.events if event.get("method") == "Network.requestWillBeSent"]
    server.shutdown()
    print(f"Chromium opened {found} pages with {len(asked)} requests{', and searched' if material else ''}")
    return [f"asks {url}" for url in asked if not url.startswith((home, "data:", "blob:"))] if len(asked) > len(PAGES) else ["no requests"]


def main() -> int:
    argparse.ArgumentParser(description=__doc__).parse_args()
    if shutil.which("mkdocs", path="/usr/bin") is None:
        print("mkdocs is not installed (setup.sh --tests installs it)")
        return SKIPPED
    built = subprocess.run([SOURCE / "docs/build.sh"], capture_output=True, text=True)
    if built.returncode != 0:
        print(built.stdout + built.stderr)
        return 1
    problems = check_files()
    browser = find_chromium()
    if browser and not problems:
        problems = check_in(browser)
    print("\n".join(problems) or "the site is whole, and asks nobody else")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
