#!/usr/bin/env python3
"""A public header with its comments as Doxygen reads them, on stdout: the first one is of the file, one in front of a declaration
is of that, one behind code is of what stands before it. All others stay plain comments. Lines of code stay where they are."""
import pathlib
import re
import sys

COMMENT = re.compile(r"/\*.*?\*/", re.S)
SPECIAL = re.compile(r"([\\@<>&#%$\"])")


def escaped(text: str) -> str:
    """Words of a comment are words: none of them is a command of Doxygen, HTML or an entity."""
    return SPECIAL.sub(r"\\\1", text)


def body_of(comment: str) -> str:
    """What stands between the marks; lines that are set in, such as examples, keep their form."""
    lines, verbatim = [], False
    for number, line in enumerate(comment[2:-2].split("\n")):
        text = line if number == 0 else re.sub(r"^\s*\* ?", "", line)
        set_in = number > 0 and re.sub(r"^\s*\*", "", line).startswith("   ")
        mark = "" if set_in == verbatim else "@verbatim " if set_in else "@endverbatim "
        verbatim = set_in
        lines.append(mark + (text if set_in else escaped(text)))
    return "\n".join(lines) + (" @endverbatim " if verbatim else "")


def filtered(text: str, name: str) -> str:
    out, at, is_first = [], 0, True
    for found in COMMENT.finditer(text):
        line_start = text.rfind("\n", 0, found.start()) + 1
        behind_code = text[line_start:found.start()].strip() != ""
        after = text[found.end():]
        declared = re.match(r"[ \t]*\n[ \t]*[A-Za-z]", after) is not None or re.match(r"[ \t]*\n#define ", after) is not None
        ends_line = re.match(r"[ \t]*(\n|$)", after) is not None
        out.append(text[at:found.start()])
        at = found.end()
        if is_first:
            out.append(f"/** @file octet/{name}\n".replace("\n", " ") + body_of(found[0]) + "*/")
        elif behind_code and ends_line and not text[line_start:].lstrip().startswith("#e"):
            out.append("/**<" + body_of(found[0]) + "*/")
        elif not behind_code and declared:
            out.append("/**" + body_of(found[0]) + "*/")
        else:
            out.append(found[0])
        is_first = False
    return "".join(out) + text[at:]


def main() -> int:
    path = pathlib.Path(sys.argv[1])
    sys.stdout.write(filtered(path.read_text(encoding="utf-8"), path.name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
