#!/usr/bin/env python3
"""docs/Doxyfile: the reference of the C API is made without a warning, has every function of the public headers, and says of them
what the headers say; a comment that Doxygen cannot read is an error."""
import html
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
HEADERS = SOURCE / "runtime/include/octet"
DOXYGEN = "/usr/bin/doxygen"
SKIPPED = 77
FUNCTION = re.compile(r"^OCTET_API[^;]*?\b(octet_\w+)\(", re.M)
STRUCT = re.compile(r"^typedef struct (octet_\w+) \{", re.M)
# Comments in front of a function, behind a field, and behind a value.
SAID = {"octet_8h": ("The caller keeps arena and blob", "The version of this header."),
        "structoctet__config": ("NULL: one thread.", "to feed a watchdog or to check a deadline."),
        "slots_8h": ("not the kind of model that runs: octet_slots_config.accepts", "Promise: if the power fails at any byte")}


def make(root: pathlib.Path) -> subprocess.CompletedProcess:
    (root / "build/docs/pages").mkdir(parents=True, exist_ok=True)
    return subprocess.run([DOXYGEN, "docs/Doxyfile"], cwd=root, capture_output=True, text=True)


def text_of(page: pathlib.Path) -> str:
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", "", page.read_text(encoding="utf-8")))) if page.exists() else ""


def main() -> int:
    if not os.access(DOXYGEN, os.X_OK):
        print("doxygen is not installed (sudo apt-get install doxygen)")
        return SKIPPED
    problems = []
    with tempfile.TemporaryDirectory(prefix="octet-api-") as folder:
        root = pathlib.Path(folder)
        shutil.copytree(SOURCE / "docs", root / "docs")
        shutil.copytree(HEADERS, root / "runtime/include/octet")
        done = make(root)
        if done.returncode != 0 or done.stderr:
            problems.append(f"status {done.returncode}: {done.stderr}")
        pages = root / "build/docs/pages/api"
        found = 0
        for header in sorted(HEADERS.glob("*.h")):
            code = header.read_text(encoding="utf-8")
            page = text_of(pages / f"{header.stem.replace('_', '__')}_8h.html")
            names = FUNCTION.findall(code) + STRUCT.findall(code)
            problems += [f"{header.name}: {name} is not on its page" for name in names if name not in page]
            found += len(names)
        for page, words in SAID.items():
            problems += [f"{page}: no '{word}'" for word in words if word not in text_of(pages / f"{page}.html")]
        far = re.compile(r"(?:src=|<link[^>]*href=)\"(?:https?:)?//")
        problems += [f"{page.name} loads from another host" for page in pages.glob("*.html") if far.search(page.read_text(encoding="utf-8"))]
        # The comment of a parameter that there is not, in a form that the filter leaves alone.
        broken = root / "runtime/include/octet/octet.h"
        broken.write_text(broken.read_text(encoding="utf-8") + "/// \\param nothing of it\nint octet_broken(int some);\n", encoding="utf-8")
        if make(root).returncode == 0:
            problems.append("a comment with a fault is no error")
    print("\n".join(problems) or f"{found} functions and structs")
    return 1 if problems or found < 60 else 0


if __name__ == "__main__":
    sys.exit(main())
