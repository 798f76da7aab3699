#!/usr/bin/env python3
"""Runs the commands of the manual: run_blocks.py --build FOLDER [PAGE...]

The blocks of a page run in the page's order, in one shell, in a folder that looks like the root of the sources beside the
reader's own files (stand_ins.py). A command that fails, a program that is missing and an option that is gone are faults of
the page. Blocks with a mark are left out (tests/lint/check_blocks.py).
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "tests/support"), str(SOURCE / "tests/lint"), str(SOURCE / "tests/models")]
import check_blocks  # noqa: E402
import markdown_pages as markdown  # noqa: E402
import stand_ins  # noqa: E402
from model_tests import Report  # noqa: E402

LINE_BYTES = 4000  # of what a page said that is shown


def blocks(page: pathlib.Path) -> list:
    return [block for block in markdown.read(page).blocks if block.language in check_blocks.COMMANDS
            and not check_blocks.MARK.match(block.mark or "")]


def script(page: pathlib.Path) -> str:
    lines = ["set -euo pipefail"]
    for block in blocks(page):
        lines.append(f"echo '== line {block.line}'")
        code = block.text
        lines.append(code if block.language == "sh" else f"/usr/bin/python3 - <<'END_OF_BLOCK'\n{code}END_OF_BLOCK")
    return "\n".join(lines) + "\n"


def lay_out(folder: pathlib.Path, build: pathlib.Path, files: pathlib.Path) -> None:
    """The reader's folder: the sources, links all of them, with `build` as the preset native; the files of stand_ins."""
    for entry in SOURCE.iterdir():
        if entry.name != "build" and not entry.name.startswith("."):
            (folder / entry.name).symlink_to(entry)
    (folder / "build").mkdir()
    (folder / "build/native").symlink_to(build)
    shutil.copytree(files, folder, dirs_exist_ok=True)


def run(page: pathlib.Path, build: pathlib.Path, files: pathlib.Path) -> None:
    with tempfile.TemporaryDirectory(prefix="octet-docs-") as work:
        folder = pathlib.Path(work)
        lay_out(folder, build, files)
        environment = {**os.environ, "PATH": f"{build / 'bin'}:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": work,
                       "PYTHONPATH": str(SOURCE / "python"), "OCTET_LIBRARY": str(build / "lib/liboctet.so.1")}
        done = subprocess.run(["bash", "-c", script(page)], cwd=folder, env=environment, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, f"status {done.returncode}; the last it said:\n{done.stdout[-LINE_BYTES:]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--report", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path, help="lay out the folder of a page there, print its script, run nothing")
    parser.add_argument("pages", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    wanted = [path.resolve() for path in arguments.pages] or check_blocks.pages(SOURCE)
    report = Report("docs_commands", arguments.report)
    with tempfile.TemporaryDirectory(prefix="octet-docs-files-") as files:
        stand_ins.make(pathlib.Path(files), build / "bin/octet", SOURCE)
        if arguments.keep:
            arguments.keep.mkdir(parents=True)
            lay_out(arguments.keep, build, pathlib.Path(files))
            print("\n".join(map(script, wanted)), end="")
            return 0
        for page in wanted:
            if not blocks(page):
                continue
            with report.case(page.relative_to(SOURCE).as_posix()):
                run(page, build, pathlib.Path(files))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
