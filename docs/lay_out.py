#!/usr/bin/env python3
"""Lays out what mkdocs reads, in build/docs: the pages of mkdocs.yml and all files that they link to, under their own paths; a page
of the C API; a configuration with mkdocs-material, where Debian's package is installed."""
import os
import pathlib
import re
import shutil
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(SOURCE / "tests/support"))
import markdown_pages as markdown  # noqa: E402

DOXYGEN = "/usr/bin/doxygen"  # docs/build.sh runs it into api/ beside the pages
MATERIAL = pathlib.Path("/usr/share/mkdocs/themes/material")
PAGE = re.compile(r":\s*([\w./-]+\.md)\s*$")
API = "c-api.md"  # written here
HEADERS = SOURCE / "runtime/include/octet"
# Fonts of the reader's system, icons as part of the pages: nothing comes from another host.
THEME = """INHERIT: ../../mkdocs.yml
docs_dir: pages
site_dir: site
theme:
  name: null
  custom_dir: {material}
  language: en
  font: false
  icon: {{}}
  favicon: assets/images/favicon.png
  include_search_page: false
  search_index_only: true
  static_templates: [404.html]
  features: [navigation.top, navigation.indexes, search.highlight]
  palette:
    - media: "(prefers-color-scheme: light)"
      scheme: default
      primary: teal
      toggle: {{icon: material/weather-night, name: dark}}
    - media: "(prefers-color-scheme: dark)"
      scheme: slate
      primary: teal
      toggle: {{icon: material/weather-sunny, name: light}}
"""
PLAIN = "INHERIT: ../../mkdocs.yml\ndocs_dir: pages\nsite_dir: site\n"


def without_folders(path: pathlib.Path) -> str:
    """A page whose links to folders of the sources, which the site does not have, are their text."""
    return re.sub(r"(?<!!)\[([^\[\]]+)\]\(([^)#:\s]+)\)",
                  lambda link: link[1] if (path.parent / link[2]).is_dir() else link[0], path.read_text())


def headers() -> str:
    """The page of the C API: the headers, which are its contract."""
    lines = ["# C API", "", "The public headers, as they are installed. Each is the contract of its functions. `octet/octet.hpp` is a wrapper for C++.", ""]
    if os.access(DOXYGEN, os.X_OK):
        lines += ["[The same by function and struct](api/index.html), made of the same comments.", ""]
    # octet.h first, the others by name.
    for path in sorted(HEADERS.glob("*.h"), key=lambda path: (path.stem != "octet", path.stem)):
        lines += [f"## octet/{path.name}", "", "```c", path.read_text().rstrip(), "```", ""]
    return "\n".join(lines)


def main() -> int:
    out = SOURCE / "build/docs"
    pages = out / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    pages.mkdir(parents=True)
    named = [found[1] for found in map(PAGE.search, (SOURCE / "mkdocs.yml").read_text().splitlines()) if found]
    todo = [SOURCE / name for name in named if name != API]
    done = set()
    while todo:
        path = todo.pop()
        if path in done or not path.is_file():
            continue
        done.add(path)
        target = pages / path.relative_to(SOURCE)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix != ".md":
            shutil.copyfile(path, target)
        else:
            target.write_text(without_folders(path))
            names = (link.target.partition("#")[0] for link in markdown.read(path).links)
            todo += [(path.parent / name).resolve() for name in names if name and ":" not in name]
    (pages / API).write_text(headers())
    (out / "mkdocs.yml").write_text(THEME.format(material=MATERIAL) if MATERIAL.is_dir() else PLAIN)
    return 0


if __name__ == "__main__":
    sys.exit(main())
