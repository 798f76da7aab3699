#!/usr/bin/env python3
"""Commands in the manual: check_blocks.py <root of the sources>, or check_blocks.py --self-test

Every code block of README.md, PORTING.md and docs/ is fenced and names its language. One of commands (sh) or of Python is run
by the test docs_commands, or has a mark of its own right above it:

  <!-- run by: NAME -->       a test of that name, or test.sh or demo.sh, runs these commands: its files call each program
  <!-- not run: REASON -->    nobody does; at most a quarter of all

README.md has at most 120 lines.
"""
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import markdown_pages as markdown  # noqa: E402

COMMANDS = {"sh", "python"}
OTHERS = {"text", "json", "yaml", "c", "cpp", "cmake", "ini"}
NOT_RUN_AT_MOST = 0.25
README_LINES = 120
# Programs that a test has to call which runs a block with them, as its files spell them. The programs to build with are called for
# all tests.
CALLED = {"octet-run": "octet-run", "octet-camera": "octet-camera", "octet-slot": "octet-slot", "cpack": "cpack", "ffmpeg": "ffmpeg",
          "pip": "pip", "board.py": r"board\.py", "build.sh": r"build\.sh"}
STARTS = r"(?:^|[|&;('])\s*(?:[\w./-]*/)?"
MARK = re.compile(r"^(run by|not run):\s*(.*)$")


def pages(root):
    return [path for path in (root / "README.md", root / "PORTING.md", *sorted((root / "docs").rglob("*.md"))) if path.exists()]


def tests(root):
    """Texts of the tests that CMake registers, and of the two scripts that run commands themselves, by their names."""
    texts = {name: (root / name).read_text() for name in ("test.sh", "demo.sh") if (root / name).exists()}
    for path in (root / "tests").rglob("CMakeLists.txt"):
        names = re.findall(r"octet_(?:script_)?test\(\s*NAME\s+(\w+)", path.read_text())
        if names:
            text = "\n".join(file.read_text(errors="replace") for file in sorted(path.parent.iterdir()) if file.is_file())
            texts.update({name: text for name in names})
    return texts


def not_called(block, text):
    """Programs of a block that the text of a test does not call."""
    used = [name for name in CALLED if re.search(rf"{STARTS}{re.escape(name)}(?![\w-])", block.text, re.M)]
    return [name for name in used if not re.search(CALLED[name], text)]


def check(root):
    """Numbers of blocks of commands (run here, run by others, not run), and what is wrong."""
    known, problems, counts = tests(root), [], {"run": 0, "run by": 0, "not run": 0}
    for path in pages(root):
        for block in markdown.read(path).blocks:
            where = f"{path.relative_to(root).as_posix()}:{block.line}"
            if block.language in ("", "indented", "open"):
                what = {"": "names no language", "indented": "is indented; fence it", "open": "is never closed"}[block.language]
                problems.append(f"{where}: a code block {what}")
            elif block.language not in COMMANDS | OTHERS:
                problems.append(f"{where}: {block.language}: use {', '.join(sorted(COMMANDS | OTHERS))}")
            elif block.language in COMMANDS:
                mark = MARK.match(block.mark or "")
                counts[mark[1] if mark else "run"] += 1
                if mark and not mark[2]:
                    problems.append(f"{where}: the mark says nothing")
                elif mark and mark[1] == "run by" and mark[2] not in known:
                    problems.append(f"{where}: {mark[2]} is no test")
                elif mark and mark[1] == "run by":
                    problems += [f"{where}: {mark[2]} does not call {name}" for name in not_called(block, known[mark[2]])]
    total = sum(counts.values())
    if counts["not run"] > NOT_RUN_AT_MOST * total:
        problems.append(f"{counts['not run']} of {total} blocks of commands are not run; at most a quarter may be")
    lines = len((root / "README.md").read_text().splitlines())
    if lines > README_LINES:
        problems.append(f"README.md has {lines} lines, at most {README_LINES} are allowed")
    return counts, problems


GOOD = "# A\n\n```sh\ntrue\n```\n\n<!-- run by: parser -->\n```sh\nfalse\n```\n\n```text\nsaid\n```\n"
BAD = (("```sh\ntrue", "```\ntrue", "README.md:4: a code block names no language"),
       ("```sh\ntrue\n```", "    true", "README.md:3: a code block is indented"),
       ("run by: parser", "run by: nobody", "README.md:9: nobody is no test"),
       ("run by: parser", "not run:", "README.md:9: the mark says nothing"),
       ("run by: parser", "not run: needs a board", "1 of 2 blocks of commands are not run"),
       ("```text", "```rust", "rust: use"),
       ("\nfalse\n", "\ncpack -G DEB\n", "README.md:9: parser does not call cpack"),
       ("# A\n", "# A\n" + "\n" * 120, "README.md has 134 lines"),
       ("said\n```", "said\n", "README.md:13: a code block is never closed"))


def self_test():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "tests").mkdir()
        (root / "tests/CMakeLists.txt").write_text("octet_test(NAME parser LIBS x)\n")

        def found(page):
            (root / "README.md").write_text(page)
            return check(root)

        counts, problems = found(GOOD)
        if problems or counts != {"run": 1, "run by": 1, "not run": 0}:
            failures.append(f"{counts}, {problems}")
        for part, instead, complaint in BAD:
            assert part in GOOD
            problems = found(GOOD.replace(part, instead))[1]
            if not any(complaint in problem for problem in problems):
                failures.append(f"wanted {complaint!r}, got {problems}")
    print("\n".join(failures) or f"{len(BAD)} faults are found")
    return 1 if failures else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    counts, problems = check(pathlib.Path(sys.argv[1]).resolve())
    total = sum(counts.values())
    print("\n".join(problems) or f"{total} blocks of commands: {counts['run']} run by docs_commands, {counts['run by']} by other "
          f"tests, {counts['not run']} not run ({100 * counts['not run'] / max(total, 1):.0f} %)")
    return 1 if problems or not total else 0


if __name__ == "__main__":
    sys.exit(main())
