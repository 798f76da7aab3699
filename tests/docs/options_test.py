#!/usr/bin/env python3
"""Options that the manual names exist: each --word of README.md, PORTING.md and docs/ is in the help of a program or script of
this tree, or is one of another program's that the manual calls. What docs/options.py makes is what the programs declare, and what
they declare is what their --help says."""
import argparse
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "tests/lint"), str(SOURCE / "docs")]
import check_blocks  # noqa: E402
import options as made  # noqa: E402

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
SCRIPTS = ("setup.sh", "test.sh", "demo.sh", "demo/run.sh", "docs/build.sh", "packaging/release.sh", "packaging/board/install.sh")
# Of programs that say it in Python, by argparse: their sources name them.
SOURCES = ("boards/emulated", "bench", "tests/models", "demo", "docs", "packaging")
OTHERS = {
    "cmake": ("--preset", "--build", "--target", "--install", "--prefix", "--component", "--toolchain"),
    "cpack": ("--config",), "npm": ("--ignore-scripts",), "pip": ("--no-build-isolation", "--no-deps", "--force-reinstall"),
    "venv": ("--system-site-packages",),
    "rpicam": ("--timelapse", "--width", "--height", "--codec"), "rsync": ("--copy-unsafe-links", "--exclude"),
    "usermod": ("--append", "--groups"), "systemctl": ("--now",), "http.server": ("--bind", "--directory"), "bench-kernels": ("--panels",),
    "dpkg": ("--print-architecture", "--configure"), "gpg": ("--import", "--verify"), "rauc": ("--cert", "--key"), "cpio": ("--create", "--format"), "roots_test": ("--wheel",),
    "pkg-config": ("--cflags", "--libs"), "podman": ("--rm", "--group-add"),
}


def help_of(*command) -> str:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True).stdout


def called(programs: pathlib.Path, name: str, *words) -> str:
    """What `octet convert` or another program prints, by the name that it declares."""
    program, *command = name.split()
    return help_of(programs / program, *command, *words)


def known(programs: pathlib.Path, declared: dict) -> set:
    text = "--help-all --help-json\n"  # which no help names
    for name in declared:
        text += called(programs, name, "--help") + called(programs, name, "--help-all")
    for script in SCRIPTS:
        text += help_of(SOURCE / script, "--help")
    for folder in SOURCES:
        for path in (SOURCE / folder).rglob("*.py"):
            text += " ".join(re.findall(r"\"(--[a-z-]+)\"", path.read_text())) + "\n"
    return set(OPTION.findall(text)).union(*OTHERS.values())


def in_help(text: str) -> list:
    """Options by the lines of a help, in their order: their names, sorted."""
    return [sorted(names.split(",")) for names in re.findall(r"^  (-[\w-]+(?:,-[\w-]+)*)", text, re.M)]


def in_declaration(declared: dict, more: bool) -> list:
    return [sorted(option["names"]) for group in declared["groups"] if more or not group.get("more") for option in group["options"]]


def undeclared(programs: pathlib.Path, declared: dict) -> list:
    """Where help and declaration have other options, other text, or another order."""
    problems = []
    for name, one in declared.items():
        for flag, more in (("--help", False), ("--help-all", True)):
            text = called(programs, name, flag)
            if in_help(text) != in_declaration(one, more):
                problems.append(f"{name} {flag}: has {in_help(text)}, declared are {in_declaration(one, more)}")
            shown = [*one["arguments"], *(option for group in one["groups"] if more or not group.get("more") for option in group["options"])]
            problems += [f"{name} {flag}: {option['names']}: is told otherwise than declared" for option in shown if option["help"] not in text]
        problems += [f"{name} --help-all: {option['names']}: default {option['default']} is not shown" for option in made.all_options(one)
                     if "default" in option and not re.search(rf"{re.escape(option['names'][-1])} .*={re.escape(option['default'])}\s", text)]
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    programs = parser.parse_args().build.resolve() / "bin"
    declared = made.declarations(programs)
    options = known(programs, declared)
    problems, found = undeclared(programs, declared), 0
    problems += [f"{path}: is not what the programs declare; run docs/options.py" for path in made.differing(made.made_files(declared))]
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
