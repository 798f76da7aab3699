#!/usr/bin/env python3
"""Options that the manual names exist: each --word of README.md, PORTING.md and docs/ is in the help of a program or script of
this tree, or is one of another program's that the manual calls."""
import argparse
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/lint"))
import check_blocks  # noqa: E402

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
PROGRAMS = ("octet-run", "octet-camera", "octet-slot", "octet-scene")
SCRIPTS = ("setup.sh", "test.sh", "demo.sh", "demo/run.sh", "docs/build.sh", "packaging/release.sh", "packaging/board/install.sh")
# Of programs that say it in Python, by argparse: their sources name them.
SOURCES = ("boards/emulated", "bench", "tests/models", "demo", "docs", "packaging")
OTHERS = {
    "cmake": ("--preset", "--build", "--target", "--install", "--prefix", "--component", "--toolchain"),
    "cpack": ("--config",), "npm": ("--ignore-scripts",), "pip": ("--no-build-isolation", "--no-deps"), "venv": ("--system-site-packages",),
    "rpicam": ("--timelapse", "--width", "--height", "--codec"), "rsync": ("--copy-unsafe-links", "--exclude"),
    "usermod": ("--append", "--groups"), "systemctl": ("--now",), "http.server": ("--bind", "--directory"), "bench-kernels": ("--panels",),
}


def help_of(*command) -> str:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True).stdout


def known(programs: pathlib.Path) -> set:
    text = help_of(programs / "octet", "--help") + help_of(programs / "octet", "--help-all")
    for command in re.findall(r"^ {2,}([a-z]+) {2,}\S", help_of(programs / "octet", "--help"), re.M):
        text += help_of(programs / "octet", command, "--help") + help_of(programs / "octet", command, "--help-all")
    for program in PROGRAMS:
        text += help_of(programs / program, "--help") + help_of(programs / program, "--help-all")
    for script in SCRIPTS:
        text += help_of(SOURCE / script, "--help")
    for folder in SOURCES:
        for path in (SOURCE / folder).rglob("*.py"):
            text += " ".join(re.findall(r"\"(--[a-z-]+)\"", path.read_text())) + "\n"
    return set(OPTION.findall(text)).union(*OTHERS.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = known(parser.parse_args().build.resolve() / "bin")
    problems, found = [], 0
    for path in check_blocks.pages(SOURCE):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for option in OPTION.findall(line):
                found += 1
                if option not in options:
                    problems.append(f"{path.relative_to(SOURCE).as_posix()}:{number}: {option} is in no program's help")
    print("\n".join(problems) or f"{found} mentions of {len(options)} options")
    return 1 if problems or not found else 0


if __name__ == "__main__":
    sys.exit(main())
